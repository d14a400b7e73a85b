#include <slope/autograd/grad_mode.h>
#include <slope/core/kernels/elementwise/optim.h>
#include <slope/core/loops/copy.h>
#include <slope/optim/clip.h>
#include <slope/optim/elementwise/sweep.h>

#include <cmath>
#include <unordered_set>

namespace slope::optim {

namespace {

// The existing gradients, contiguous. With `own`, a gradient that shares memory with anything else
// is first replaced by a copy, also in its parameter, so that all of them may be written.
PerTensor<Tensor> gradients(const Tensors& parameters, bool own) {
  PerTensor<Tensor> all;
  all.reserve(parameters.size());
  std::unordered_set<const TensorImpl*> seen;  // two parameters may hold the same gradient
  for (const Tensor& p : parameters) {
    Tensor g = p.grad();
    if (!g.defined()) continue;
    if (!g.is_contiguous() ||
        (own && (g.storage()->ref_count() > 1 || !seen.insert(&g.impl()).second))) {
      g = contiguous_copy(g);
      if (own) p.set_grad(g);
    }
    all.push_back(std::move(g));
  }
  return all;
}

PerTensor<int64_t> sizes_of(const PerTensor<Tensor>& xs) {
  PerTensor<int64_t> sizes;
  sizes.reserve(xs.size());
  for (const Tensor& x : xs) sizes.push_back(x.numel());
  return sizes;
}

// The contribution of a stretch to the sum of |g|^p; for p = infinity, its largest |g|.
template <class T>
double part_of_norm(int64_t n, const T* g, double p) {
  if (p == 2) return kernels<OptimKernels<T>>().sum_of_squares(n, g);
  double part = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double a = std::abs(static_cast<double>(g[i]));
    if (std::isinf(p)) {
      part = a > part || std::isnan(a) ? a : part;
    } else {
      part += p == 1 ? a : std::pow(a, p);
    }
  }
  return part;
}

double combine(double a, double b, double p) {
  return std::isinf(p) ? (b > a || std::isnan(b) ? b : a) : a + b;
}

double norm_of(const PerTensor<Tensor>& gs, double p) {
  SLOPE_CHECK_AS(UsageError, p > 0, "grad_norm: norm_type must be above 0, got {}", p);
  const PerTensor<int64_t> sizes = sizes_of(gs);
  PerTensor<double> parts(static_cast<size_t>(sweep_chunks(sizes)), 0);
  sweep(sizes, [&](size_t k, int64_t begin, int64_t n, int64_t chunk) {
    visit_floating(gs[k].dtype(), "grad_norm", [&]<class T> {
      double& part = parts[static_cast<size_t>(chunk)];
      part = combine(part, part_of_norm(n, gs[k].data<T>() + begin, p), p);
    });
  });
  double total = 0;
  for (double part : parts) total = combine(total, part, p);
  return std::isinf(p) ? total : p == 2 ? std::sqrt(total) : std::pow(total, 1 / p);
}

template <class F>
void rewrite(const PerTensor<Tensor>& gs, const F& f) {  // f(n, elements)
  const NoGrad no_grad;  // applies to this thread only, so the pointers are taken here
  PerTensor<void*> data;
  for (const Tensor& g : gs)
    visit_floating(g.dtype(), "clip_grad", [&]<class T> { data.push_back(g.write<T>().get()); });
  sweep(sizes_of(gs), [&](size_t k, int64_t begin, int64_t n, int64_t) {
    visit_floating(gs[k].dtype(), "clip_grad",
                   [&]<class T> { f(n, static_cast<T*>(data[k]) + begin); });
  });
}

void scale(const PerTensor<Tensor>& gs, double factor) {
  if (factor < 1)
    rewrite(gs, [&]<class T>(int64_t n, T* g) {
      kernels<OptimKernels<T>>().scale(n, g, static_cast<T>(factor));
    });
}

void check_max_norm(double max_norm) {
  SLOPE_CHECK_AS(UsageError, max_norm >= 0,
                 "clip_grad_norm, clip_factor: max_norm must not be negative, got {}", max_norm);
}

}  // namespace

double grad_norm(const Tensors& parameters, double norm_type) {
  return norm_of(gradients(parameters, false), norm_type);
}

double clip_factor(double norm, double max_norm) {
  check_max_norm(max_norm);
  return std::isfinite(norm) ? std::min(1.0, max_norm / (norm + 1e-6)) : 1;
}

double clip_grad_norm(const Tensors& parameters, double max_norm, double norm_type) {
  check_max_norm(max_norm);  // before anything changes
  const PerTensor<Tensor> gs = gradients(parameters, true);
  const double norm = norm_of(gs, norm_type);
  scale(gs, clip_factor(norm, max_norm));
  return norm;
}

void clip_grads_with_norm(const Tensors& parameters, double max_norm, double norm) {
  scale(gradients(parameters, true), clip_factor(norm, max_norm));
}

void clip_grad_value(const Tensors& parameters, double limit) {
  SLOPE_CHECK_AS(UsageError, limit >= 0, "clip_grad_value: the limit must not be negative, got {}",
                 limit);
  rewrite(gradients(parameters, true), [&]<class T>(int64_t n, T* g) {
    const T most = static_cast<T>(limit);
    // nan stays
    for (int64_t i = 0; i < n; ++i) g[i] = g[i] > most ? most : g[i] < -most ? -most : g[i];
  });
}

std::string first_nonfinite_grad(const NamedTensors& parameters) {
  for (const auto& [name, p] : parameters)
    if (!std::isfinite(grad_norm({p}, INFINITY))) return name;
  return {};
}

}  // namespace slope::optim
