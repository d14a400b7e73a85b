// JSON that is safe to print on a terminal: control characters that a JSON writer leaves as they
// are (U+007F to U+009F and others that visible() escapes) become \u009b and the like. The JSON
// keeps its meaning. The text must be UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace slope {

std::string visible_json(std::string_view json);

}  // namespace slope
