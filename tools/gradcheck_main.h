// One line after your functions makes a program that checks them with `slope gradcheck`'s options:
//
//   SLOPE_GRADCHECK_MAIN({"softsign", "matrix", {{.shape = {3, 4}}},
//                         [](const Tensors& x) { return Tensors{softsign(x[0])}; }})
//
// `program` checks all of them, `program softsign --verbose` one: every layout, both orders, kernel
// against formula, f32 against f64. The program links slope::command.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope::tools {

// No arguments: checks all registered functions. Returns the exit code, 1 if a derivative is wrong.
int gradcheck_main(int argc, char** argv);

}  // namespace slope::tools

#define SLOPE_GRADCHECK_MAIN(...)                    \
  int main(int argc, char** argv) {                  \
    slope::register_cases({__VA_ARGS__});            \
    return slope::tools::gradcheck_main(argc, argv); \
  }
