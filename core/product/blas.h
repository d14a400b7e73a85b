// The BLAS behind the matrix products: OpenBLAS, always one thread per call, with the right kernels
// for this CPU. Without OpenBLAS: slope's own loops.
//
// Kernels and threads are set when the program is loaded, before it has threads that may call
// OpenBLAS themselves. A program that loads slope with dlopen has to do so before it starts such
// threads.
#pragma once

#include <optional>
#include <string>

namespace slope {

// Runs once, at the first product or earlier on request: makes OpenBLAS single-threaded again if
// the program has changed that, because a product is parallel over its tiles.
void initialise_blas();

// "OpenBLAS 0.3.21, kernels Zen, pthread build, one thread a call"; "own loops"
std::string blas_description();

enum class Vectors { sse, avx2, avx512 };  // what a CPU offers for products
Vectors cpu_vectors();                     // this CPU's

// The OpenBLAS core type to switch to if `chosen` uses less than the CPU offers: OpenBLAS 0.3.21
// takes newer Xeons for a Prescott. Empty if the choice is right.
std::optional<std::string> better_blas_core(const std::string& chosen, Vectors cpu);

}  // namespace slope
