// Where a tape's boxes are drawn, for the page.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// {"sizes": of the boxes, at right angles to the arrows, "arrows": "from to from to …", from < to,
// "gap"}: the layer and the middle of each box, and where each arrow crosses the layers between
// its ends.
std::string layout(const Fields& fields);

}  // namespace slope::explorer
