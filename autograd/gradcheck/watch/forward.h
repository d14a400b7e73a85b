// Watches the operations of a function's forward, for messages: which one made a value that is not
// finite, and where the tape is cut.
#pragma once

#include <slope/autograd/observer.h>

namespace slope {

// Describes the operation that made the value `bad` (nan or infinite) in output k: the first one
// without such a value in its inputs.
std::string source_of(const std::function<Tensors()>& f, size_t k, double bad);

// The operation that took a tensor with requires_grad but was not recorded, because gradients are
// off there (NoGrad): "mul in module encoder". Empty if there is none.
std::string unrecorded(const std::function<Tensors()>& f);

// Whether any tensor of the operations that it sees is float32, to which values are
// rounded.
struct SeesFloat32 : Observer {
  bool found = false;
  bool sees_contributions() const override { return false; }
  void recorded(const Recorded& made) override;
};

}  // namespace slope
