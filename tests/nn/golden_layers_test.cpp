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

const Functions& functions() {
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

const Layers& layers() {
  static const Layers all = [] {
    Layers table = pooling();
    table.merge(weighted_layers());
    table.merge(losses());
    return table;
  }();
  return all;
}

Tolerance tolerance(const std::string& name, DType dtype) {
  // two positions are +-1 when normalised, and the terms of their derivative cancel
  const bool two = name.ends_with(".one") || name.ends_with(".two");
  const bool cancels =
      two && (name.starts_with("instance_norm") || name.starts_with("InstanceNorm"));
  return {dtype == f64 ? 1e-12 : 5e-6, !cancels ? 0 : dtype == f64 ? 1e-15 : 1e-6};
}

}  // namespace

TEST_CASE("golden layers: values and gradients are PyTorch's in f64") {
  check_module_cases("layers", f64, functions(), layers(), tolerance);
}
TEST_CASE("golden layers: values and gradients are PyTorch's in f32") {
  check_module_cases("layers", f32, functions(), layers(), tolerance);
}

TEST_CASE("golden layers: at least four cases each; the printed texts are PyTorch's") {
  check_case_counts("layers", functions(), layers(), 4);
}

TEST_CASE("dropouts: whole channels, and means and variances that stay") {
  manual_seed(5);
  const Tensor x = randn({1000, 8, 4});
  const auto share_of_zeros = [](const Tensor& y) { return mean(to(y == 0, f32)).item(); };
  const Tensor channels = Dropout1d{0.25}(ones({1000, 8, 4}));
  CHECK(share_of_zeros(channels) == doctest::Approx(0.25).epsilon(0.05));
  CHECK(equal(amax(channels, {2}), amin(channels, {2})));
  for (const Tensor& y : {AlphaDropout{0.3}(x), FeatureAlphaDropout{0.3}(x)}) {
    CHECK(std::abs(mean(y).item()) < 0.03);
    CHECK(slope::std(y).item() == doctest::Approx(1).epsilon(0.03));
  }
  const AlphaDropout layer{0.5};
  eval(layer);
  CHECK(equal(layer(x), x));
  CHECK(nn::to_string(layer) == "AlphaDropout(p=0.5, inplace=False)");
  const auto refused = [](const auto& make, const char* who) {
    for (const double p : {-0.1, 1.1})
      CHECK_THROWS_WITH_AS(
          make(p),
          fmt::format("{}: dropout probability has to be between 0 and 1, but got {}", who, p)
              .c_str(),
          UsageError);
    (void)make(0), (void)make(1);
  };
  refused([](double p) { return Dropout(p); }, "Dropout");
  refused([](double p) { return Dropout1d(p); }, "Dropout1d");
  refused([](double p) { return AlphaDropout(p); }, "AlphaDropout");
  refused([](double p) { return FeatureAlphaDropout(p); }, "FeatureAlphaDropout");
  CHECK(nn::to_string(Dropout1d()) == "Dropout1d(p=0.5, inplace=False)");
  CHECK(nn::to_string(FeatureAlphaDropout()) == "FeatureAlphaDropout(p=0.5, inplace=False)");
}

TEST_CASE("max_unpool1d: of overlapping windows with one largest element, it comes back once") {
  const Tensor x = tensor({{0, 5, 0, 0}}, f64).set_requires_grad();
  const auto [values, indices] = max_pool1d_with_indices(x, 3, {.stride = 1});
  const Tensor y = max_unpool1d(values, indices, 4);
  CHECK(y.to_vector() == std::vector<double>{0, 5, 0, 0});
  const Tensor both = tensor({{7, 8, 9}}, f64).set_requires_grad();
  const Tensor z = max_unpool1d(both, tensor({{1, 0, 1}}), 3);
  CHECK(z.to_vector() == std::vector<double>{8, 9, 0});
  z.backward(tensor({{10, 20, 30}}, f64));
  CHECK(both.grad().to_vector() == std::vector<double>{0, 10, 20});
}

TEST_CASE("gumbel_softmax: of equal probabilities one is chosen, over any dim") {
  for (const int64_t dim : {0, 1, -1, -2}) {
    const Tensor one = gumbel_softmax(full({3, 4}, 1e8), {.hard = true, .dim = dim});
    CAPTURE(dim);
    CHECK(sum(one, {dim}).to_vector() == std::vector<double>(dim % 2 == 0 ? 4 : 3, 1.0));
  }
}

TEST_CASE("gumbel_softmax: samples come as often as softmax says, with the soft gradient") {
  manual_seed(6);
  const Tensor logits = log(tensor({0.1, 0.2, 0.7})).expand({20000, 3});
  const Tensor often = mean(gumbel_softmax(logits, {.tau = 0.5, .hard = true}), {0});
  CHECK(often.to_vector()[0] == doctest::Approx(0.1).epsilon(0.1));
  CHECK(often.to_vector()[2] == doctest::Approx(0.7).epsilon(0.03));
  const auto gradient = [](bool hard) {
    manual_seed(7);
    const Tensor x = tensor({1.0, 2.0, 0.5}).set_requires_grad();
    gumbel_softmax(x, {.hard = hard}).select(0, 1).backward();
    return x.grad().to_vector();
  };
  CHECK(gradient(true) == gradient(false));
}

TEST_CASE("ParameterDict: names, printed text, parameters by name") {
  const ParameterDict dict({{"a", ones({2, 3})}, {"b", ones({1})}});
  CHECK(nn::to_string(dict) ==
        "ParameterDict(\n"
        "    (a): Parameter containing: [torch.FloatTensor of size 2x3]\n"
        "    (b): Parameter containing: [torch.FloatTensor of size 1]\n)");
  CHECK(named_parameters(dict)[1].name == "b");
  CHECK(dict["a"].shape() == Dims{2, 3});
  CHECK(clone(dict)["a"].to_vector() == std::vector<double>(6, 1));
  CHECK_THROWS_AS((void)dict["c"], UsageError);
  CHECK_THROWS_AS(ParameterDict({{"a.b", ones({1})}}), UsageError);
}

TEST_CASE("pooling, padding, bags: what does not fit is refused, by its name") {
  const auto refused = [](const std::string& name, const auto& call) {
    try {
      call();
      FAIL_CHECK("accepted: " << name);
    } catch (const Error& e) {
      CHECK_MESSAGE(std::string(e.what()).find(name) != std::string::npos, std::string(e.what()));
    }
  };
  const Tensor x = zeros({2, 3, 5}), ids = tensor({1, 0});
  refused("avg_pool1d", [&] { (void)avg_pool1d(x, 6); });
  refused("avg_pool1d", [&] { (void)avg_pool1d(zeros({5}), 2); });
  refused("max_pool1d", [&] { (void)max_pool1d(x, 3, {.padding = 2}); });
  refused("lp_pool1d", [&] { (void)lp_pool1d(x, 0, 2); });
  refused("adaptive_avg_pool1d", [&] { (void)adaptive_avg_pool1d(x, 0); });
  refused("adaptive_max_pool1d", [&] { (void)adaptive_max_pool1d(zeros({2, 0}), 1); });
  refused("max_unpool1d", [&] { (void)max_unpool1d(x, zeros({2, 3}, i64), 9); });
  refused("max_unpool1d", [&] { (void)max_unpool1d(x, zeros({2, 3, 5}, i64), 0); });
  refused("pad", [&] { (void)nn::pad(x, {5, 0}, PadMode::reflect); });
  refused("pad", [&] { (void)nn::pad(x, {6, 0}, PadMode::circular); });
  refused("batch_norm", [&] { (void)batch_norm(x, {}); });
  refused("batch_norm", [&] { (void)batch_norm(zeros({1, 3}), {.training = true}); });
  refused("BatchNorm1d", [&] { (void)BatchNorm1d(4)(x); });
  const BatchNorm1d norm(3);
  refused("BatchNorm1d", [&] { (void)norm(zeros({2, 3, 5, 5})); });
  refused("BatchNorm1d", [&] { (void)norm(zeros({3})); });
  refused("batch_norm", [&] { (void)norm(zeros({1, 3})); });
  CHECK(norm.num_batches_tracked->item() == 0);
  (void)norm(x);
  CHECK(norm.num_batches_tracked->item() == 1);
  refused("instance_norm", [&] { (void)instance_norm(zeros({2, 3, 1})); });
  refused("embedding_bag", [&] { (void)embedding_bag(ids, zeros({3, 2})); });
  refused("embedding_bag", [&] { (void)embedding_bag(ids, zeros({3, 2}), {.offsets = ids}); });
  const auto bags = [&](const Tensor& offsets) {
    (void)embedding_bag(ids, zeros({3, 2}), {.offsets = offsets});
  };
  refused("embedding_bag: offsets", [&] { bags(tensor({0.0, 1.7})); });
  refused("embedding_bag: offsets", [&] { bags(tensor({{0, 1}, {1, 2}})); });
  refused("embedding_bag: offsets", [&] { bags(tensor(0)); });
  CHECK(embedding_bag(ids, ones({3, 2}), {.offsets = tensor({0, 1})}).shape() == Dims{2, 2});
  refused("one_hot", [&] { (void)one_hot(tensor({3}), 2); });
  refused("conv_transpose1d", [&] { (void)conv_transpose1d(x, zeros({4, 2, 3})); });
  refused("conv_transpose1d", [&] {
    (void)conv_transpose1d(x, zeros({3, 2, 3}), {}, {.output_padding = 1});
  });
  for (const Dims& shape : {Dims{1}, Dims{}, Dims{1, 2}, Dims{2, 1}, Dims{4}}) {
    refused("conv_transpose1d: bias", [&] {
      (void)conv_transpose1d(x, zeros({3, 2, 3}), ones(shape));
    });
    refused("conv1d: bias", [&] { (void)conv1d(x, zeros({2, 3, 3}), ones(shape)); });
    refused("bilinear: bias", [&] { (void)bilinear(x, x, zeros({2, 5, 5}), ones(shape)); });
  }
  CHECK(conv1d(x, zeros({2, 3, 5}), tensor({1.0, 2.0})).to_vector() ==
        std::vector<double>{1, 2, 1, 2});
  refused("conv_transpose1d: dtypes differ: bias", [&] {
    (void)conv_transpose1d(x, zeros({3, 2, 3}), ones({2}, f64));
  });
  refused("conv1d: dtypes", [&] { (void)conv1d(x, zeros({2, 3, 3}), ones({2}, i64)); });
  refused("bilinear: dtypes", [&] { (void)bilinear(x, x, zeros({2, 5, 5}), ones({2}, f64)); });
  const Tensor three = ones({3}), wide = ones({3}, f64);
  refused("group_norm: dtypes", [&] { (void)group_norm(x, 3, wide); });
  refused("group_norm: dtypes", [&] { (void)group_norm(x, 3, three, wide); });
  for (const bool training : {false, true}) {
    refused("batch_norm: dtypes differ: running_mean", [&] {
      (void)batch_norm(x, {wide, three, training});
    });
    refused("batch_norm: dtypes differ: running_var", [&] {
      (void)batch_norm(x, {three, wide, training});
    });
    refused("batch_norm: dtypes differ: bias", [&] {
      (void)batch_norm(x, {three, three, training}, three, wide);
    });
  }
  refused("prelu: dtypes", [&] { (void)prelu(x, wide); });
  refused("embedding_bag: dtypes", [&] {
    (void)embedding_bag(tensor({{1, 0}}), zeros({3, 2}),
                        {.mode = BagMode::sum, .per_sample_weights = ones({1, 2}, f64)});
  });
  refused("pdist", [&] { (void)pdist(x); });
  refused("gumbel_softmax", [&] { (void)gumbel_softmax(x, {.tau = 0}); });
}
