// OpenBLAS keeps a buffer for each of its calls that run at the same time, and tries for ever if
// the system has no addresses left for one (ulimit -v).
#pragma once

namespace slope {

// Before a call of OpenBLAS: at the first call of a thread, a buffer is made for it, unless a
// thread that has ended left one. MemoryError if there is no room.
void ensure_blas_buffer();

}  // namespace slope
