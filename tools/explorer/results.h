// Observes operations and collects their outputs in order, named v1, v2, …, so that a trace can
// show the values.
#pragma once

#include <slope/autograd/observer.h>
#include <slope/core/tensor/named_tensor.h>

#include <fmt/format.h>

namespace slope::explorer {

struct Results : Observer {
  NamedTensors all;
  void recorded(const Recorded& r) override {
    if (r.node)
      for (const Tensor& output : r.outputs)
        all.push_back({fmt::format("v{}", all.size() + 1), output});
  }
};

}  // namespace slope::explorer
