// Names of the tape as names of variables, in C++ and in Python.
#pragma once

#include <string>

namespace slope::explorer {

// "h (2)" -> "h_2"; a word that a written program has another use for gets a "_"
std::string identifier(const std::string& name);

}  // namespace slope::explorer
