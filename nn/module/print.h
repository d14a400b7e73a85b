// A model as text, identical to torch's print(model).
#pragma once

#include <slope/nn/module/module_ref.h>

namespace slope::nn {

std::string to_string(ModuleRef model);  // without a newline at the end
void print(ModuleRef model);             // to standard output, with a newline

// A float, bool and tuple as Python writes them, for extra_repr: 1e-05, 0.1, 1.0; True; (8,).
std::string python(double x);
inline const char* python(bool x) { return x ? "True" : "False"; }
inline std::string python(const Dims& dims) { return slope::to_string(dims); }

}  // namespace slope::nn
