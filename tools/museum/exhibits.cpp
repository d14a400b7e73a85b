// The list of the exhibits.
#include <slope/core/text/spelling.h>
#include <slope/tools/museum/exhibits/constant_row.h>
#include <slope/tools/museum/exhibits/dropout_default.h>
#include <slope/tools/museum/exhibits/dropout_twice.h>
#include <slope/tools/museum/exhibits/dropped_map.h>
#include <slope/tools/museum/exhibits/dropped_mask.h>
#include <slope/tools/museum/exhibits/einsum_index.h>
#include <slope/tools/museum/exhibits/foreign_block.h>
#include <slope/tools/museum/exhibits/inverted_mask.h>
#include <slope/tools/museum/exhibits/key_length.h>
#include <slope/tools/museum/exhibits/key_residual.h>
#include <slope/tools/museum/exhibits/left_mode.h>
#include <slope/tools/museum/exhibits/masked_row.h>
#include <slope/tools/museum/exhibits/memory_mask.h>
#include <slope/tools/museum/exhibits/one_projection.h>
#include <slope/tools/museum/exhibits/pad_position.h>
#include <slope/tools/museum/exhibits/score_scale.h>
#include <slope/tools/museum/exhibits/second_path.h>
#include <slope/tools/museum/exhibits/swapped_masks.h>
#include <slope/tools/museum/exhibits/unscaled_embedding.h>
#include <slope/tools/museum/exhibits/unscaled_steps.h>
#include <slope/tools/museum/refused.h>

#include <algorithm>

namespace slope::museum {

namespace {

std::vector<Exhibit> list() {
  const std::string post = "a blog post on the Transformer", medium = "a post on Medium",
                    slides = "the slides of a course", notebook = "a notebook";
  std::vector<Exhibit> all = {
      {.id = "einsum-index",
       .mistake = "values are summed over an index of their own",
       .from = post,
       .fix = "einsum(\"bhqk,bkhd->bqhd\", {weights, v})",
       .detector = "einsum",
       .show = einsum_index::show},
      {.id = "key-residual",
       .mistake = "the residual sum adds the keys (with einsum-index)",
       .from = post,
       .fix = "norm(x + attention(x, memory, mask))",
       .detector = "ignored-input",
       .show = key_residual::show},
      {.id = "swapped-masks",
       .mistake = "the decoder's two attentions have each other's mask",
       .from = post,
       .fix = "self(x, x, self_mask), cross(x, memory, cross_mask)",
       .detector = "causality",
       .show = swapped_masks::show},
      {.id = "key-length",
       .mistake = "the merged heads are reshaped to the keys' length",
       .from = post,
       .fix = "reshape({B, query.size(1), C}), as nn::merge_heads does",
       .detector = "lengths",
       .show = key_length::show},
      {.id = "dropout-default",
       .mistake = "a dropout layer is made without its rate",
       .from = post,
       .fix = "nn::Dropout(c.dropout)",
       .detector = "train-eval",
       .show = dropout_default::show},
      {.id = "dropout-twice",
       .mistake = "embeddings are dropped by the encoding and by the encoder",
       .from = post,
       .fix = "drop in one place",
       .why = "two dropout layers equal one with a larger rate, which may be intended",
       .show = dropout_twice::show},
      {.id = "score-scale",
       .mistake = "scores are divided by sqrt(d_model)",
       .from = post,
       .fix = "1 / sqrt(d_model / n_heads), attend()'s default",
       .why = "any scale is a valid function; only the paper says which",
       .show = score_scale::show},
      {.id = "unscaled-embedding",
       .mistake = "small embeddings are added to sinusoids without the factor sqrt(d_model)",
       .from = notebook,
       .fix = "table(ids) * sqrt(d_model), or a table of variance 1",
       .why = "the table can learn the factor: slow, not wrong",
       .show = unscaled_embedding::show},
      {.id = "memory-mask",
       .mistake = "the decoder attends to the source without a mask",
       .from = slides,
       .fix = "cross(x, memory, nn::Mask::padding(source, pad))",
       .detector = "padding",
       .show = memory_mask::show},
      {.id = "one-projection",
       .mistake = "one projection makes queries, keys and values",
       .from = slides + ", and " + notebook,
       .fix = "query(x), key(memory), value(memory)",
       .detector = "unused-parameter",
       .show = one_projection::show},
      {.id = "pad-position",
       .mistake = "padding shares the last position (with memory-mask)",
       .from = slides,
       .fix = "positions go on through the padding; masks keep it out",
       .why = "that two tokens share a row is what tables are for",
       .show = pad_position::show},
      {.id = "dropped-mask",
       .mistake = "masked_fill's result is discarded",
       .from = notebook,
       .fix = "scores = masked_fill(scores, …), or nn::attend with a mask",
       .detector = "causality",
       .show = dropped_mask::show},
      {.id = "inverted-mask",
       .mistake = "the look-ahead mask is true where attention must not go",
       .from = medium,
       .fix = "nn::Mask::causal(T)",
       .detector = "causality",
       .show = inverted_mask::show},
      {.id = "uniform-row",
       .mistake = "scores of padding are filled with -1e9",
       .from = medium + ", and " + notebook,
       .fix = "nn::attend: a query without keys gets zeros",
       .detector = "masked-rows",
       .show = masked_row::show_uniform},
      {.id = "nan-row",
       .mistake = "scores of padding are filled with -inf",
       .from = post + ", and " + slides,
       .fix = "nn::attend: a query without keys gets zeros",
       .detector = "masked-rows",
       .show = masked_row::show_nan},
      {.id = "foreign-block",
       .mistake = "a block calls an object of an earlier notebook cell",
       .from = notebook,
       .fix = "call the member",
       .detector = "foreign-parameter",
       .show = foreign_block::show},
      {.id = "constant-row",
       .mistake = "the derivative of a standard deviation at 0 is 0 / 0",
       .from = medium + ", and " + notebook,
       .fix = "nn::standardize, whose derivative there is 0",
       .why = "it takes a row of equal values, which your data may never have",
       .show = constant_row::show},
      {.id = "dropped-map",
       .mistake = "attention's map is saved after dropout",
       .from = medium + ", and " + notebook,
       .fix = "nn::CaptureAttention: weights before dropout",
       .why = "a map is a picture: nothing is computed from it",
       .show = dropped_map::show},
      {.id = "second-path",
       .mistake = "evaluation has a faster path, with zeros for padding",
       .from = slides + ", through PyTorch's layers",
       .fix = "one path for both",
       .detector = "train-eval",
       .show = second_path::show},
      {.id = "left-mode",
       .mistake = "translate() leaves the model in evaluation",
       .from = slides,
       .fix = "const nn::EvalMode eval_mode; in its scope",
       .detector = "mode",
       .show = left_mode::show},
      {.id = "unscaled-steps",
       .mistake = "mean losses of micro-batches are added; the step comes at i % k == 0",
       .from = "the annotated Transformer",
       .fix = "divide by k; step after k of them",
       .detector = "accumulation",
       .show = unscaled_steps::show},
  };
  for (Exhibit& exhibit : refused()) all.push_back(std::move(exhibit));
  return all;
}

}  // namespace

std::span<const Exhibit> exhibits() {
  static const std::vector<Exhibit> all = list();
  return all;
}

const Exhibit& exhibit_named(const std::string& id) {
  std::vector<std::string> ids;
  for (const Exhibit& e : exhibits()) {
    if (e.id == id) return e;
    ids.push_back(e.id);
  }
  throw UsageError(fmt::format("museum: no exhibit is called {}{}; slope museum lists them", id,
                               did_you_mean(id, ids)));
}

}  // namespace slope::museum
