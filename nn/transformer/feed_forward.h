// y = W_2 drop(f(W_1 x + b_1)) + b_2, at each position separately (Vaswani et al., 2017, 3.3).
#pragma once

#include <slope/nn/layers/activations.h>
#include <slope/nn/layers/dropout.h>
#include <slope/nn/layers/linear.h>

namespace slope::nn {

struct FeedForwardOptions {
  double dropout = 0;
  Activation activation = Activation::relu;
  bool bias = true;
};

struct FeedForward {
  Linear linear1;  // (C) -> (F)
  Dropout dropout;
  Linear linear2;  // (F) -> (C)
  Activation activation;

  FeedForward(int64_t d_model, int64_t d_ff, FeedForwardOptions options = {})
      : linear1(d_model, d_ff, options.bias), dropout(options.dropout),
        linear2(d_ff, d_model, options.bias), activation(options.activation) {}
  Tensor forward(const Tensor& x) const {
    return linear2(dropout(activate(linear1(x), activation)));
  }  // (*, C) -> (*, C)

  FeedForward blank() const {
    return FeedForward(linear1.in_features(), linear1.out_features(),
                       {dropout.p, activation, linear1.bias.has_value()});
  }
  SLOPE_MODULE(FeedForward, linear1, dropout, linear2)
};

}  // namespace slope::nn
