// Cross entropy with target t, label smoothing e and z = x - max x. All differences are taken
// before any sum, so that logits of 1e38 stay finite:
//   loss = log sum exp(z) - (1 - e) z_t - e mean(z)
//   dx   = g (exp(z) / sum exp(z) - (1 - e) [i = t] - e / n)
#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/loss/cross_entropy.h>
#include <slope/core/kernels/math.h>
#include <slope/core/kernels/prefetch.h>

namespace slope {
namespace {

template <class T>
T row_loss(int64_t n, const T* x, int64_t t, double smoothing, T max, T log_sum) {
  const T loss = log_sum - (x[t] - max);
  if (smoothing == 0) return loss;
  const T share = T(1) / static_cast<T>(n), e = static_cast<T>(smoothing);
  return (1 - e) * loss +
         e * (log_sum - sum_pieces<T>(n, [&](int64_t i) { return (x[i] - max) * share; }));
}

template <class T>
T log_of(T x) {
  return static_cast<T>(__builtin_log(static_cast<double>(x)));
}

template <class T>
void forward(int64_t rows, int64_t n, const T* x, Targets targets, T* loss, T* max, T* log_sum) {
  for (int64_t r = 0; r < rows; ++r, x += n) {
    fetch(x + n, n);
    loss[r] = max[r] = log_sum[r] = 0;
    if (targets.data[r] == targets.ignored) continue;
    const T m = max[r] = row_max(n, x);
    log_sum[r] = log_of(sum_pieces<T>(n, [&](int64_t i) { return exp_of_negative(x[i] - m); }));
    loss[r] = row_loss(n, x, targets.data[r], targets.smoothing, m, log_sum[r]);
  }
}

template <class T>
void backward(int64_t rows, int64_t n, const T* x, Targets targets, const T* max, const T* log_sum,
              const T* g, int64_t g_stride, T* dx) {
  const T e = static_cast<T>(targets.smoothing), floor = e / static_cast<T>(n);
  for (int64_t r = 0; r < rows; ++r, x += n, dx += n) {
    fetch(x + n, n);
    fetch_to_write(dx + n, n);
    const T m = max[r], s = log_sum[r], gr = g[r * g_stride];
    if (targets.data[r] == targets.ignored) {
      for (int64_t i = 0; i < n; ++i) dx[i] = 0;
      continue;
    }
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = gr * (exp_of_negative(x[i] - m - s) - floor);
    const int64_t t = targets.data[r];
    dx[t] = gr * (exp_of_negative(x[t] - m - s) - floor - (1 - e));
  }
}

template <class T>
void fused(int64_t rows, int64_t n, T* x, const T* bias, Targets targets, const T* g,
           int64_t g_stride, T* loss) {
  const T e = static_cast<T>(targets.smoothing), share = T(1) / static_cast<T>(n),
          floor = e * share;
  for (int64_t r = 0; r < rows; ++r, x += n) {
    fetch_to_write(x + n, n);
    const T gr = g[r * g_stride];
    const int64_t t = targets.data[r];
    if (t == targets.ignored) {
      loss[r] = 0;
      for (int64_t i = 0; i < n; ++i) x[i] = 0;
      continue;
    }
    const T m = bias ? max_lanes<T>(n, -std::numeric_limits<T>::infinity(),
                                    [&](int64_t i) { return x[i] += bias[i]; })
                     : row_max(n, x);
    const T at_target = x[t];
    const T mean_z = targets.smoothing == 0
                         ? T(0)
                         : sum_pieces<T>(n, [&](int64_t i) { return (x[i] - m) * share; });
    const T sum = sum_pieces<T>(n, [&](int64_t i) { return x[i] = exp_of_negative(x[i] - m); }),
            log_sum = log_of(sum), inverse = 1 / sum;
    loss[r] = (1 - e) * (log_sum - (at_target - m));
    if (targets.smoothing != 0) loss[r] += e * (log_sum - mean_z);
    const T p_target = x[t] * inverse;
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) x[i] = gr * (x[i] * inverse - floor);
    x[t] = gr * (p_target - floor - (1 - e));
  }
}

}  // namespace

SLOPE_KERNELS(CrossEntropyKernels, forward<T>, backward<T>, fused<T>)

}  // namespace slope
