// Turns names on the tape into names of variables in C++ and Python.
#pragma once

#include <string>

namespace slope::explorer {

// "h (2)" -> "h_2"; a word that written programs use otherwise gets a "_"
std::string identifier(const std::string& name);

}  // namespace slope::explorer
