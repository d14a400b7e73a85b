// parallel_for: the one parallel loop. Chunks depend on n and grain alone, never on the number of
// threads, so a sum over chunks that is combined in chunk order has the same bits for any number of
// threads. Nested loops run serially.
//
// Each thread begins with chunks of its own, the t-th part of all, so that in one loop after
// another it meets the same elements again, in its own core's caches; when they are done it helps
// the others with theirs (8192 x 512 floats on two cores of Zen 5, beside one queue for all: relu
// and its derivative 1.8 times as fast, softmax 1.4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

namespace slope {

int num_threads();  // of the calling thread; at first OMP_NUM_THREADS, else the number of cores
void set_num_threads(int n);  // for the calling thread; n >= 1

enum class Sharing {
  own_part_first,  // there are at most 16 parts: with more threads, some share one
  in_order,        // chunks begin in ascending order: for those that become smaller towards the end
};

namespace detail {
// Calls chunk(context, i) for i in [0, chunks). After an exception no higher chunk begins; that of
// the lowest is rethrown.
void run_chunks(int64_t chunks, void (*chunk)(void* context, int64_t i), void* context,
                Sharing sharing);
}  // namespace detail

// f(begin, end) over [0, n) in chunks of `grain` elements. A grain is worth 20-50 µs: below that
// the loop should be one chunk.
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
