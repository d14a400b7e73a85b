// An optimizer that treats each element separately: one parallel pass over all elements of all
// parameters. Its rule is an aggregate of plain functions; see rmsprop.cpp for an example.
#pragma once

#include <slope/optim/optimizer.h>

#include <array>

namespace slope::optim {

// A stretch of one parameter's elements. t: the number of the parameter's step, from 1. factor:
// multiplies the gradient; negative if the options say `maximize`. carry: Optimizer::next_carry().
template <class T>
struct Part {
  int64_t n, t;
  double lr, factor, carry;
  T* p;
  const T* g;
  std::array<T*, 3> state;
};

template <class Options>
class Elementwise : public Optimizer {
 protected:
  struct Rule {
    void (*check)(const Options& o);  // UsageError
    std::vector<StateTensor> (*states)(const Options& o);
    void (*f32)(const Part<float>& part, const Options& o);
    void (*f64)(const Part<double>& part, const Options& o);
    double (*carry)(const Options& o, double before, int64_t t) = nullptr;
  };

  Elementwise(const Groups<Options>& groups, const Rule& rule) : rule_(rule) {
    for (const auto& group : groups) {
      rule.check(group.options);
      options_.push_back(group.options);
    }
    add_groups(groups);
  }

 private:
  std::vector<StateTensor> state_of(size_t group, const Tensor&) const override {
    return rule_.states(options_[group]);
  }
  double next_carry(size_t group, double before, int64_t t) const override {
    return rule_.carry ? rule_.carry(options_[group], before, t) : before;
  }
  void update_all(const Slots& slots) const override {
    if (slots[0]->parameter.dtype() == f32) {
      sweep_parts<float>(slots, [&](size_t k, const Part<float>& part) {
        rule_.f32(part, options_[slots[k]->group]);
      });
    } else {
      sweep_parts<double>(slots, [&](size_t k, const Part<double>& part) {
        rule_.f64(part, options_[slots[k]->group]);
      });
    }
  }

  template <class T, class F>
  void sweep_parts(const Slots& slots, const F& f) const {
    PerTensor<Part<T>> parts;
    PerTensor<int64_t> sizes;
    PerTensor<Tensor> gradients;  // alive until the pass ends
    parts.reserve(slots.size());
    sizes.reserve(slots.size());
    gradients.reserve(slots.size());
    for (const Slot* slot : slots) {
      gradients.push_back(contiguous_gradient(slot->parameter));
      Part<T> part{slot->parameter.numel(),
                   slot->steps,
                   lr(slot->group),
                   options_[slot->group].maximize ? -grad_factor() : grad_factor(),
                   slot->carry,
                   slot->parameter.write<T>(),
                   gradients.back().data<T>(),
                   {}};
      for (size_t k = 0; k < slot->state.size(); ++k) part.state[k] = slot->state[k].write<T>();
      parts.push_back(part);
      sizes.push_back(part.n);
    }
    sweep(sizes, [&](size_t k, int64_t begin, int64_t n, int64_t) {
      Part<T> part = parts[k];
      part.n = n;
      part.p += begin;
      part.g += begin;
      for (T*& s : part.state)
        if (s) s += begin;
      f(k, part);
    });
  }

  Rule rule_;
  std::vector<Options> options_;
};

}  // namespace slope::optim
