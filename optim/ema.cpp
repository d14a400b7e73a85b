#include <slope/core/kernels/elementwise/optim.h>
#include <slope/core/loops/copy.h>
#include <slope/optim/elementwise/sweep.h>
#include <slope/optim/ema.h>

#include <unordered_set>

namespace slope::optim {

Ema::Ema(const NamedTensors& parameters, double decay) : parameters_(parameters), decay_(decay) {
  SLOPE_CHECK_AS(UsageError, decay >= 0 && decay < 1, "Ema: the decay must be in [0, 1), got {}",
                 decay);
  std::unordered_set<const TensorImpl*> seen;
  for (const auto& [name, p] : parameters) {
    SLOPE_CHECK_AS(UsageError, seen.insert(&p.impl()).second,
                   "Ema: the parameter {} was listed before", name);
    SLOPE_CHECK_DTYPE(is_floating(p.dtype()), "Ema: {} is {}, which has no average", name,
                      slope::name(p.dtype()));
    averages_.push_back({name, contiguous_copy(p)});
  }
  check();
}

void Ema::check() const {
  for (size_t k = 0; k < parameters_.size(); ++k) {
    const auto& [name, p] = parameters_[k];
    const Tensor& e = averages_[k].tensor;
    SLOPE_CHECK_AS(UsageError,
                   p.dtype() == e.dtype() && p.shape() == e.shape() && p.is_contiguous(),
                   "Ema: {} is {} of shape {} and must be what it was when the averages began, {} "
                   "of shape {}, contiguous; make a new Ema",
                   name, slope::name(p.dtype()), p.shape(), slope::name(e.dtype()), e.shape());
  }
}

void Ema::update(double decay) {
  check();
  PerTensor<int64_t> sizes;
  for (const auto& [name, p] : parameters_) sizes.push_back(p.numel());
  sweep(sizes, [&](size_t k, int64_t begin, int64_t n, int64_t) {
    const Tensor &p = parameters_[k].tensor, &e = averages_[k].tensor;
    visit_floating(p.dtype(), "Ema", [&]<class T> {
      kernels<OptimKernels<T>>().average(n, static_cast<T*>(e.write<T>()) + begin,
                                         p.data<T>() + begin, static_cast<T>(1 - decay));
    });
  });
}

void Ema::swap() {
  check();
  exchange();
}

void Ema::exchange() noexcept {
  for (size_t k = 0; k < parameters_.size(); ++k) {
    TensorImpl &p = parameters_[k].tensor.impl(), &e = averages_[k].tensor.impl();
    std::swap(p.storage, e.storage);
    std::swap(p.layout, e.layout);
    std::swap(p.dtype, e.dtype);
  }
}

void Ema::load_averages(const NamedTensors& averages) {
  SLOPE_CHECK_INPUT(averages.size() == averages_.size(), "averages: {} tensors, expected {}",
                    averages.size(), averages_.size());
  Tensors found, own;
  for (const auto& [name, e] : averages_) {
    const auto same = std::find_if(averages.begin(), averages.end(),
                                   [&name = name](const auto& a) { return a.name == name; });
    SLOPE_CHECK_INPUT(same != averages.end(), "averages: {} is missing", name);
    SLOPE_CHECK_INPUT(same->tensor.shape() == e.shape(), "averages: {} has shape {}, expected {}",
                      name, same->tensor.shape(), e.shape());
    SLOPE_CHECK_INPUT(is_floating(same->tensor.dtype()), "averages: {} is {}", name,
                      slope::name(same->tensor.dtype()));
    found.push_back(same->tensor);
    own.push_back(e);
  }
  copy_each(found, own);
}

}  // namespace slope::optim
