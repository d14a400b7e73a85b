// Buffers for OpenBLAS, which needs one for each of its calls that run at the same time, and
// retries for ever if the system has no addresses left (ulimit -v).
#pragma once

namespace slope {

// To be called before each call of OpenBLAS. The first time in a thread it makes OpenBLAS allocate
// a buffer, unless a thread that has ended left one. MemoryError if there is no room.
void ensure_blas_buffer();

}  // namespace slope
