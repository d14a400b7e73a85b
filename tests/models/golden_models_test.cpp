// The zoo's models against their definitions in PyTorch (tests/golden/models.py): parameters are
// loaded by name, then logits, loss, every gradient, and the losses of 20 optimizer steps; names,
// shapes and printed text at full size.
#include <doctest/doctest.h>
#include <slope/models/char_gpt.h>
#include <slope/models/mlp.h>
#include <slope/models/postnorm.h>
#include <slope/optim/clip.h>
#include <slope/optim/elementwise/adamw.h>
#include <slope/optim/elementwise/sgd.h>

#include <cmath>
#include <functional>

#include "../golden_cases.h"

using namespace slope;
using namespace slope::test;

namespace {

// What PyTorch's file NAME_f32 or NAME_f64 is compared with: a model of its sizes.
struct GoldenSubject {
  std::string name;
  DType dtype;
  nn::ModuleRef model;
  std::function<Tensor()> logits;
  std::function<Tensor(const Tensor& logits)> loss;  // mean
  std::function<void()> step;  // of the optimizer, with clipping where PyTorch's side has it

  // of differences, relative to each tensor's largest element
  double bound() const { return dtype == f64 ? 1e-11 : 1e-5; }
};

double largest_magnitude(const Tensor& x) {
  double found = 0;
  for (const double v : x.to_vector())
    found = std::isfinite(v) ? std::max(found, std::abs(v)) : INFINITY;
  return found;
}

void check_close(const GoldenSubject& s, const std::string& what, const Tensor& ours,
                 const Tensor& theirs, double scale = 0) {
  const std::string where = fmt::format("{} {}, {}", s.name, name(s.dtype), what);
  REQUIRE_MESSAGE(ours.defined(), where);
  REQUIRE_MESSAGE(ours.dtype() == theirs.dtype(), where);
  REQUIRE_MESSAGE(ours.shape() == theirs.shape(), where);
  const double error =
      largest_magnitude(ours.detach() - theirs) / std::max(largest_magnitude(theirs), scale);
  CHECK_MESSAGE(error <= s.bound(),
                fmt::format("{}: off by {:.2g} of the largest element", where, error));
}

void check_gradients(const GoldenSubject& s, const GoldenTensors& golden) {
  const NamedTensors parameters = nn::named_parameters(s.model),
                     gradients = golden.under("gradient/");
  CHECK(parameters.size() == gradients.size());
  double whole = 0;
  for (const auto& [key, g] : gradients) whole = std::max(whole, largest_magnitude(g));
  for (const auto& [key, parameter] : parameters) {
    // A key's bias adds the same to all scores of a row: its derivative is 0, and either side's is
    // rounding beside the other gradients.
    const bool zero = key.ends_with("fc_key.bias");
    check_close(s, "gradient of " + key, parameter.grad(), golden.at("gradient/" + key),
                zero ? whole : 0);
  }
}

void check_model(const GoldenSubject& s, const GoldenTensors& golden) {
  const Tensor logits = s.logits(), loss = s.loss(logits);
  check_close(s, "logits", logits, golden.at("logits"));
  check_close(s, "loss", loss, golden.at("loss"));
  nn::zero_grad(s.model);
  loss.backward();
  check_gradients(s, golden);

  const std::vector<double> curve = golden.at("curve").to_vector();
  REQUIRE(curve.size() == 21);
  for (size_t step = 0; step < curve.size(); ++step) {
    nn::zero_grad(s.model);
    const Tensor now = s.loss(s.logits());
    const double error = std::abs(now.item() - curve[step]) / curve[step];
    CHECK_MESSAGE(error <= s.bound(),
                  fmt::format("{} {}: the loss after {} steps is {:.17g} instead of {:.17g}",
                              s.name, name(s.dtype), step, now.item(), curve[step]));
    now.backward();
    s.step();
  }
}

GoldenTensors file_of(const std::string& name, DType dtype) {
  return GoldenTensors(name + (dtype == f64 ? "_f64" : "_f32") + ".safetensors");
}

void start(nn::ModuleRef model, DType dtype, const GoldenTensors& golden) {
  nn::to(model, dtype);
  CHECK(nn::load(model, golden.under("parameter/")).ok());
}

void check_postnorm(DType dtype) {
  const GoldenTensors golden = file_of("postnorm", dtype);
  postnorm::PostNormTransformer model({.source_vocab = 11,
                                       .target_vocab = 13,
                                       .d_model = 16,
                                       .n_heads = 4,
                                       .n_encoder_layers = 2,
                                       .n_decoder_layers = 2,
                                       .d_feedforward = 24,
                                       .dropout = 0,
                                       .max_len = 9});
  model.embed_tgt.embed_pos = nn::Embedding(8, 16);  // the file's target side has fewer positions
  CHECK(nn::count_parameters(model) == 10957);
  start(model, dtype, golden);
  optim::Adam adam(nn::named_parameters(model), {.lr = 1e-3});
  const Tensor source = golden.at("source"), target = golden.at("target"),
               labels = target.narrow(1, 1, 6).reshape({-1});
  const GoldenSubject subject{
      .name = "postnorm",
      .dtype = dtype,
      .model = model,
      .logits = [&] { return model(source, target.narrow(1, 0, 6)); },
      .loss =
          [&](const Tensor& y) {
            return cross_entropy(y.reshape({-1, 13}), labels, {.ignore_index = 0});
          },
      .step = [&] { adam.step(); }};
  check_close(subject, "memory",
              model.transformer.encoder(model.embed_src(source, nn::positions(source.size(1))),
                                        nn::Mask::padding(source, 0)),
              golden.at("memory"));

  // training's loss is the same, with head and cross entropy fused, summed
  const Tensor sum = model.loss(source, target);
  check_close(subject, "joined loss", sum / 13.0, golden.at("loss"));
  sum.backward(full({}, 1 / 13.0, dtype));
  check_gradients(subject, golden);
  check_model(subject, golden);
}

void check_char_gpt(DType dtype) {
  const GoldenTensors golden = file_of("char_gpt", dtype);
  char_gpt::CharGpt model(
      {.vocab_size = 13, .block_size = 10, .n_layer = 2, .n_head = 2, .n_embd = 16});
  CHECK(nn::count_parameters(model) == 6592);
  start(model, dtype, golden);
  optim::Group<optim::AdamWOptions> matrices{
      {}, {.lr = 1e-3, .betas = {0.9, 0.99}, .weight_decay = 0.1}},
      others{{}, {.lr = 1e-3, .betas = {0.9, 0.99}, .weight_decay = 0}};
  for (const auto& parameter : nn::named_parameters(model))
    (parameter.tensor.rank() >= 2 ? matrices : others).parameters.push_back(parameter);
  optim::AdamW adam(std::vector{matrices, others});
  const Tensor input = golden.at("input"), label = golden.at("label");
  const GoldenSubject subject{.name = "char_gpt",
                              .dtype = dtype,
                              .model = model,
                              .logits = [&] { return model(input); },
                              .loss =
                                  [&](const Tensor& y) {
                                    return cross_entropy(y.reshape({-1, 13}), label.reshape({-1}));
                                  },
                              .step =
                                  [&] {
                                    optim::clip_grad_norm(nn::parameters(model), 1.0);
                                    adam.step();
                                  }};
  const double tokens = static_cast<double>(label.numel());
  const Tensor sum = model.loss(input, label);
  check_close(subject, "joined loss", sum / tokens, golden.at("loss"));
  sum.backward(full({}, 1 / tokens, dtype));
  check_gradients(subject, golden);
  check_model(subject, golden);
}

void check_mlp(DType dtype) {
  const GoldenTensors golden = file_of("mlp", dtype);
  mlp::TwoMoonsMlp model(mlp::Config{});
  start(model, dtype, golden);
  optim::SGD sgd(nn::named_parameters(model), {.lr = 0.5});
  const Tensor input = golden.at("input"), label = golden.at("label");
  check_model({.name = "mlp",
               .dtype = dtype,
               .model = model,
               .logits = [&] { return model(input); },
               .loss = [&](const Tensor& y) { return bce_with_logits(y, label); },
               .step = [&] { sgd.step(); }},
              golden);
}

void check_texts(const std::string& name, nn::ModuleRef model, int64_t parameters) {
  std::string keys;
  for (const auto& [key, x] : nn::state_entries(model)) {
    keys += key;
    for (const int64_t size : x.shape()) keys += " " + std::to_string(size);
    keys += "\n";
  }
  CHECK_MESSAGE(keys == golden_text(name + ".keys.txt"), name);
  CHECK_MESSAGE(nn::to_string(model) + "\n" == golden_text(name + ".print.txt"), name);
  CHECK_MESSAGE(nn::count_parameters(model) == parameters, name);
}

}  // namespace

TEST_CASE(
    "golden models: the post-norm Transformer has PyTorch's logits, loss, gradients and 20 steps "
    "of Adam, f64") {
  check_postnorm(f64);
}
TEST_CASE(
    "golden models: the post-norm Transformer has PyTorch's logits, loss, gradients and 20 steps "
    "of Adam, f32") {
  check_postnorm(f32);
}
TEST_CASE(
    "golden models: character GPT has PyTorch's logits, loss, gradients and 20 steps of AdamW with "
    "clipping, f64") {
  check_char_gpt(f64);
}
TEST_CASE(
    "golden models: character GPT has PyTorch's logits, loss, gradients and 20 steps of AdamW with "
    "clipping, f32") {
  check_char_gpt(f32);
}
TEST_CASE("golden models: the MLP has PyTorch's logits, loss, gradients and 20 steps of SGD, f64") {
  check_mlp(f64);
}
TEST_CASE("golden models: the MLP has PyTorch's logits, loss, gradients and 20 steps of SGD, f32") {
  check_mlp(f32);
}

TEST_CASE("golden models: names, shapes and printed text at full size are PyTorch's") {
  check_texts("postnorm",
              postnorm::PostNormTransformer({.source_vocab = 7853, .target_vocab = 5893}),
              9'038'341);
  check_texts("char_gpt", char_gpt::CharGpt({.vocab_size = 65}), 804'096);
  check_texts("mlp", mlp::TwoMoonsMlp(mlp::Config{}), 337);
}
