// Exponential moving average of parameters: e <- e + (1 - decay) (p - e) after each step; e starts
// as p.
//   ema.update();                          // with the decay of the constructor, or
//   ema.update(rising_decay(decay, t));    // with a smaller one at first, to forget the start
//   { optim::Averaged averaged(ema);  validate(model); }
// Within the scope of `averaged` the model holds the averages.
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/core/tensor/tensor.h>

#include <algorithm>

namespace slope::optim {

// min(decay, (t + 1) / (t + 10)) for update number t (from 0): with a constant decay of 0.999 the
// random start would still have a weight of 0.37 after 1,000 updates. The formula is that of
// TensorFlow's ExponentialMovingAverage with num_updates.
inline double rising_decay(double decay, int64_t t) {
  return std::min(decay, static_cast<double>(t + 1) / static_cast<double>(t + 10));
}

// t / (t + 1) for update number t (from 0): the average is then the mean of the parameters at all
// updates, as in stochastic weight averaging (Izmailov et al., 2018; torch's get_swa_avg_fn).
inline double swa_decay(int64_t t) { return static_cast<double>(t) / static_cast<double>(t + 1); }

class Ema {
 public:
  Ema(const NamedTensors& parameters, double decay);  // 0 <= decay < 1
  void update() { update(decay_); }
  void update(double decay);
  void swap();                                                // exchanges parameters and averages
  const NamedTensors& averages() const { return averages_; }  // by parameter name: Ema's state
  // InputError, without any change, if names or shapes differ
  void load_averages(const NamedTensors& averages);

 private:
  friend class Averaged;
  // UsageError unless each parameter is contiguous and of its average's shape and dtype
  void check() const;
  void exchange() noexcept;  // swap without that check

  NamedTensors parameters_, averages_;
  double decay_;
};

class Averaged {
 public:
  explicit Averaged(Ema& ema) : ema_(ema) { ema_.swap(); }
  ~Averaged() { ema_.exchange(); }
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  Ema& ema_;
};

}  // namespace slope::optim
