// The BLAS beneath the matrix products: OpenBLAS, always one thread a call, on the right kernels
// for this CPU. Without it: own loops.
#pragma once

#include <optional>
#include <string>

namespace slope {

// Done once, by the first product or by who asks earlier. OpenBLAS is kept single-threaded: the
// tiles of a product are the parallel loop.
void initialise_blas();

// "OpenBLAS 0.3.21, kernels Zen, pthread build, one thread a call"; "own loops"
std::string blas_description();

enum class Vectors { sse, avx2, avx512 };  // what a CPU offers to a product

// The OpenBLAS core type to switch to where `chosen` uses less than the CPU has: OpenBLAS 0.3.21
// takes newer Xeons for a Prescott and then runs at a quarter of their speed. Nothing where the
// choice is right.
std::optional<std::string> better_blas_core(const std::string& chosen, Vectors cpu);

}  // namespace slope
