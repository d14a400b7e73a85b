// A program that checks functions of your own with the command line of `slope gradcheck` takes one
// line besides the functions:
//
//   SLOPE_GRADCHECK_MAIN({"softsign", "matrix", {{.shape = {3, 4}}},
//                         [](const Tensors& x) { return Tensors{softsign(x[0])}; }})
//
// `program` checks all of them, `program softsign --verbose` one: every layout, both orders, kernel
// against formula, f32 against f64. Links slope::command.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope::tools {

// Without arguments: all registered functions. Returns the exit code, 1 if a derivative is wrong.
int gradcheck_main(int argc, char** argv);

}  // namespace slope::tools

#define SLOPE_GRADCHECK_MAIN(...)                    \
  int main(int argc, char** argv) {                  \
    slope::register_cases({__VA_ARGS__});            \
    return slope::tools::gradcheck_main(argc, argv); \
  }
