// Where a tape's boxes are drawn, for the page.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// {"sizes": of the boxes, across the direction of the arrows, "arrows": "from to from to …", from <
// to, "gap"}: of each box its layer and its middle, of each arrow where it crosses the layers
// between.
std::string layout(const Fields& fields);

}  // namespace slope::explorer
