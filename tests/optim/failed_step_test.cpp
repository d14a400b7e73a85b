// A step for which the memory does not suffice.
#include <doctest/doctest.h>
#include <slope/autograd/ops.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/memory/memory.h>
#include <slope/core/tensor/factories.h>
#include <slope/optim/elementwise/adamw.h>
#include <slope/optim/elementwise/nadam.h>
#include <slope/optim/elementwise/sgd.h>
#include <slope/optim/whole/adafactor.h>
#include <slope/optim/whole/muon.h>

#include <memory>

using namespace slope;
using namespace slope::optim;

namespace {

using Made = std::unique_ptr<Optimizer>;
using Make = Made (*)(const NamedTensors& parameters);

// The weights and the optimizer's state after three steps. If so asked, each step is tried again
// and again: its first allocation fails, then its second, …, until it succeeds.
std::string trained(Make make, bool fails) {
  manual_seed(3);
  const NamedTensors parameters = {{"w", randn({4, 3}).set_requires_grad()}};
  const Made optimizer = make(parameters);
  const auto text = [&] {
    NamedTensors all = optimizer->state_dict();
    all.push_back(parameters[0]);
    return format_safetensors(all);
  };
  const auto step_fails = [&](int64_t allocation) {
    memory::fail_allocation(allocation);
    bool failed = false;
    try {
      optimizer->step();
    } catch (const MemoryError&) {
      failed = true;
    }
    memory::fail_allocation(0);
    return failed;
  };
  for (int step = 0; step < 3; ++step) {
    // not contiguous, so that every optimizer has to copy it
    parameters[0].tensor.set_grad(transpose(randn({3, 4}), 0, 1));
    const std::string before = text();
    int64_t allocation = fails ? 1 : 0;  // 0: none
    for (; step_fails(allocation); ++allocation) CHECK(text() == before);
    CHECK((allocation > 1) == fails);
  }
  return text();
}

}  // namespace

TEST_CASE("optimizers: a step that fails for lack of memory changes nothing and can be repeated") {
  const Make kinds[] = {
      [](const NamedTensors& ps) { return Made(new SGD(ps, {.lr = 0.1, .momentum = 0.9})); },
      [](const NamedTensors& ps) { return Made(new AdamW(ps)); },
      [](const NamedTensors& ps) { return Made(new NAdam(ps)); },
      [](const NamedTensors& ps) { return Made(new Adafactor(ps)); },
      [](const NamedTensors& ps) { return Made(new Muon(ps)); }};
  for (const Make make : kinds) CHECK(trained(make, true) == trained(make, false));
}
