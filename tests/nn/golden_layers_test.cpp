// Pooling, padding, norms over batches, bags, transposed convolutions, and losses as modules,
// against PyTorch (tests/golden/layers.py says what the cases are).
#include <slope/tests/nn/golden_modules.h>

#include <cmath>

using namespace slope;
using namespace slope::nn;
using namespace slope::test;

namespace {

AvgPoolOptions avg_options(A a) {
  return {.stride = a.integer("stride"),
          .padding = a.integer("padding"),
          .ceil_mode = a.flag("ceil_mode"),
          .count_include_pad = a.word("count_include_pad", "true") == "true"};
}
MaxPoolOptions max_options(A a) {
  return {.stride = a.integer("stride"),
          .padding = a.integer("padding"),
          .dilation = a.integer("dilation", 1),
          .ceil_mode = a.flag("ceil_mode")};
}
LpPoolOptions lp_options(A a) { return {a.integer("stride"), a.flag("ceil_mode")}; }
BagMode bag_mode(A a) {
  const std::string word = a.word("mode");
  return word == "sum" ? BagMode::sum : word == "max" ? BagMode::max : BagMode::mean;
}
ConvTranspose1dOptions transpose_options(A a) {
  return {.stride = a.integer("stride", 1),
          .padding = a.integer("padding"),
          .output_padding = a.integer("output_padding"),
          .groups = a.integer("groups", 1),
          .dilation = a.integer("dilation", 1)};
}

const Functions& layer_functions() {
  static const Functions table = {
      {"avg_pool1d",
       [](X x, A a) { return avg_pool1d(x[0], a.integer("kernel_size"), avg_options(a)); }},
      {"max_pool1d",
       [](X x, A a) { return max_pool1d(x[0], a.integer("kernel_size"), max_options(a)); }},
      {"lp_pool1d",
       [](X x, A a) {
         return lp_pool1d(x[0], a.number("norm_type"), a.integer("kernel_size"), lp_options(a));
       }},
      {"adaptive_avg_pool1d",
       [](X x, A a) { return adaptive_avg_pool1d(x[0], a.integer("output_size")); }},
      {"adaptive_max_pool1d",
       [](X x, A a) { return adaptive_max_pool1d(x[0], a.integer("output_size")); }},
      {"max_unpool1d",
       [](X x, A a) { return max_unpool1d(x[0], x[1], x[0].size(-1) * a.integer("kernel_size")); }},
      {"pad",
       [](X x, A a) {
         const std::string word = a.word("mode");
         return nn::pad(x[0], a.dims("pad"),
                        word == "reflect"    ? PadMode::reflect
                        : word == "circular" ? PadMode::circular
                                             : PadMode::replicate);
       }},
      {"batch_norm",
       [](X x, A) {
         return batch_norm(x[0], {.running_mean = x[1], .running_var = x[2]}, x[3], x[4]);
       }},
      {"instance_norm", [](X x, A) { return instance_norm(x[0]); }},
      {"embedding_bag",
       [](X x, A a) {
         return embedding_bag(x[0], x[1],
                              {.mode = bag_mode(a),
                               .padding_idx = a.integer("padding_idx", -1),
                               .offsets = x.size() > 2 ? x[2] : Tensor()});
       }},
      {"conv_transpose1d",
       [](X x, A a) { return conv_transpose1d(x[0], x[1], {}, transpose_options(a)); }},
      {"conv_tbc", [](X x, A a) { return conv_tbc(x[0], x[1], x[2], a.integer("pad")); }},
      {"pdist", [](X x, A a) { return pdist(x[0], a.number("p", 2)); }},
      {"one_hot", [](X x, A a) { return one_hot(x[0], a.integer("num_classes")); }},
      {"triplet_margin_with_distance_loss",
       [](X x, A a) {
         return triplet_margin_with_distance_loss(
             x[0], x[1], x[2],
             {.reduction = reduction(a), .margin = a.number("margin", 1), .swap = a.flag("swap")});
       }},
  };
  return table;
}

// The weights of a loss, "weight:4+pos_weight:3": places for the golden file's.
Tensor weight_of(A a, const std::string& name) {
  std::istringstream all(a.word("sizes"));
  for (std::string item; std::getline(all, item, '+');)
    if (item.starts_with(name + ":")) return ones({std::stoll(item.substr(name.size() + 1))});
  return {};
}
BceOptions bce_options(A a) {
  return {reduction(a), weight_of(a, "weight"), weight_of(a, "pos_weight")};
}
CrossEntropyOptions class_options(A a) {
  return {.label_smoothing = a.number("label_smoothing"), .reduction = reduction(a)};
}

Made batch_norm_module(A a) {
  std::optional<double> momentum = a.number("momentum", 0.1);
  if (a.flag("cumulative")) momentum.reset();
  Made m =
      made(BatchNorm1d(a.integer("features"),
                       {.momentum = momentum,
                        .affine = a.word("affine", "true") == "true",
                        .bias = a.word("bias", "true") == "true",
                        .track_running_stats = a.word("track_running_stats", "true") == "true"}));
  train(m.ref, a.flag("train"));
  return m;
}

Layers pooling() {
  return {
      {"AvgPool1d", [](A a) { return made(AvgPool1d(a.integer("kernel"), avg_options(a))); }},
      {"MaxPool1d", [](A a) { return made(MaxPool1d(a.integer("kernel"), max_options(a))); }},
      {"LPPool1d", [](A a) { return made(LPPool1d(2, 3, lp_options(a))); }},
      {"AdaptiveAvgPool1d", [](A a) { return made(AdaptiveAvgPool1d{a.integer("size")}); }},
      {"AdaptiveMaxPool1d", [](A a) { return made(AdaptiveMaxPool1d{a.integer("size")}); }},
      {"MaxUnpool1d", [](A a) { return made(MaxUnpool1d(a.integer("kernel"))); }},
      {"ConstantPad1d", [](A a) { return made(ConstantPad1d(a.dims("padding"), 3.5)); }},
      {"ZeroPad1d", [](A a) { return made(ZeroPad1d{a.dims("padding")}); }},
      {"ReflectionPad1d", [](A a) { return made(ReflectionPad1d{a.dims("padding")}); }},
      {"ReplicationPad1d", [](A a) { return made(ReplicationPad1d{a.dims("padding")}); }},
      {"CircularPad1d", [](A a) { return made(CircularPad1d{a.dims("padding")}); }},
  };
}

Layers weighted_layers() {
  return {
      {"BatchNorm1d", batch_norm_module},
      {"InstanceNorm1d",
       [](A a) {
         return made(InstanceNorm1d(a.integer("features"), {.affine = a.flag("affine")}));
       }},
      {"EmbeddingBag",
       [](A a) {
         return made(EmbeddingBag(
             a.integer("number"), a.integer("dim"), bag_mode(a),
             {.padding_idx = a.integer("padding_idx", -1), .max_norm = given(a, "max_norm")}));
       }},
      {"ConvTranspose1d",
       [](A a) {
         const Dims n = a.dims("sizes");
         return made(ConvTranspose1d(n[0], n[1], n[2], transpose_options(a),
                                     a.word("bias", "true") == "true"));
       }},
      {"PairwiseDistance",
       [](A a) {
         return made(PairwiseDistance{a.number("p", 2), 1e-6, a.flag("keepdim")});
       }},
      {"CosineSimilarity", [](A a) { return made(CosineSimilarity{a.integer("dim", 1)}); }},
  };
}

Layers losses() {
  return {
      {"L1Loss", [](A a) { return made(L1Loss{reduction(a)}); }},
      {"MSELoss", [](A a) { return made(MSELoss{reduction(a)}); }},
      {"HuberLoss",
       [](A a) {
         return made(HuberLoss{{reduction(a), a.number("delta")}});
       }},
      {"SmoothL1Loss",
       [](A a) {
         return made(SmoothL1Loss{{reduction(a), a.number("beta")}});
       }},
      {"PoissonNLLLoss",
       [](A a) {
         return made(PoissonNLLLoss{{reduction(a), true, a.flag("full")}});
       }},
      {"GaussianNLLLoss",
       [](A a) {
         return made(GaussianNLLLoss{{reduction(a), a.flag("full")}});
       }},
      {"KLDivLoss", [](A a) { return made(KLDivLoss{{reduction(a)}}); }},
      {"SoftMarginLoss", [](A a) { return made(SoftMarginLoss{reduction(a)}); }},
      {"MultiLabelMarginLoss", [](A a) { return made(MultiLabelMarginLoss{reduction(a)}); }},
      {"MarginRankingLoss",
       [](A a) {
         return made(MarginRankingLoss{{reduction(a), a.number("margin")}});
       }},
      {"HingeEmbeddingLoss",
       [](A a) {
         return made(HingeEmbeddingLoss{{reduction(a), a.number("margin")}});
       }},
      {"CosineEmbeddingLoss",
       [](A a) {
         return made(CosineEmbeddingLoss{{reduction(a), a.number("margin")}});
       }},
      {"TripletMarginLoss",
       [](A a) {
         return made(TripletMarginLoss{{.reduction = reduction(a), .swap = a.flag("swap")}});
       }},
      {"TripletMarginWithDistanceLoss",
       [](A a) {
         return made(
             TripletMarginWithDistanceLoss{{.reduction = reduction(a), .swap = a.flag("swap")}});
       }},
      {"CrossEntropyLoss",
       [](A a) { return made(CrossEntropyLoss(class_options(a), weight_of(a, "weight"))); }},
      {"NLLLoss", [](A a) { return made(NLLLoss(class_options(a), weight_of(a, "weight"))); }},
      {"BCELoss", [](A a) { return made(BCELoss(bce_options(a))); }},
      {"BCEWithLogitsLoss", [](A a) { return made(BCEWithLogitsLoss(bce_options(a))); }},
      {"MultiLabelSoftMarginLoss",
       [](A a) {
         return made(MultiLabelSoftMarginLoss({reduction(a), weight_of(a, "weight")}));
       }},
      {"MultiMarginLoss",
       [](A a) {
         return made(MultiMarginLoss({.reduction = reduction(a),
                                      .margin = a.number("margin"),
                                      .weight = weight_of(a, "weight")}));
       }},
  };
}

const Layers& layer_modules() {
  static const Layers all = [] {
    Layers table = pooling();
    table.merge(weighted_layers());
    table.merge(losses());
    return table;
  }();
  return all;
}

Tolerance layer_tolerance(const std::string& name, DType dtype) {
  // two positions are +-1 when normalised, and the terms of their derivative cancel
  const bool two = name.ends_with(".one") || name.ends_with(".two");
  const bool cancels =
      two && (name.starts_with("instance_norm") || name.starts_with("InstanceNorm"));
  return {dtype == f64 ? 1e-12 : 5e-6, !cancels ? 0 : dtype == f64 ? 1e-15 : 1e-6};
}

}  // namespace

TEST_CASE("golden layers: values and gradients are PyTorch's in f64") {
  check_module_cases("layers", f64, layer_functions(), layer_modules(), layer_tolerance);
}
TEST_CASE("golden layers: values and gradients are PyTorch's in f32") {
  check_module_cases("layers", f32, layer_functions(), layer_modules(), layer_tolerance);
}

TEST_CASE("golden layers: at least four cases each; the printed texts are PyTorch's") {
  check_case_counts("layers", layer_functions(), layer_modules(), 4);
}
