// Watches the operations of a function's forward, for messages: which one made a value that is not
// finite, and whether one is float32.
#pragma once

#include <slope/autograd/observer.h>

namespace slope {

// Describes the operation that made the value `bad` (nan or infinite) in output k: the first one
// without such a value in its inputs. A nan that comes from infinities has their source.
std::string source_of(const std::function<Tensors()>& f, size_t k, double bad);

// The coarsest dtype to which the operations that it sees round values.
struct SeesRounding : Observer {
  DType coarsest = f64;
  bool sees_contributions() const override { return false; }
  void recorded(const Recorded& made) override;
};

}  // namespace slope
