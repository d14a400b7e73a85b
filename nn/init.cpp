#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/random_fill.h>
#include <slope/nn/init.h>
#include <slope/nn/module/state.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_set>

namespace slope::nn::init {

namespace {

double cumulative_normal(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// z with cumulative_normal(z) = p: a rational approximation with error below 4.5e-4 (Abramowitz and
// Stegun, 26.2.23), then two Halley steps, each of which triples the number of correct digits.
double inverse_normal(double p) {
  if (p > 0.5) return -inverse_normal(1 - p);
  p = std::max(p, 1e-300);  // z = -37; for much smaller p the exp below would overflow
  const double t = std::sqrt(-2 * std::log(p));
  double z = (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
             t;
  for (int step = 0; step < 2; ++step) {
    const double newton =
        (cumulative_normal(z) - p) * std::sqrt(2 * std::numbers::pi) * std::exp(z * z / 2);
    z -= newton / (1 + z * newton / 2);
  }
  return z;
}

}  // namespace

double gain(Nonlinearity f, double negative_slope) {
  switch (f) {
    case Nonlinearity::relu: return std::numbers::sqrt2;
    case Nonlinearity::leaky_relu: return std::sqrt(2 / (1 + negative_slope * negative_slope));
    case Nonlinearity::tanh: return 5.0 / 3;
    case Nonlinearity::selu: return 0.75;
    default: return 1;
  }
}

double fan_of(const Tensor& x, Fan fan) {
  SLOPE_CHECK_SHAPE(x.rank() >= 2, "init: fan in and fan out need at least two dims, got shape {}",
                    x.shape());
  double n = static_cast<double>(x.size(fan == Fan::in ? 1 : 0));
  for (int64_t d = 2; d < x.rank(); ++d) n *= static_cast<double>(x.size(d));
  return n;
}

void constant(const Tensor& x, double value) {
  const NoGrad no_grad;
  fill(x, value);
}
void zeros(const Tensor& x) { constant(x, 0); }
void ones(const Tensor& x) { constant(x, 1); }

namespace {
// Maps u in [0, 1) to [low, high), even if rounding to T would give high.
template <class T>
auto between(double low, double high) {
  const T end = static_cast<T>(high), last = std::nextafter(end, static_cast<T>(low));
  return [=](double u) {
    const T y = static_cast<T>(low + (high - low) * u);
    return static_cast<double>(y < end ? y : last);
  };
}

thread_local int64_t skipped_rank = INT64_MAX;  // tensors of at least this rank are not drawn

thread_local detail::SkippedDraws* skipped_draws = nullptr;

thread_local int64_t elements_left = INT64_MAX;  // how many may still be drawn, skipped or counted
thread_local int64_t element_limit = INT64_MAX;

template <class F>
void draw_into(const Tensor& x, const char* op, Draw draw, const F& value) {
  count_elements(x.numel());
  if (x.rank() < skipped_rank) return fill_drawn(x, op, draw, value);
  check_drawable(x, op);
  (void)generator().next_site();
  if (skipped_draws) skipped_draws->tensors.push_back(x);
}
}  // namespace

detail::SkipInit::SkipInit(int64_t least_rank) : rank_before_(skipped_rank) {
  skipped_rank = std::min(rank_before_, least_rank);
}
detail::SkipInit::~SkipInit() { skipped_rank = rank_before_; }

detail::SkippedDraws::SkippedDraws() : before_(skipped_draws) { skipped_draws = this; }
detail::SkippedDraws::~SkippedDraws() { skipped_draws = before_; }
void detail::SkippedDraws::fill_unlisted(ModuleRef model) const {
  std::unordered_set<const StorageImpl*> loaded;
  for (const NamedTensor& e : state_entries(model)) loaded.insert(e.tensor.storage().get());
  for (const Tensor& x : tensors)
    if (!loaded.contains(x.storage().get())) constant(x, std::nan(""));
}

ElementLimit::ElementLimit(int64_t most)
    : left_before_(elements_left), limit_before_(element_limit) {
  elements_left = element_limit = most;
}
ElementLimit::~ElementLimit() {
  elements_left = left_before_;
  element_limit = limit_before_;
}
void count_elements(int64_t n) {
  if (element_limit == INT64_MAX) return;
  SLOPE_CHECK_INPUT(n <= elements_left,
                    "asks for a model of more than {} elements, more than its weights can fill",
                    element_limit);
  elements_left -= n;
}

void uniform(const Tensor& x, double low, double high) {
  const NoGrad no_grad;
  const double most =
      x.dtype() == f64 ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  SLOPE_CHECK_AS(UsageError,
                 -most <= low && low <= high && high <= most && std::isfinite(high - low),
                 "init.uniform: needs finite bounds low <= high, got {} and {}", low, high);
  if (x.dtype() == f64)
    draw_into(x, "init.uniform", uniform_f64, between<double>(low, high));
  else
    draw_into(x, "init.uniform", uniform_f32, between<float>(low, high));
}

void normal(const Tensor& x, double mean, double std) {
  const NoGrad no_grad;
  SLOPE_CHECK_AS(UsageError, std::isfinite(mean) && std::isfinite(std) && std >= 0,
                 "init.normal: needs a finite mean and a finite std >= 0, got {} and {}", mean,
                 std);
  draw_into(x, "init.normal", slope::normal, [=](double z) { return mean + std * z; });
}

void trunc_normal(const Tensor& x, double mean, double std, double low, double high) {
  SLOPE_CHECK_AS(UsageError, low < high && std > 0 && std::isfinite(std) && std::isfinite(mean),
                 "init.trunc_normal: needs low < high, a finite std > 0 and a finite mean, got {}, "
                 "{}, {} and {}",
                 low, high, std, mean);
  // far above the mean the distribution function rounds to 1, so the mirror image below the mean
  // is drawn
  const bool above = low > mean;
  const double least = above ? 2 * mean - high : low, most = above ? 2 * mean - low : high;
  const double from = cumulative_normal((least - mean) / std),
               to = cumulative_normal((most - mean) / std);
  const NoGrad no_grad;
  draw_into(x, "init.trunc_normal", uniform_f64, [=](double u) {
    const double y = std::clamp(mean + std * inverse_normal(from + (to - from) * u), least, most);
    return above ? 2 * mean - y : y;
  });
}

void xavier_uniform(const Tensor& x, double gain) {
  const double n = fan_of(x, Fan::in) + fan_of(x, Fan::out),
               bound = n > 0 ? gain * std::sqrt(6 / n) : 0;
  uniform(x, -bound, bound);
}

void xavier_matrices(const Tensors& all) {
  for (const Tensor& x : all)
    if (x.rank() >= 2) xavier_uniform(x);
}

void xavier_normal(const Tensor& x, double gain) {
  const double n = fan_of(x, Fan::in) + fan_of(x, Fan::out);
  normal(x, 0, n > 0 ? gain * std::sqrt(2 / n) : 0);
}

void kaiming_uniform(const Tensor& x, double negative_slope, Fan fan, Nonlinearity f) {
  const double n = fan_of(x, fan), bound = n > 0 ? gain(f, negative_slope) * std::sqrt(3 / n) : 0;
  uniform(x, -bound, bound);
}

void kaiming_normal(const Tensor& x, double negative_slope, Fan fan, Nonlinearity f) {
  const double n = fan_of(x, fan);
  normal(x, 0, n > 0 ? gain(f, negative_slope) / std::sqrt(n) : 0);
}

}  // namespace slope::nn::init
