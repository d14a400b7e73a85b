// y = W[ids]: a row of the table for each id. With max_norm, each call first limits the norm of
// every row that it picks, in place and for good.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/functional/layers.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct EmbeddingOptions {
  int64_t padding_idx = -1;  // this row starts at zero and gets no gradient; -1: none
  std::optional<double> max_norm = {};
  double norm_type = 2;  // the p of that norm
};

struct Embedding {
  Parameter weight;  // (number, dim)
  int64_t padding_idx;
  std::optional<double> max_norm;
  double norm_type;

  Embedding(int64_t number, int64_t dim, EmbeddingOptions options = {})
      : weight(Dims{number, dim}), padding_idx(options.padding_idx), max_norm(options.max_norm),
        norm_type(options.norm_type) {
    SLOPE_CHECK_INDEX(padding_idx >= -1 && padding_idx < number,
                      "Embedding: padding_idx {} is not one of {} rows", padding_idx, number);
    init::normal(weight);
    if (padding_idx >= 0) init::zeros(weight.detach().select(0, padding_idx));
  }
  // (*) -> (*, dim)
  Tensor forward(const Tensor& ids) const {
    if (max_norm) embedding_renorm(weight, ids, *max_norm, norm_type);
    return embedding(ids, weight, padding_idx);
  }

  std::string extra_repr() const {
    return fmt::format("{}, {}{}{}{}", weight.size(0), weight.size(1),
                       padding_idx >= 0 ? fmt::format(", padding_idx={}", padding_idx) : "",
                       max_norm ? ", max_norm=" + python(*max_norm) : "",
                       norm_type != 2 ? ", norm_type=" + python(norm_type) : "");
  }
  Embedding blank() const {
    return Embedding(weight.size(0), weight.size(1), {padding_idx, max_norm, norm_type});
  }
  SLOPE_MODULE(Embedding, weight)
};

}  // namespace slope::nn
