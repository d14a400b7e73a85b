#include <slope/core/product/blas_buffers.h>

#if defined(SLOPE_BLAS)
#include <slope/core/error.h>
#include <slope/core/memory/fork.h>

#include <sys/mman.h>

#include <mutex>
#include <set>
#include <vector>

// OpenBLAS's own functions; other BLAS libraries lack them.
extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int);
[[gnu::weak]] void blas_memory_free(void*);
}
#endif

namespace slope {

#if defined(SLOPE_BLAS)
namespace {

constexpr size_t blas_buffer_bytes = 128 << 20;  // OpenBLAS's BUFFER_SIZE on x86-64

bool could_map(size_t bytes) {
  void* found = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return found != MAP_FAILED && ::munmap(found, bytes) == 0;
}

std::mutex buffers_mutex;
[[maybe_unused]] const bool buffers_are_held = hold_over_fork(ForkOrder::tables, buffers_mutex);
size_t threads_with_buffer = 0;

// A thread that ends leaves its buffer to others.
struct HasBuffer {
  bool yes = false;
  ~HasBuffer() {
    if (!yes) return;
    const std::lock_guard lock(buffers_mutex);
    --threads_with_buffer;
  }
};

}  // namespace

void ensure_blas_buffer() {
  thread_local HasBuffer has_buffer;
  if (has_buffer.yes || !blas_memory_alloc || !blas_memory_free) return;
  const std::lock_guard lock(buffers_mutex);
  static std::set<void*> buffers;  // of OpenBLAS: never given back, used by one call at a time
  std::vector<void*> held;
  const size_t needed = threads_with_buffer + 1;
  held.reserve(needed);
  bool fits = true;
  while (buffers.size() < needed && (fits = could_map(blas_buffer_bytes))) {
    held.push_back(blas_memory_alloc(0));
    buffers.insert(held.back());
  }
  for (void* buffer : held) blas_memory_free(buffer);
  SLOPE_CHECK_AS(
      MemoryError, fits,
      "out of memory: OpenBLAS needs {} MB of addresses for each thread; raise the limit "
      "(ulimit -v) or use fewer: --threads, OMP_NUM_THREADS",
      blas_buffer_bytes >> 20);
  threads_with_buffer = needed;
  has_buffer.yes = true;
}
#else
void ensure_blas_buffer() {}
#endif

}  // namespace slope
