// y = W[ids]: a row of the table for each id.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>

namespace slope::nn {

struct EmbeddingOptions {
  int64_t padding_idx = -1;  // this row starts at zero and gets no gradient; -1: none
};

struct Embedding {
  Parameter weight;  // (number, dim)
  int64_t padding_idx;

  Embedding(int64_t number, int64_t dim, EmbeddingOptions options = {})
      : weight(Dims{number, dim}), padding_idx(options.padding_idx) {
    SLOPE_CHECK_INDEX(padding_idx >= -1 && padding_idx < number,
                      "Embedding: padding_idx {} is not one of {} rows", padding_idx, number);
    init::normal(weight);
    if (padding_idx >= 0) init::zeros(weight.detach().select(0, padding_idx));
  }
  // (*) -> (*, dim)
  Tensor forward(const Tensor& ids) const { return embedding(ids, weight, padding_idx); }

  std::string extra_repr() const {
    return fmt::format("{}, {}{}", weight.size(0), weight.size(1),
                       padding_idx >= 0 ? fmt::format(", padding_idx={}", padding_idx) : "");
  }
  Embedding blank() const {
    return Embedding(weight.size(0), weight.size(1), {.padding_idx = padding_idx});
  }
  SLOPE_MODULE(Embedding, weight)
};

}  // namespace slope::nn
