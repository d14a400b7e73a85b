// The products of queries, keys and values in differentiable operations, for the reference of
// attention. Private to autograd/ops.
#pragma once

#include <slope/autograd/ops.h>

namespace slope {

// The two products of attention, scores = q k^T and o = w v. A masked pair of a query and a key has
// the weight 0; where a number is not finite, 0 times it would be nan: then each pair is multiplied
// apart, with zeros where it is masked.
class PairProducts {
 public:
  PairProducts(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& allowed)
      : q_(q), k_(k), v_(v) {
    if (!allowed.defined() || (all(isfinite(q)) && all(isfinite(k)) && all(isfinite(v)))) return;
    Dims pairs = q.shape();
    pairs.back() = k.size(-2);
    masked_ = !allowed.expand(pairs);
  }
  Tensor scores() const {
    if (!masked_.defined()) return matmul(q_, k_.transpose(-2, -1));
    return sum(of_pairs(q_.unsqueeze(-2)) * of_pairs(k_.unsqueeze(-3)), {-1});
  }
  Tensor output(const Tensor& w) const {
    if (!masked_.defined()) return matmul(w, v_);
    return sum(w.unsqueeze(-1) * of_pairs(v_.unsqueeze(-3)), {-2});
  }

 private:
  Tensor of_pairs(const Tensor& x) const {  // (*, L or 1, S or 1, E) -> (*, L, S, E)
    Dims shape = masked_.shape();
    shape.push_back(x.size(-1));
    return masked_fill(x.expand(shape), masked_.unsqueeze(-1), 0);
  }
  Tensor q_, k_, v_, masked_;
};

}  // namespace slope
