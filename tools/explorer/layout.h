// Where a tape's boxes are drawn, for the page.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// fields: "sizes": the size of each box at right angles to the arrows; "arrows": "from to from to
// …", box numbers with from < to; "gap": between two boxes of a layer. Each is a text of numbers,
// such as "30 42". Returns JSON: the layer and the middle of each box, where each arrow crosses the
// layers between its ends, the number of layers, and the width of the whole.
std::string layout(const Fields& fields);

}  // namespace slope::explorer
