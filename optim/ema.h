// Exponential moving average of parameters: e <- e + (1 - decay) (p - e) after each step; e starts
// as p.
//   ema.update();
//   { optim::Averaged averaged(ema);  validate(model); }   // the model holds the averages in this
//   scope
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/core/tensor/tensor.h>

namespace slope::optim {

class Ema {
 public:
  Ema(const NamedTensors& parameters, double decay);  // 0 <= decay < 1
  void update();
  void swap();                                                // exchanges parameters and averages
  const NamedTensors& averages() const { return averages_; }  // by parameter name: its state
  // InputError, without any change, if names or shapes differ
  void load_averages(const NamedTensors& averages);

 private:
  friend class Averaged;
  // UsageError if a parameter is no longer the kind of tensor that its average is
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
