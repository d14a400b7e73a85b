// visible() for a text in JSON, which keeps its meaning: what a terminal would obey becomes an
// escape, \u009b. The text must be UTF-8; what is below a blank has been escaped by its writer.
#pragma once

#include <string>
#include <string_view>

namespace slope {

std::string visible_json(std::string_view json);

}  // namespace slope
