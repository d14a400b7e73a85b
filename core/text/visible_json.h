// visible() for a text in JSON, which keeps its meaning: what a terminal would obey becomes an
// escape, \u009b. What is below a blank has been escaped by the text's writer.
#pragma once

#include <string>
#include <string_view>

namespace slope {

std::string visible_json(std::string_view json);

}  // namespace slope
