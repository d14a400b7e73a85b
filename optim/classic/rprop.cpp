#include <slope/optim/classic/rprop.h>
#include <slope/optim/option_checks.h>

#include <algorithm>

namespace slope::optim {

namespace {

void check(const RpropOptions& o) {
  SLOPE_CHECK_AS(UsageError, 0 < o.etas[0] && o.etas[0] < 1 && 1 < o.etas[1],
                 "Rprop: the first of etas must be between 0 and 1, the second above 1, got {} and "
                 "{}",
                 o.etas[0], o.etas[1]);
  SLOPE_CHECK_AS(UsageError, 0 < o.step_sizes[0] && o.step_sizes[0] <= o.step_sizes[1],
                 "Rprop: step_sizes must be positive and in order, got {} and {}", o.step_sizes[0],
                 o.step_sizes[1]);
}

std::vector<StateTensor> states(const RpropOptions& o) { return {{"prev"}, {"step_size", o.lr}}; }

//   s = clamp(s (eta+ if g prev > 0, eta- if g prev < 0, else 1), step_sizes)
//   g = 0 where g prev < 0
//   p = p - sign(g) s,  prev = g
template <class T>
void update(const Part<T>& x, const RpropOptions& o) {
  const T factor = static_cast<T>(x.factor), down = static_cast<T>(o.etas[0]),
          up = static_cast<T>(o.etas[1]), least = static_cast<T>(o.step_sizes[0]),
          most = static_cast<T>(o.step_sizes[1]);
  T *prev = x.state[0], *s = x.state[1];
  for (int64_t i = 0; i < x.n; ++i) {
    T g = factor * x.g[i];
    const T both = g * prev[i];
    s[i] = std::clamp(s[i] * (both > 0 ? up : both < 0 ? down : T(1)), least, most);
    if (both < 0) g = 0;
    x.p[i] -= g > 0 ? s[i] : g < 0 ? -s[i] : T(0);
    prev[i] = g;
  }
}

}  // namespace

Rprop::Rprop(const Groups<RpropOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
