// The path of the module whose forward runs on this thread ("encoder.layers.0"). Nodes store it for
// messages, drawings and profiles, as a pointer: paths live as long as the process.
#pragma once

#include <string>

namespace slope {

const char* current_module();  // null outside modules
void set_current_module(const char* path);
const char* intern_path(const std::string& path);  // the one copy of this path that is kept

}  // namespace slope
