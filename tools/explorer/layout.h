// Where a tape's boxes are drawn, for the page.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// {"sizes": each box's size across the arrows, "arrows": "from to from to …", from < to, "gap":
// between boxes}: the layer and the middle of each box, and where each arrow crosses the layers
// between its ends.
std::string layout(const Fields& fields);

}  // namespace slope::explorer
