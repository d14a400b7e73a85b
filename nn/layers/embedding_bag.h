// y_b = the sum, mean or largest of the rows W[ids of bag b]. With max_norm, each call first limits
// the norm of every row that it picks, in place and for good.
#pragma once

#include <slope/nn/functional/bags.h>
#include <slope/nn/functional/layers.h>
#include <slope/nn/init.h>
#include <slope/nn/layers/embedding.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct EmbeddingBag {
  Parameter weight;  // (number, dim)
  EmbeddingOptions rows;
  BagMode mode;

  EmbeddingBag(int64_t number, int64_t dim, BagMode mode = BagMode::mean,
               EmbeddingOptions options = {})
      : weight(Dims{number, dim}), rows(options), mode(mode) {
    SLOPE_CHECK_INDEX(rows.padding_idx >= -1 && rows.padding_idx < number,
                      "EmbeddingBag: padding_idx {} is not one of {} rows", rows.padding_idx,
                      number);
    init::normal(weight);
    if (rows.padding_idx >= 0) init::zeros(weight.detach().select(0, rows.padding_idx));
  }
  // ids (B, n), or (n) with the offsets (B) of the bags -> (B, dim)
  Tensor forward(const Tensor& ids, const Tensor& offsets = {},
                 const Tensor& per_sample_weights = {}) const {
    if (rows.max_norm) embedding_renorm(weight, ids, *rows.max_norm, rows.norm_type);
    return embedding_bag(ids, weight, {mode, rows.padding_idx, offsets, per_sample_weights});
  }

  std::string extra_repr() const {
    const char* names[] = {"sum", "mean", "max"};
    return fmt::format(
        "{}, {}{}{}, mode='{}'{}", weight.size(0), weight.size(1),
        rows.max_norm ? ", max_norm=" + python(*rows.max_norm) : "",
        rows.norm_type != 2 ? ", norm_type=" + python(rows.norm_type) : "",
        names[static_cast<int>(mode)],
        rows.padding_idx >= 0 ? fmt::format(", padding_idx={}", rows.padding_idx) : "");
  }
  EmbeddingBag blank() const { return EmbeddingBag(weight.size(0), weight.size(1), mode, rows); }
  SLOPE_MODULE(EmbeddingBag, weight)
};

}  // namespace slope::nn
