#include <slope/core/kernels/lines.h>
#include <slope/core/kernels/shape/stream.h>

namespace slope {
namespace {

void copy(int64_t bytes, const void* from, void* to) { write_lines(bytes, from, to); }
void finish() { finish_lines(); }

}  // namespace

SLOPE_KERNEL(Stream, copy, finish)

}  // namespace slope
