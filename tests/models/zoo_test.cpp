// Properties of every model of the zoo: its parameters are the leaves of its loss, its first loss
// is near chance, dropout of rate 0 has no effect, micro-batches add up to the batch, and the
// number of threads changes no bit.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/graph/walk.h>
#include <slope/core/loops/parallel.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/points.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/registry.h>
#include <slope/tests/threads.h>

#include <algorithm>
#include <functional>

#include "zoo.h"

using namespace slope;
using namespace slope::test;

namespace {

// The differences between a model's list of parameters and the leaves of its loss; empty if there
// are none.
std::vector<std::string> complaints(nn::ModuleRef model, const Tensor& loss) {
  std::vector<std::string> found;
  const NamedTensors listed = nn::named_parameters(model);
  const Tensors leaves = leaves_of({loss});
  const auto in = [](const Tensor& x, const auto& list, auto&& tensor) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& item) { return tensor(item).is_same(x); });
  };
  for (const Tensor& leaf : leaves)
    if (!in(leaf, listed, [](const auto& item) { return item.tensor; }))
      found.push_back(fmt::format("a leaf of shape {} is not listed", leaf.shape()));
  for (const auto& [name, p] : listed)
    if (!in(p, leaves, [](const Tensor& leaf) { return leaf; }))
      found.push_back(name + " is not part of the loss");
  nn::zero_grad(model);
  loss.backward();
  for (const auto& [name, p] : listed)
    if (!p.grad().defined() || !(largest(p.grad()) > 0))
      found.push_back(name + " gets no gradient");
  nn::zero_grad(model);
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "; "));
}

// A model with its training loss on a part of a batch: rows [first, last).
struct Subject {
  std::string name;
  nn::ModuleRef model;
  int64_t rows;
  std::function<Tensor(int64_t first, int64_t last)> loss;  // summed
  Tensor whole() const { return loss(0, rows); }
};

// Every model of the registry at its small size, on batches of its kind.
void with_each_model(double dropout, DType dtype, const std::function<void(const Subject&)>& f) {
  using namespace slope::models;
  const auto config_of = [&](const ModelType& type) {
    auto config = type.small();
    for (const Setting& s : config->settings())
      if (s.key == "dropout") *std::get<double*>(s.place) = dropout;
    return config;
  };
  for (const ModelTypePtr& type : zoo()) {
    manual_seed(3);
    const auto config = config_of(*type);
    if (const auto* t = dynamic_cast<const TranslationType*>(type.get())) {
      const auto model = t->make(*config, {31, 37}, Weights::drawn);
      nn::to(model->module(), dtype);
      const Tensor source = sentences({7, 4, 1, 6}, 7, 31), target = sentences({3, 8, 5, 2}, 8, 37);
      f({type->name, model->module(), 4, [&](int64_t first, int64_t last) {
           return model->loss(source.slice(0, first, last), target.slice(0, first, last), 0);
         }});
    } else if (const auto* l = dynamic_cast<const LanguageModelType*>(type.get())) {
      const auto model = l->make(*config, 29, Weights::drawn);
      nn::to(model->module(), dtype);
      const int64_t T = std::min<int64_t>(10, model->block_size());
      const Tensor text = sentences(std::vector<int64_t>(4, T + 1), T + 1, 29);
      f({type->name, model->module(), 4, [&](int64_t first, int64_t last) {
           const Tensor rows = text.slice(0, first, last);
           return model->loss(rows.narrow(1, 0, T), rows.narrow(1, 1, T), 0);
         }});
    } else if (const auto* p = dynamic_cast<const PointsType*>(type.get())) {
      const auto model = p->make(*config, Weights::drawn);
      nn::to(model->module(), dtype);
      const auto [points, labels] = data::two_moons(32);
      const Tensor x = points.to(dtype), y = labels.to(dtype);
      f({type->name, model->module(), 32, [&](int64_t first, int64_t last) {
           return model->loss(x.slice(0, first, last), y.slice(0, first, last));
         }});
    }
  }
}

bool drops(const std::string& model) {
  const auto config = models::model_named(model).config();
  const models::Settings settings = config->settings();
  return std::any_of(settings.begin(), settings.end(),
                     [](const models::Setting& s) { return s.key == "dropout"; });
}

struct ForgetsOne {  // b is missing from the list
  nn::Linear a{2, 2}, b{2, 2, false};
  Tensor forward(const Tensor& x) const { return b(tanh(a(x))); }
  SLOPE_MODULE(ForgetsOne, a)
};
struct UsesOne {  // b is listed and never used
  nn::Linear a{2, 2}, b{2, 2, false};
  Tensor forward(const Tensor& x) const { return tanh(a(x)); }
  SLOPE_MODULE(UsesOne, a, b)
};

}  // namespace

TEST_CASE(
    "zoo: the leaves of every model's loss are its listed parameters, and each gets a gradient") {
  with_each_model(0.1, f32, [](const Subject& s) {
    CHECK_MESSAGE(complaints(s.model, s.whole()).empty(),
                  s.name << ": " << joined(complaints(s.model, s.whole())));
  });
}

TEST_CASE(
    "zoo: the gradient in f32 is that in f64 to 1e-5 of its norm, at sizes that take the packed "
    "products") {
  const auto check = [](const char* name, auto model, const auto& loss) {
    const Tensors single = gradients(model, loss(model));
    nn::to(model, f64);
    const Tensors exact = gradients(model, loss(model));
    double error = 0, whole = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
      const Tensor off = single[i].to(f64) - exact[i];
      error += sum(off * off).item(), whole += sum(exact[i] * exact[i]).item();
    }
    CHECK(std::sqrt(whole) > 1e-3);
    CHECK_MESSAGE(std::sqrt(error / whole) < 1e-5,
                  name << ": off by " << std::sqrt(error / whole) << " of the norm");
  };
  manual_seed(4);
  const Tensor source = sentences({24, 17, 9, 24, 20, 3}, 24, 500),
               target = sentences({21, 25, 8, 12, 25, 4}, 25, 600);
  check("postnorm",
        postnorm::PostNormTransformer({.source_vocab = 500,
                                       .target_vocab = 600,
                                       .d_model = 128,
                                       .n_heads = 4,
                                       .d_feedforward = 256,
                                       .dropout = 0.1,
                                       .max_len = 30}),
        [&](const auto& m) {
          generator() = {.seed = 5};  // the same dropout for both
          return m.loss(source, target, 0.1);
        });
  const Tensor text = sentences({65, 65, 65, 65}, 65, 200);
  check("char_gpt",
        char_gpt::CharGpt({.vocab_size = 200,
                           .block_size = 64,
                           .n_layer = 4,
                           .n_head = 4,
                           .n_embd = 128,
                           .dropout = 0.1}),
        [&](const auto& m) {
          generator() = {.seed = 6};
          return m.loss(text.narrow(1, 0, 64), text.narrow(1, 1, 64));
        });
}

TEST_CASE("zoo: a forgotten field and an unused one would be seen") {
  const Tensor x = tensor({{0.5, -1.0}, {2.0, 0.25}});
  const ForgetsOne forgets;
  CHECK(joined(complaints(forgets, mean(forgets(x)))) == "a leaf of shape (2, 2) is not listed");
  const UsesOne uses;
  CHECK(joined(complaints(uses, mean(uses(x)))) ==
        "b.weight is not part of the loss; b.weight gets no gradient");
}

TEST_CASE("zoo: a model without heads or layers is refused") {
  CHECK_THROWS_AS(
      postnorm::PostNormTransformer({.source_vocab = 9, .target_vocab = 9, .n_heads = 0}),
      UsageError);
  CHECK_THROWS_AS(char_gpt::CharGpt({.vocab_size = 9, .n_head = 0}), UsageError);
  CHECK_THROWS_AS(char_gpt::CharGpt({.vocab_size = 9, .n_layer = 0}), UsageError);
}

TEST_CASE("zoo: the loss at the start is that of guessing") {
  manual_seed(4);
  const int64_t V = 500;
  const double chance = std::log(static_cast<double>(V));
  const postnorm::PostNormTransformer translator({.source_vocab = V,
                                                  .target_vocab = V,
                                                  .d_model = 64,
                                                  .n_heads = 4,
                                                  .n_encoder_layers = 2,
                                                  .n_decoder_layers = 2,
                                                  .d_feedforward = 64});
  const Tensor source = sentences({9, 7, 8, 3}, 9, V), target = sentences({10, 4, 9, 8}, 10, V);
  const double translation = translator.loss(source, target).item() / (10 + 4 + 9 + 8 - 4);
  CHECK(translation > 0.9 * chance);
  // PyTorch's initial values of the head give logits of variance 1/3: chance + 1/6
  CHECK(translation < 1.2 * chance);
  for (const Tensor& p : nn::parameters(translator))
    if (p.rank() > 1) nn::init::xavier_uniform(p);
  const double xavier = translator.loss(source, target).item() / (10 + 4 + 9 + 8 - 4);
  CHECK(xavier > 0.9 * chance);
  CHECK(xavier < 1.3 * chance);

  const auto gpt = nn::init::make<char_gpt::CharGpt>(
      {.vocab_size = V, .block_size = 16, .n_layer = 2, .n_head = 2, .n_embd = 32});
  const Tensor text = sentences({16, 16}, 16, V);
  const double characters = gpt.loss(text.narrow(1, 0, 15), text.narrow(1, 1, 15)).item() / 30;
  CHECK(characters == doctest::Approx(chance).epsilon(0.02));

  mlp::TwoMoonsMlp mlp(mlp::Config{});
  const auto moons = data::two_moons(64);
  CHECK(bce_with_logits(mlp(moons.points), moons.labels).item() ==
        doctest::Approx(std::log(2.0)).epsilon(0.3));
}

TEST_CASE("zoo: training without dropout is evaluation, to the bit") {
  with_each_model(0, f32, [](const Subject& s) {
    nn::train(s.model);
    const Tensor train = s.whole();
    const Tensors train_grads = gradients(s.model, train);
    const nn::EvalMode eval_mode;
    const Tensor eval = s.whole();
    CHECK_MESSAGE(same_bits(train, eval), s.name);
    CHECK_MESSAGE(same_bits(train_grads, gradients(s.model, eval)), s.name);
  });
}

TEST_CASE("zoo: dropout follows the seed in training and is silent in evaluation") {
  with_each_model(0.3, f32, [](const Subject& s) {
    const auto loss = [&](uint64_t seed) {
      manual_seed(seed);
      return s.whole().item();
    };
    CHECK_MESSAGE(loss(5) == loss(5), s.name);
    CHECK_MESSAGE((loss(5) != loss(6)) == drops(s.name), s.name);
    const nn::EvalMode eval_mode;
    CHECK_MESSAGE(loss(5) == loss(6), s.name);
  });
}

TEST_CASE("zoo: gradients of micro-batches add up to those of the batch") {
  with_each_model(0, f64, [](const Subject& s) {
    const Tensors whole = gradients(s.model, s.whole());
    const Tensors parameters = nn::parameters(s.model);
    for (const int64_t k : {2, 4}) {
      nn::zero_grad(s.model);
      for (int64_t i = 0; i < k; ++i) s.loss(s.rows / k * i, s.rows / k * (i + 1)).backward();
      double scale = 0;
      for (const Tensor& g : whole) scale = std::max(scale, largest(g));
      for (size_t i = 0; i < whole.size(); ++i)
        CHECK_MESSAGE(difference(parameters[i].grad(), whole[i]) <= 1e-13 * scale,
                      s.name << ", " << k << " parts");
    }
    nn::zero_grad(s.model);
  });
}

TEST_CASE("zoo: the loss that joins head and cross entropy is that of the logits") {
  const auto translator = small_postnorm(0);
  const Tensor source = sentences({7, 4, 1, 6}, 7, 31), target = sentences({3, 8, 5, 2}, 8, 37);
  for (const double smoothing : {0.0, 0.1}) {
    const Tensor logits = translator(source, target.narrow(1, 0, 7)).reshape({-1, 37}),
                 labels = target.narrow(1, 1, 7).reshape({-1});
    const LossAndCount apart =
        cross_entropy_sum(logits, labels, {.ignore_index = 0, .label_smoothing = smoothing});
    CHECK(apart.count == 3 + 8 + 5 + 2 - 4);
    CHECK(translator.loss(source, target, smoothing).item() ==
          doctest::Approx(apart.sum.item()).epsilon(1e-13));
  }
  const auto gpt = small_char_gpt(0);
  const Tensor text = sentences({11, 11}, 11, 29);
  const Tensor apart =
      cross_entropy(gpt(text.narrow(1, 0, 10)).reshape({-1, 29}),
                    text.narrow(1, 1, 10).reshape({-1}), {.reduction = Reduction::sum});
  CHECK(gpt.loss(text.narrow(1, 0, 10), text.narrow(1, 1, 10)).item() ==
        doctest::Approx(apart.item()).epsilon(1e-13));
}

TEST_CASE("zoo: every model's loss and gradients have the same bits on 1, 2, 3 and 7 threads") {
  const KeepThreads restore;
  with_each_model(0.1, f32, [](const Subject& s) {
    Tensors first;
    for (const int threads : {1, 2, 3, 7}) {
      set_num_threads(threads);
      manual_seed(8);
      const Tensor loss = s.whole();
      Tensors run = gradients(s.model, loss);
      run.push_back(loss.detach());
      if (first.empty()) first = run;
      CHECK_MESSAGE(same_bits(first, run), s.name << ", " << threads << " threads");
    }
  });
}

TEST_CASE("zoo: every model's loss at the start is that of guessing") {
  with_each_model(0, f32, [](const Subject& s) {
    double targets = static_cast<double>(s.rows), chance = std::log(2.0);  // points
    const models::Kind kind = models::model_named(s.name).kind;
    if (kind == models::Kind::translation) targets = 2 + 7 + 4 + 1, chance = std::log(37.0);
    if (kind == models::Kind::language_model) targets = 4 * 10, chance = std::log(29.0);
    const double loss = s.whole().item() / targets;
    CHECK_MESSAGE(loss > 0.8 * chance, s.name);
    CHECK_MESSAGE(loss < 1.4 * chance, s.name << ": " << loss << " instead of " << chance);
  });
}

TEST_CASE("zoo: loss and all gradients have the same bits on 1, 2, 3 and 7 threads, with dropout") {
  const KeepThreads restore;
  manual_seed(7);
  const postnorm::PostNormTransformer translator({.source_vocab = 400,
                                                  .target_vocab = 500,
                                                  .d_model = 64,
                                                  .n_heads = 4,
                                                  .n_encoder_layers = 2,
                                                  .n_decoder_layers = 2,
                                                  .d_feedforward = 128,
                                                  .dropout = 0.1});
  const auto gpt = nn::init::make<char_gpt::CharGpt>({.vocab_size = 65,
                                                      .block_size = 64,
                                                      .n_layer = 2,
                                                      .n_head = 4,
                                                      .n_embd = 128,
                                                      .dropout = 0.1});
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 32; ++i) lengths.push_back(3 + 5 * i % 22);
  const Tensor source = sentences(lengths, 25, 400), target = sentences(lengths, 26, 500),
               text = sentences(std::vector<int64_t>(16, 65), 65, 65);
  std::vector<Tensors> runs;
  for (const int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    manual_seed(8);
    const Tensor translation = translator.loss(source, target),
                 characters = gpt.loss(text.narrow(1, 0, 64), text.narrow(1, 1, 64));
    Tensors run{translation.detach(), characters.detach()};
    for (const Tensor& g : gradients(translator, translation)) run.push_back(g);
    for (const Tensor& g : gradients(gpt, characters)) run.push_back(g);
    runs.push_back(run);
    CHECK_MESSAGE(same_bits(runs[0], run), threads << " threads");
  }
  set_num_threads(2);
  manual_seed(8);
  const Tensor again = translator.loss(source, target);
  CHECK(same_bits(again, runs[0][0]));
}

TEST_CASE(
    "postnorm: the gradient of a tied table is the sum of those of an embedding and a projection "
    "that are equal") {
  const auto tied = small_postnorm(0, f64, 3, true), two = small_postnorm(0, f64, 3, false);
  {
    const NoGrad no_grad;
    const auto values = nn::state_entries(tied), places = nn::state_entries(two);
    for (size_t i = 0; i < places.size(); ++i) copy_into(values[i].tensor, places[i].tensor);
  }
  const Tensor source = sentences({7, 4, 1, 6}, 7, 31), target = sentences({3, 8, 5, 2}, 8, 37);
  const Tensor loss = tied.loss(source, target), of_two = two.loss(source, target);
  CHECK(loss.item() == of_two.item());
  loss.backward();
  of_two.backward();
  const Tensor sum = two.embed_tgt.embed_tok.weight.grad() + two.fc.weight.grad();
  CHECK(difference(tied.embed_tgt.embed_tok.weight.grad(), sum) < 1e-14 * largest(sum));
  CHECK(largest(two.embed_tgt.embed_tok.weight.grad()) > 0);
  CHECK(tied.fc.weight.is_same(tied.embed_tgt.embed_tok.weight));
}

TEST_CASE("postnorm: a tied table begins with small logits, as two tables do") {
  const auto model = small_postnorm(0, f64, 5, true);
  const Tensor source = sentences({7, 4, 1, 6}, 7, 31), target = sentences({3, 8, 5, 2}, 8, 37);
  // 4 times it with an embedding's values
  CHECK(model.loss(source, target).item() / (2 + 7 + 4 + 1) < 1.5 * std::log(37.0));
}

TEST_CASE("postnorm: attention and activations have a dropout of their own, or the common one") {
  const auto rates = [](const postnorm::Config& c) {
    const postnorm::PostNormTransformer model(c);
    const auto& encoder = model.transformer.encoder.layers[0];
    const auto& layer = model.transformer.decoder.layers[0];
    CHECK(encoder.mha.dropout.p == layer.mha1.dropout.p);
    CHECK(encoder.ff.dropout.p == layer.ff.dropout.p);
    return std::vector{layer.dropout.p, layer.mha1.dropout.p, layer.mha2.dropout.p,
                       layer.ff.dropout.p};
  };
  postnorm::Config c{.source_vocab = 9, .target_vocab = 9, .d_model = 8, .n_heads = 2};
  c.dropout = 0.3;
  CHECK(rates(c) == std::vector{0.3, 0.3, 0.3, 0.3});
  c.attention_dropout = 0;
  c.activation_dropout = 0.2;
  CHECK(rates(c) == std::vector{0.3, 0.0, 0.0, 0.2});
}
