// For every model of the zoo, what must not change a translation or a text: padding, later tokens,
// other sentences in the batch, a cache.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/nn/nn.h>

#include "each_model.h"
#include "zoo.h"

using namespace slope;
using namespace slope::test;
using models::LanguageModel, models::TranslationModel;

namespace {

const Tensor source = sentences({7, 4, 1, 6}, 7, 31);
const Tensor target = sentences({3, 8, 5, 2}, 8, 37);  // the first token of each stands for <sos>
const Tensor text = sentences({10, 10, 10}, 10, 29);
constexpr double tolerance = 1e-11;  // f64: products of other sizes may be summed in another order

Tensor replaced(const Tensor& ids, int64_t from_column) {  // other tokens from there on; pads stay
  const Tensor later = arange(ids.size(1)) >= static_cast<double>(from_column);
  const Tensor other = to(ids == 4.0, i64) + 4;  // 4 becomes 5, all else 4
  return where(logical_and(later, ids != 0.0), other, ids);
}

// The loss by its definition, from the padded logits.
Tensor padded_loss(const TranslationModel& model, const Tensor& s, const Tensor& t) {
  const int64_t T = t.size(1) - 1;
  const Tensor logits = model.logits(s, t.narrow(1, 0, T));
  return cross_entropy(logits.reshape({-1, 37}), t.narrow(1, 1, T).reshape({-1}),
                       {.ignore_index = 0, .label_smoothing = 0.1, .reduction = Reduction::sum});
}

void check_same(const std::string& name, const Tensors& a, const Tensors& b) {
  REQUIRE(a.size() == b.size());
  double scale = 1;
  for (const Tensor& g : b) scale = std::max(scale, largest(g));
  for (size_t i = 0; i < a.size(); ++i)
    CHECK_MESSAGE(difference(a[i], b[i]) <= tolerance * scale, name << ", gradient " << i);
}

}  // namespace

TEST_CASE("invariance: columns of padding change no logits, loss or gradients") {
  each_translator(0, f64, [](const std::string& name, const TranslationModel& model) {
    const Tensor y = model.logits(source, target);
    CHECK_MESSAGE(difference(model.logits(with_columns(source, 3), target), y) <= tolerance, name);
    CHECK_MESSAGE(
        difference(model.logits(source, with_columns(target, 5)).narrow(1, 0, 8), y) <= tolerance,
        name);
    const Tensor plain = model.loss(source, target, 0),
                 padded = model.loss(with_columns(source, 2), with_columns(target, 4), 0);
    CHECK_MESSAGE(padded.item() == doctest::Approx(plain.item()).epsilon(1e-13), name);
    check_same(name, gradients(model.module(), padded), gradients(model.module(), plain));
  });
}

TEST_CASE(
    "invariance: the loss, which packs sentences, is that of the padded logits, gradients "
    "included") {
  const Tensor nobody = sentences({7, 0, 1, 6}, 7, 31), too_short = sentences({3, 8, 0, 1}, 8, 37),
               // padding inside a sentence is kept
      gap = where(arange(8) == 1.0, zeros_like(target), target);
  each_translator(0, f64, [&](const std::string& name, const TranslationModel& model) {
    for (const auto& [s, t] :
         {std::pair{source, target}, {nobody, target}, {source, too_short}, {source, gap}}) {
      const Tensor packed = model.loss(s, t, 0.1), padded = padded_loss(model, s, t);
      CHECK_MESSAGE(packed.item() == doctest::Approx(padded.item()).epsilon(1e-13), name);
      check_same(name, gradients(model.module(), packed), gradients(model.module(), padded));
    }
    const auto loss = [&](const Tensor& s, const Tensor& t) { return model.loss(s, t, 0).item(); };
    CHECK_MESSAGE(loss(source, target.narrow(1, 0, 1)) == 0, name);  // nothing to predict
    CHECK_MESSAGE(loss(source, zeros_like(target)) == 0, name);
    CHECK_MESSAGE(loss(source.narrow(0, 0, 0), target.narrow(0, 0, 0)) == 0, name);
  });
}

TEST_CASE("invariance: what stands where the source is padded reaches no loss, not even nan") {
  each_translator(0, f64, [](const std::string& name, const TranslationModel& model) {
    const Tensor before = model.loss(source, target, 0).detach(),
                 logits = model.logits(source, target).detach();
    for (const auto& [key, p] : nn::named_parameters(model.module()))
      if (p.shape()[0] == 31) {  // the source's embedding: its row for padding
        const NoGrad no_grad;
        nn::init::constant(p.detach().select(0, 0), NAN);
      }
    CHECK_MESSAGE(same_bits(model.loss(source, target, 0), before), name);
    CHECK_MESSAGE(same_bits(model.logits(source, target), logits), name);
  });
}

TEST_CASE("invariance: later tokens change no earlier logits, to the bit") {
  each_translator(0, f64, [](const std::string& name, const TranslationModel& model) {
    const Tensor y = model.logits(source, target);
    for (int64_t t = 1; t < 8; ++t)
      CHECK_MESSAGE(
          same_bits(y.narrow(1, 0, t), model.logits(source, replaced(target, t)).narrow(1, 0, t)),
          name);
    CHECK_MESSAGE(!same_bits(y, model.logits(source, replaced(target, 4))), name);
    CHECK_MESSAGE(!same_bits(y, model.logits(replaced(source, 2), target)), name);
  });
  each_language_model(0, f64, [](const std::string& name, const LanguageModel& model) {
    const Tensor y = model.logits(text);
    for (int64_t t = 1; t < 8; ++t)
      CHECK_MESSAGE(same_bits(y.narrow(1, 0, t), model.logits(replaced(text, t)).narrow(1, 0, t)),
                    name);
    CHECK_MESSAGE(!same_bits(y, model.logits(replaced(text, 4))), name);
  });
}

TEST_CASE("invariance: a sentence is translated alike alone, in a batch, and beside others") {
  each_translator(0, f64, [](const std::string& name, const TranslationModel& model) {
    const Tensor y = model.logits(source, target);
    for (int64_t row = 0; row < 4; ++row)
      CHECK_MESSAGE(difference(model.logits(source.narrow(0, row, 1), target.narrow(0, row, 1)),
                               y.narrow(0, row, 1)) <= tolerance,
                    name);
    // Other sentences of the same sizes in the batch: the same bits.
    const Tensor others = cat({source.narrow(0, 0, 1), replaced(source.narrow(0, 1, 3), 0)}),
                 other_targets = cat({target.narrow(0, 0, 1), replaced(target.narrow(0, 1, 3), 0)});
    CHECK_MESSAGE(same_bits(model.logits(others, other_targets)[0], y[0]), name);
  });
  each_language_model(0, f64, [](const std::string& name, const LanguageModel& model) {
    const Tensor y = model.logits(text);
    for (int64_t row = 0; row < 3; ++row)
      CHECK_MESSAGE(
          difference(model.logits(text.narrow(0, row, 1)), y.narrow(0, row, 1)) <= tolerance, name);
    const Tensor others = cat({text.narrow(0, 0, 1), replaced(text.narrow(0, 1, 2), 0)});
    CHECK_MESSAGE(same_bits(model.logits(others)[0], y[0]), name);
  });
}

TEST_CASE(
    "invariance: translating step by step with a cache gives the logits of the whole, and the same "
    "tokens") {
  const Tensor whole = sentences({8, 8, 8, 8}, 8, 37), rows = tensor({2, 0, 2});
  each_translator(0.3, f64, [&](const std::string& name, const TranslationModel& model) {
    const nn::EvalMode eval_mode;
    const NoGrad no_grad;
    const Tensor y = model.logits(source, whole);
    const auto decoding = model.decoding(true)(source);
    for (int64_t t = 0; t < 8; ++t) {
      const Tensor step = decoding->step(whole.select(1, t));
      CHECK_MESSAGE(difference(step, y.select(1, t)) <= tolerance, name);
      CHECK_MESSAGE(equal(argmax(step, -1), argmax(y.select(1, t), -1)), name);
    }
    // Rows of a cache can be dropped, repeated and reordered, as beam search does.
    const auto chosen = model.decoding(true)(source);
    for (int64_t t = 0; t < 3; ++t) static_cast<void>(chosen->step(whole.select(1, t)));
    chosen->select(rows);
    CHECK_MESSAGE(difference(chosen->step(index_select(whole, 0, rows).select(1, 3)),
                             index_select(y.select(1, 3), 0, rows)) <= tolerance,
                  name);
  });
}

TEST_CASE(
    "invariance: generating with a cache gives the logits of the whole, token by token and from a "
    "prompt") {
  each_language_model(0.3, f64, [](const std::string& name, const LanguageModel& model) {
    const nn::EvalMode eval_mode;
    const NoGrad no_grad;
    const Tensor row = text.narrow(0, 0, 1), y = model.logits(row);
    const auto check = [&](const Tensor& step, int64_t t) {
      CHECK_MESSAGE(difference(step, y.select(1, t)) <= tolerance, name << ", token " << t);
    };
    const auto one = model.start(), prompted = model.start();
    for (int64_t t = 0; t < 10; ++t) check(one->step(row.narrow(1, t, 1)), t);
    check(prompted->step(row.narrow(1, 0, 4)), 3);
    check(prompted->step(row.narrow(1, 4, 3)), 6);
    check(prompted->step(row.narrow(1, 7, 1)), 7);
  });
}
