// What must not change a translation or a text: padding, later tokens, other sentences of the
// batch, a cache.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>

#include "zoo.h"

using namespace slope;
using namespace slope::test;

namespace {

const Tensor source = sentences({7, 4, 1, 6}, 7, 31);
const Tensor target = sentences({3, 8, 5, 2}, 8, 37);  // each begins with what stands for <sos>
const Tensor text = sentences({10, 10, 10}, 10, 29);
constexpr double tolerance = 1e-12;  // f64: products of other sizes may be summed in another order

Tensor replaced(const Tensor& ids, int64_t from_column) {  // other tokens from there on; pads stay
  const Tensor later = arange(ids.size(1)) >= static_cast<double>(from_column);
  const Tensor other = to(ids == 4.0, i64) + 4;  // 4 becomes 5, all else 4
  return where(logical_and(later, ids != 0.0), other, ids);
}

}  // namespace

TEST_CASE("invariance: columns of padding change no logits, loss or gradients") {
  const auto model = small_postnorm(0);
  const Tensor y = model(source, target);
  CHECK(difference(model(with_columns(source, 3), target), y) <= tolerance);
  CHECK(difference(model(source, with_columns(target, 5)).narrow(1, 0, 8), y) <= tolerance);
  const Tensors plain = gradients(model, model.loss(source, target)),
                padded =
                    gradients(model, model.loss(with_columns(source, 2), with_columns(target, 4)));
  CHECK(model.loss(with_columns(source, 2), with_columns(target, 4)).item() ==
        doctest::Approx(model.loss(source, target).item()).epsilon(1e-13));
  for (size_t i = 0; i < plain.size(); ++i) CHECK(difference(padded[i], plain[i]) <= tolerance);
}

TEST_CASE(
    "invariance: the loss, which packs sentences, is that of the padded logits, gradients "
    "included") {
  const auto model = small_postnorm(0);
  const auto padded_loss = [&](const Tensor& s, const Tensor& t) {
    const int64_t T = t.size(1) - 1;
    const Tensor x = model.features(s, t.narrow(1, 0, T)), next = t.narrow(1, 1, T);
    return linear_cross_entropy(
        x.reshape({-1, model.config.d_model}), model.fc.weight, nn::or_none(model.fc.bias),
        next.reshape({-1}),
        {.ignore_index = 0, .label_smoothing = 0.1, .reduction = Reduction::sum});
  };
  const Tensor nobody = sentences({7, 0, 1, 6}, 7, 31), too_short = sentences({3, 8, 0, 1}, 8, 37),
               // padding amid a sentence: it stays
      gap = where(arange(8) == 1.0, zeros_like(target), target);
  for (const auto& [s, t] :
       {std::pair{source, target}, {nobody, target}, {source, too_short}, {source, gap}}) {
    const Tensors packed = gradients(model, model.loss(s, t, 0.1)),
                  padded = gradients(model, padded_loss(s, t));
    CHECK(model.loss(s, t, 0.1).item() == doctest::Approx(padded_loss(s, t).item()).epsilon(1e-13));
    for (size_t i = 0; i < packed.size(); ++i) CHECK(difference(packed[i], padded[i]) <= tolerance);
  }
  CHECK(same_bits(model.loss(source, gap, 0.1), padded_loss(source, gap)));
  CHECK(model.loss(source, target.narrow(1, 0, 1)).item() == 0);  // nothing to predict
  CHECK(model.loss(source, zeros_like(target)).item() == 0);
  CHECK(model.loss(source.narrow(0, 0, 0), target.narrow(0, 0, 0)).item() == 0);
}

TEST_CASE("invariance: what stands where the source is padded reaches no loss, not even nan") {
  const auto model = small_postnorm(0);
  const Tensor before = model.loss(source, target).detach(),
               logits = model(source, target).detach();
  {
    const NoGrad no_grad;
    nn::init::constant(model.embed_src.embed_tok.weight.detach().select(0, 0), NAN);
  }
  CHECK(same_bits(model.loss(source, target), before));
  CHECK(same_bits(model(source, target), logits));
}

TEST_CASE("invariance: later tokens change no earlier logits, to the bit") {
  const auto translator = small_postnorm(0);
  const auto gpt = small_char_gpt(0);
  for (int64_t t = 1; t < 8; ++t) {
    CHECK(same_bits(translator(source, target).narrow(1, 0, t),
                    translator(source, replaced(target, t)).narrow(1, 0, t)));
    CHECK(same_bits(gpt(text).narrow(1, 0, t), gpt(replaced(text, t)).narrow(1, 0, t)));
  }
  CHECK(!same_bits(gpt(text), gpt(replaced(text, 4))));
  CHECK(!same_bits(translator(source, target), translator(source, replaced(target, 4))));
}

TEST_CASE("invariance: a sentence is translated alike alone, in a batch, and beside others") {
  const auto model = small_postnorm(0);
  const auto gpt = small_char_gpt(0);
  const Tensor y = model(source, target), z = gpt(text);
  for (int64_t row = 0; row < 4; ++row)
    CHECK(difference(model(source.narrow(0, row, 1), target.narrow(0, row, 1)),
                     y.narrow(0, row, 1)) <= tolerance);
  for (int64_t row = 0; row < 3; ++row)
    CHECK(difference(gpt(text.narrow(0, row, 1)), z.narrow(0, row, 1)) <= tolerance);
  // The other sentences are others: same sizes, so the same bits.
  const Tensor others = cat({source.narrow(0, 0, 1), replaced(source.narrow(0, 1, 3), 0)}),
               other_targets = cat({target.narrow(0, 0, 1), replaced(target.narrow(0, 1, 3), 0)});
  CHECK(same_bits(model(others, other_targets)[0], y[0]));
  CHECK(same_bits(gpt(cat({text.narrow(0, 0, 1), replaced(text.narrow(0, 1, 2), 0)}))[0], z[0]));
}

TEST_CASE(
    "invariance: translating step by step with a cache gives the logits of the whole, and the same "
    "tokens") {
  const auto model = small_postnorm(0.3);
  const nn::EvalMode eval_mode;
  const NoGrad no_grad;
  const Tensor full_target = sentences({8, 8, 8, 8}, 8, 37), y = model(source, full_target);
  auto cache = model.start(source);
  for (int64_t t = 0; t < 8; ++t) {
    const Tensor step = model.step(full_target.select(1, t), cache);
    CHECK(difference(step, y.select(1, t)) <= tolerance);
    CHECK(equal(argmax(step, -1), argmax(y.select(1, t), -1)));
  }
  // Rows of a cache can be dropped, repeated and reordered, as beam search does.
  auto chosen = model.start(source);
  for (int64_t t = 0; t < 3; ++t) static_cast<void>(model.step(full_target.select(1, t), chosen));
  const Tensor rows = tensor({2, 0, 2});
  chosen.select(rows);
  CHECK(difference(model.step(index_select(full_target, 0, rows).select(1, 3), chosen),
                   index_select(y.select(1, 3), 0, rows)) <= tolerance);
}

TEST_CASE(
    "invariance: generating with a cache gives the logits of the whole, token by token and from a "
    "prompt") {
  const auto model = small_char_gpt(0.3);
  const nn::EvalMode eval_mode;
  const NoGrad no_grad;
  const Tensor y = model(text);
  auto cache = model.start();
  for (int64_t t = 0; t < 10; ++t) {
    const Tensor step = model.step(text.narrow(1, t, 1), cache);
    CHECK(difference(step, y.select(1, t)) <= tolerance);
    CHECK(equal(argmax(step, -1), argmax(y.select(1, t), -1)));
  }
  auto prompted = model.start();
  CHECK(difference(model.step(text.narrow(1, 0, 4), prompted), y.select(1, 3)) <= tolerance);
  CHECK(difference(model.step(text.narrow(1, 4, 3), prompted), y.select(1, 6)) <= tolerance);
  CHECK(difference(model.step(text.narrow(1, 7, 1), prompted), y.select(1, 7)) <= tolerance);
}
