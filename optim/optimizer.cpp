#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>
#include <slope/optim/optimizer.h>

#include <cmath>
#include <map>

namespace slope::optim {

void Optimizer::add_group(const NamedTensors& parameters, double lr) {
  SLOPE_CHECK_AS(UsageError, lr >= 0 && std::isfinite(lr),
                 "optimizer: the learning rate must be finite and not negative, got {}", lr);
  for (const auto& [name, p] : parameters) {
    SLOPE_CHECK_AS(UsageError, p.is_leaf() && p.requires_grad(),
                   "optimizer: {} is not a leaf that requires grad", name);
    for (const Slot& other : slots_)
      SLOPE_CHECK_AS(UsageError, !other.parameter.is_same(p) && other.name != name,
                     "optimizer: {} and {} are one parameter, or share a name", other.name, name);
    Tensors state;  // allocated here, so that the second step needs no more memory than the first
    for (const StateTensor& s : state_of(lrs_.size(), p))
      state.push_back(full(s.shape.value_or(p.shape()), s.start, p.dtype()));
    slots_.push_back({name, p, lrs_.size(), 0, std::move(state)});
  }
  lrs_.push_back(lr);
}

void Optimizer::set_lr_factor(double factor) {
  SLOPE_CHECK_AS(UsageError, factor >= 0 && std::isfinite(factor),
                 "optimizer: the learning rate's factor must be finite and not negative, got {}",
                 factor);
  factor_ = factor;
}

void Optimizer::set_grad_factor(double factor) {
  SLOPE_CHECK_AS(UsageError, factor >= 0 && std::isfinite(factor),
                 "optimizer: the gradients' factor must be finite and not negative, got {}",
                 factor);
  grad_factor_ = factor;
}

void Optimizer::zero_grad() {
  for (const Slot& slot : slots_) slot.parameter.set_grad({});
}

Tensor Optimizer::contiguous_gradient(const Tensor& parameter) {
  const Tensor g = parameter.grad();
  return g.is_contiguous() ? g : contiguous_copy(g);
}

void Optimizer::run(const Slots& slots) const {
  if (slots.empty()) return;
  PerTensor<double> carries;
  carries.reserve(slots.size());
  for (const Slot* slot : slots) carries.push_back(slot->carry);
  for (Slot* slot : slots) slot->carry = next_carry(slot->group, slot->carry, ++slot->steps);
  try {
    update_all(slots);
  } catch (...) {
    for (size_t k = 0; k < slots.size(); ++k) {
      --slots[k]->steps;
      slots[k]->carry = carries[k];
    }
    throw;
  }
}

void Optimizer::step() {
  const NoGrad no_grad;
  Slots f32_slots, f64_slots;
  f32_slots.reserve(slots_.size());
  for (Slot& slot : slots_) {
    const Tensor &p = slot.parameter, g = p.grad();
    if (!g.defined()) continue;
    SLOPE_CHECK_SHAPE(g.shape() == p.shape(), "optimizer: {} has shape {}, its gradient {}",
                      slot.name, p.shape(), g.shape());
    SLOPE_CHECK_DTYPE(g.dtype() == p.dtype(), "optimizer: {} is {}, its gradient {}", slot.name,
                      name(p.dtype()), name(g.dtype()));
    SLOPE_CHECK_AS(UsageError, p.is_contiguous(), "optimizer: {} is not contiguous", slot.name);
    for (const Tensor& s : slot.state)
      SLOPE_CHECK_DTYPE(s.dtype() == p.dtype(),
                        "optimizer: {} became {} after the optimizer was made; make a new one",
                        slot.name, name(p.dtype()));
    (p.dtype() == f32 ? f32_slots : f64_slots).push_back(&slot);
  }
  run(f32_slots);
  run(f64_slots);
  grad_factor_ = 1;
}

NamedTensors Optimizer::state_dict() const {
  NamedTensors all;
  for (const Slot& slot : slots_) {
    if (slot.steps == 0) continue;
    all.push_back({slot.name + ".step", tensor(slot.steps)});
    const auto kinds = state_of(slot.group, slot.parameter);
    for (size_t k = 0; k < slot.state.size(); ++k)
      all.push_back({fmt::format("{}.{}", slot.name, kinds[k].name), slot.state[k]});
  }
  return all;
}

void Optimizer::load_state_dict(const NamedTensors& state) {
  std::map<std::string, const Tensor*> given;
  for (const auto& [name, x] : state) given[name] = &x;
  const auto take = [&given](const std::string& name, const Dims& shape) {
    const auto found = given.find(name);
    SLOPE_CHECK_INPUT(found != given.end(), "optimizer state: {} is missing", name);
    const Tensor& x = *found->second;
    SLOPE_CHECK_INPUT(x.shape() == shape, "optimizer state: {} has shape {}, expected {}", name,
                      x.shape(), shape);
    given.erase(found);
    return x;
  };
  struct Loaded {
    int64_t steps = 0;
    Tensors state;  // empty if the parameter has had no step
  };
  std::vector<Loaded> loaded;
  for (const Slot& slot : slots_) {
    Loaded& l = loaded.emplace_back();
    if (!given.contains(slot.name + ".step")) continue;
    const Tensor steps = take(slot.name + ".step", {});
    SLOPE_CHECK_INPUT(steps.dtype() == i64 && steps.item<int64_t>() > 0 &&
                          steps.item<int64_t>() < int64_t{1} << 53,
                      "optimizer state: {}.step must be an integer above 0 and below 2^53",
                      slot.name);
    l.steps = steps.item<int64_t>();
    const auto kinds = state_of(slot.group, slot.parameter);
    for (size_t k = 0; k < kinds.size(); ++k) {
      const char* kind = kinds[k].name;
      l.state.push_back(take(fmt::format("{}.{}", slot.name, kind), slot.state[k].shape()));
      SLOPE_CHECK_INPUT(is_floating(l.state.back().dtype()),
                        "optimizer state: {}.{} is {}, expected {}", slot.name, kind,
                        name(l.state.back().dtype()), name(slot.parameter.dtype()));
    }
  }
  SLOPE_CHECK_INPUT(given.empty(), "optimizer state: {} belongs to no parameter of this optimizer",
                    given.begin()->first);
  Tensors from, to;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (loaded[i].state.empty()) continue;
    from.insert(from.end(), loaded[i].state.begin(), loaded[i].state.end());
    to.insert(to.end(), slots_[i].state.begin(), slots_[i].state.end());
  }
  copy_each(from, to);  // before the states without steps are cleared: they may be in `from`
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    slot.steps = loaded[i].steps;
    slot.carry = 1;
    for (int64_t t = 1; t <= slot.steps; ++t) {
      const double before = slot.carry;
      slot.carry = next_carry(slot.group, before, t);
      if (slot.carry == before) break;  // the optimizer has no carry, or it has fallen to 0
    }
    const auto kinds = state_of(slot.group, slot.parameter);
    for (size_t k = 0; slot.steps == 0 && k < kinds.size(); ++k)
      fill(slot.state[k], kinds[k].start);
  }
}

}  // namespace slope::optim
