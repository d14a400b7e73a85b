// nn::Transformer: sizes, initial values and modes as PyTorch's; the masks of published texts.
// tests/models/golden_zoo_test.cpp compares values and gradients with PyTorch's.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/nn/nn.h>

#include <cmath>

using namespace slope;

namespace {

nn::TransformerOptions small(bool norm_first) {
  return {.d_model = 8,
          .nhead = 2,
          .num_encoder_layers = 2,
          .num_decoder_layers = 2,
          .layer = {.dim_feedforward = 12, .dropout = 0.3, .norm_first = norm_first}};
}

double largest_magnitude(const Tensor& x) {
  double most = 0;
  for (const double v : x.detach().to_vector()) most = std::max(most, std::abs(v));
  return most;
}

using Rows = std::vector<double>;

}  // namespace

TEST_CASE(
    "transformer: parameters of PyTorch's defaults, of a course's sizes, of both norm orders") {
  CHECK(nn::count_parameters(nn::Transformer()) == 44'140'544);
  nn::TransformerOptions course{.d_model = 256,
                                .num_encoder_layers = 3,
                                .num_decoder_layers = 3,
                                .layer = {.dim_feedforward = 512}};
  const int64_t n = nn::count_parameters(nn::Transformer(course));
  CHECK(n == 3'954'688);
  course.layer.norm_first = true;
  CHECK(nn::count_parameters(nn::Transformer(course)) == n);
}

TEST_CASE("transformer: Xavier's bounds, the packed projection's over its whole") {
  manual_seed(2);
  const nn::Transformer t({.d_model = 64,
                           .nhead = 4,
                           .num_encoder_layers = 1,
                           .num_decoder_layers = 1,
                           .layer = {.dim_feedforward = 32}});
  const auto fills = [](const Tensor& x, double bound) {
    CHECK(largest_magnitude(x) <= bound);
    CHECK(largest_magnitude(x) > 0.99 * bound);
  };
  const auto& layer = t.decoder.layers[0];
  fills(*layer.multihead_attn.in_proj_weight, std::sqrt(1.5 / 64));  // 6 / (64 + 3 64)
  fills(layer.multihead_attn.out_proj.weight, std::sqrt(3.0 / 64));
  fills(layer.linear1.weight, std::sqrt(6.0 / (64 + 32)));
  CHECK(largest_magnitude(*layer.multihead_attn.in_proj_bias) == 0);
}

TEST_CASE(
    "transformer: cached decoding and a clone give what the whole gives, in both norm orders") {
  for (const bool norm_first : {false, true}) {
    manual_seed(3);
    nn::Transformer t(small(norm_first));
    nn::to(t, f64);
    const nn::Transformer copy = nn::clone(t);
    const nn::EvalMode eval;
    const NoGrad no_grad;
    const Tensor src = randn({2, 5, 8}, f64), tgt = randn({2, 4, 8}, f64);
    const nn::Mask keys = nn::Mask::padding(tensor({{1, 2, 3, 4, 5}, {1, 2, 0, 0, 0}}), 0);
    const Tensor y = t(src, tgt, keys, nn::Mask::causal(4), keys);
    CHECK(equal(copy(src, tgt, keys, nn::Mask::causal(4), keys), y));
    CHECK(largest_magnitude(t(src, tgt, keys, nn::Mask(), keys) - y) >
          1e-3);  // without the causal mask
    CHECK(largest_magnitude(t(src, tgt, keys, nn::Mask::causal(4)) - y) > 1e-3);
    nn::DecoderCache cache{.source = {}, .memory = t.encoder(src, keys)};
    for (int64_t i = 0; i < 4; ++i) {
      const Tensor step = t.decoder(tgt.narrow(1, i, 1), cache.memory, nn::Mask(), keys, &cache);
      CHECK(largest_magnitude(step - y.narrow(1, i, 1)) < 1e-12);
    }
  }
}

TEST_CASE("masks: those that published texts print") {
  // from a blog post: sentences of 3 and 5 tokens, and the look-ahead mask with corrected polarity
  const Tensor ids = tensor({{1, 2, 3, 0, 0}, {4, 5, 6, 7, 8}});
  CHECK(nn::Mask::padding(ids, 0).tensor(1, 5).to_vector() == Rows{1, 1, 1, 0, 0, 1, 1, 1, 1, 1});
  CHECK(nn::Mask::causal(5).tensor(5, 5).to_vector() ==
        Rows{1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1});
  // from slides: three tokens, the last one padding. Only keys are masked; the padding's row stays.
  const nn::Mask third = nn::Mask::padding(tensor({{1, 2, 0}}), 0);
  const auto of = [](const nn::Mask& mask) {
    return mask.tensor(3, 3).expand({1, 1, 3, 3}).to_vector();
  };
  CHECK(of(third) == Rows{1, 1, 0, 1, 1, 0, 1, 1, 0});
  CHECK(of(third & nn::Mask::causal(3)) == Rows{1, 0, 0, 1, 1, 0, 1, 1, 0});
}
