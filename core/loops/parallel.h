// parallel_for: the only parallel loop. Chunks depend on n and grain, never on the number of
// threads, so a sum over chunks that is combined in chunk order has the same bits for any number of
// threads. Nested loops run serially.
//
// Each thread begins with its own part of the chunks, the same in every loop of that size, so that
// its core's caches often still hold the elements from the previous loop; then it helps the others.
// Figures: docs/performance.md, "Threads and small tensors".
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

namespace slope {

// of the calling thread; at first OMP_NUM_THREADS (at most 8 per core) or else the number of cores
int num_threads();
void set_num_threads(int n);  // for the calling thread; n >= 1
// Finds out now, rather than in a loop, how many of them the system grants (workers.h).
void try_threads();

enum class Sharing {
  own_part_first,  // at most 16 parts: with more threads, some share one
  in_order,        // chunks begin in ascending order, for chunks that shrink towards the end
};

namespace detail {
// Calls chunk(context, i) for i in [0, chunks). After an exception no higher chunk begins; the
// exception of the lowest chunk is rethrown.
void run_chunks(int64_t chunks, void (*chunk)(void* context, int64_t i), void* context,
                Sharing sharing);
}  // namespace detail

// f(begin, end) over [0, n) in chunks of `grain` elements. A grain should be worth 20-50 µs; a loop
// that takes less should be one chunk.
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& f, Sharing sharing = Sharing::own_part_first) {
  if (n <= 0) return;
  if (n <= grain) return f(int64_t{0}, n);
  struct Context {
    F& f;
    int64_t n, grain;
  } context{f, n, grain};
  detail::run_chunks((n + grain - 1) / grain,
                     [](void* c, int64_t i) {
                       auto& loop = *static_cast<Context*>(c);
                       loop.f(i * loop.grain, std::min(loop.n, (i + 1) * loop.grain));
                     },
                     &context, sharing);
}

}  // namespace slope
