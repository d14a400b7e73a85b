// Initial values, written into existing tensors. Rules and names are PyTorch's; the numbers come
// from slope's generator: element i of a tensor is a function of (seed, site, i), and each call
// that draws takes the next site (core/tensor/random.h). fan_in = size(1) * (all further sizes),
// fan_out = size(0) * (all further sizes); rank >= 2.
#pragma once

#include <slope/nn/module/module_ref.h>

namespace slope::nn::init {

enum class Fan { in, out };
enum class Nonlinearity { linear, relu, leaky_relu, tanh, sigmoid, selu };
double gain(Nonlinearity f, double negative_slope = 0.01);

void zeros(const Tensor& x);
void ones(const Tensor& x);
void constant(const Tensor& x, double value);
// [low, high); UsageError if low > high, or if one of them is not finite
void uniform(const Tensor& x, double low = 0, double high = 1);
// UsageError if std < 0, or if a number is not finite
void normal(const Tensor& x, double mean = 0, double std = 1);
// Normal, conditioned on low <= x <= high (bounds may be infinite).
void trunc_normal(const Tensor& x, double mean = 0, double std = 1, double low = -2,
                  double high = 2);
// Glorot and Bengio (2010): bound = gain sqrt(6 / (fan_in + fan_out)), std = gain sqrt(2 / (fan_in
// + fan_out)).
void xavier_uniform(const Tensor& x, double gain = 1);
void xavier_matrices(const Tensors& all);  // uniform; only tensors of two or more dims
void xavier_normal(const Tensor& x, double gain = 1);
// He et al. (2015): bound = gain sqrt(3 / fan), std = gain / sqrt(fan), with the gain of f.
void kaiming_uniform(const Tensor& x, double negative_slope = 0, Fan fan = Fan::in,
                     Nonlinearity f = Nonlinearity::leaky_relu);
void kaiming_normal(const Tensor& x, double negative_slope = 0, Fan fan = Fan::in,
                    Nonlinearity f = Nonlinearity::leaky_relu);

double fan_of(const Tensor& x, Fan fan);  // ShapeError below rank 2

namespace detail {
class SkipInit {
 public:
  explicit SkipInit(int64_t least_rank);
  ~SkipInit();
  SkipInit(const SkipInit&) = delete;
  SkipInit& operator=(const SkipInit&) = delete;

 private:
  int64_t rank_before_;
};
// Notes the tensors whose draws are skipped on this thread while it lives.
struct SkippedDraws {
  SkippedDraws();
  ~SkippedDraws();
  SkippedDraws(const SkippedDraws&) = delete;
  SkippedDraws& operator=(const SkippedDraws&) = delete;
  void fill_unlisted(ModuleRef model) const;  // with nan, those that the model's file does not have
  Tensors tensors;

 private:
  SkippedDraws* before_;
};
}  // namespace detail

// Runs make() but skips the random draws into tensors of at least `least_rank` dims, like torch's
// skip_init: for a model whose weights are then read from a file or drawn by other rules. The
// skipped tensors still use up their random sites, so that all others get their usual numbers.
template <class F>
auto skip_init(int64_t least_rank, const F& make) {
  const detail::SkipInit scope(least_rank);
  return make();
}

// While it lives, this thread may draw, skip drawing or count (count_elements) at most `most`
// elements; one more is an InputError. For a model whose size comes from a file.
class ElementLimit {
 public:
  explicit ElementLimit(int64_t most);
  ~ElementLimit();
  ElementLimit(const ElementLimit&) = delete;
  ElementLimit& operator=(const ElementLimit&) = delete;

 private:
  int64_t left_before_, limit_before_;
};
// For a table that a constructor computes: counts its n elements too, before they are allocated.
void count_elements(int64_t n);

// A model initialised by its own init_weights(), which draws all matrices. Vectors (biases, weights
// of norms) keep the values that the constructors of their layers gave them; matrices are not drawn
// there, since init_weights() would overwrite them.
template <class Model>
Model make(const decltype(Model::config)& config) {
  Model model = skip_init(2, [&] { return Model(config); });
  model.init_weights();
  return model;
}

// A model whose weights are then loaded: nothing is drawn. Drawn tensors that no load can fill,
// since no SLOPE_MODULE line lists them (or which are not saved), are nan, so that a forward that
// uses one shows it.
template <class Model>
Model make_unset(const decltype(Model::config)& config) {
  const detail::SkippedDraws skipped;
  Model model = skip_init(0, [&] { return Model(config); });
  skipped.fill_unlisted(model);
  return model;
}

}  // namespace slope::nn::init
