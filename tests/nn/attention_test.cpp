#include <slope/core/loops/copy.h>
#include <slope/tests/golden.h>
#include <slope/tests/nn/models.h>

#include <cfloat>

using namespace slope;
using namespace slope::nn;
using test::check_close;

namespace {

struct Layer {
  MultiheadAttention self_attn{4, 2}, cross_attn{4, 2};
  Tensor forward(const Tensor& x, const Tensor& memory) const {
    const Tensor y = x + self_attn(x, x, x, Mask::causal(x.size(1)));
    return y + cross_attn(y, memory, memory);
  }
  SLOPE_MODULE(Layer, self_attn, cross_attn)
};

struct Decoder {
  std::vector<Layer> layers;
  Decoder() {
    for (int i = 0; i < 2; ++i) layers.emplace_back();
  }
  Tensor forward(Tensor x, const Tensor& memory) const {
    for (const Layer& layer : layers) x = layer(x, memory);
    return x;
  }
  SLOPE_MODULE(Decoder, layers)
};

struct OneDecoder {
  Decoder decoder;
  Tensor forward(const Tensor& x, const Tensor& memory) const { return decoder(x, memory); }
  SLOPE_MODULE(OneDecoder, decoder)
};

}  // namespace

TEST_CASE("mask: true means may attend; masks are joined with &") {
  const Tensor ids = tensor({{5, 6, 0}, {7, 0, 0}});
  const Mask both = Mask::padding(ids, 0) & Mask::causal(3);
  CHECK(Mask::padding(ids, 0).tensor(3, 3).shape() == Dims{2, 1, 1, 3});
  CHECK(both.tensor(3, 3).to_vector() ==
        std::vector<double>{1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0});
  CHECK(Mask::causal(2, 1).tensor(2, 3).to_vector() == std::vector<double>{1, 1, 0, 1, 1, 1});
  CHECK(Mask::causal(1, 2).tensor(1, 3).to_vector() == std::vector<double>{1, 1, 1});
  CHECK(Mask().allows_everything());
  CHECK(Mask().tensor(2, 2).to_vector() == std::vector<double>(4, 1));
  const Tensor may = tensor({{true, false}, {true, true}});
  CHECK(Mask::allow(may).tensor(2, 2).to_vector() == std::vector<double>{1, 0, 1, 1});
  CHECK(Mask::block(may).tensor(2, 2).to_vector() == std::vector<double>{0, 1, 0, 0});
  CHECK((Mask::allow(may) & Mask()).tensor(2, 2).to_vector() == std::vector<double>{1, 0, 1, 1});
}

TEST_CASE("mask: the matrices that published texts print, in this polarity") {
  const auto rows = [](const Tensor& mask, int64_t T, int64_t S) {
    std::vector<std::string> all;
    const std::vector<double> allowed = mask.to_vector();
    for (size_t i = 0; i < allowed.size(); ++i) {
      if (i % static_cast<size_t>(S) == 0) all.emplace_back();
      all.back() += allowed[i] == 1 ? '1' : '0';
    }
    CHECK(static_cast<int64_t>(all.size()) % T == 0);
    return all;
  };
  // a blog post: padding of two sentences; the look-ahead of five tokens, printed there inverted
  const Mask padding = Mask::padding(tensor({{1, 2, 3, 0, 0}, {4, 5, 6, 7, 8}}), 0);
  CHECK(rows(padding.tensor(1, 5), 1, 5) == std::vector<std::string>{"11100", "11111"});
  CHECK(rows(Mask::causal(5).tensor(5, 5), 5, 5) ==
        std::vector<std::string>{"10000", "11000", "11100", "11110", "11111"});
  CHECK(rows((padding & Mask::causal(5)).tensor(5, 5), 5, 5) ==
        std::vector<std::string>{"10000", "11000", "11100", "11100", "11100", "10000", "11000",
                                 "11100", "11110", "11111"});

  // slides: three tokens, the third key is padding; a padded query still attends
  manual_seed(9);
  const Tensor q = randn({1, 1, 3, 4}), v = randn({1, 1, 3, 4});
  const Mask third = Mask::padding(tensor({{7, 8, 0}}), 0);
  const auto weights = [&](const Mask& mask) {
    return attend_with_weights(q, q, v, mask).weights.reshape({3, 3});
  };
  const auto seen = [](const Tensor& w) {
    std::string pattern;
    for (const double x : w.to_vector()) pattern += x == 0 ? '0' : x == 1 ? '1' : 'e';
    return pattern;
  };
  const Tensor encoder = weights(third), decoder = weights(third & Mask::causal(3));
  CHECK(seen(encoder) == "ee0ee0ee0");
  CHECK(seen(decoder) == "100ee0ee0");
  const Tensor scores = matmul(q[0][0], q[0][0].transpose(0, 1)) / 2;
  for (const int64_t row : {0, 1, 2}) {
    const Tensor expected = softmax(scores[row].narrow(0, 0, 2), 0);
    check_close(encoder[row].narrow(0, 0, 2), expected, 1e-6, 0, "encoder");
    if (row > 0) check_close(decoder[row].narrow(0, 0, 2), expected, 1e-6, 0, "decoder");
  }
}

TEST_CASE("mask: sequences one after the other see themselves alone") {
  const Tensor lengths = tensor({1, 0, 2}), of_keys = tensor({2, 1, 1});
  CHECK(Mask::sequences(lengths, of_keys).tensor(3, 4).to_vector() ==
        std::vector<double>{1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1});
  CHECK(Mask::causal_sequences(lengths).tensor(3, 3).to_vector() ==
        std::vector<double>{1, 0, 0, 0, 1, 0, 0, 1, 1});
  CHECK(!Mask::sequences(lengths, of_keys).allows_everything());
  const Tensor first = tensor({{true, false, true, true}});
  CHECK((Mask::allow(first) & Mask::sequences(lengths, of_keys)).tensor(3, 4).to_vector() ==
        std::vector<double>{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1});
  CHECK_THROWS_AS((void)Mask::sequences(lengths, tensor({1, 2})), ShapeError);
  CHECK_THROWS_AS((void)(Mask::sequences(lengths, of_keys) & Mask::causal_sequences(lengths)),
                  Error);
  // equal lengths, held in another tensor
  const Mask again = Mask::sequences(lengths.clone(), of_keys.clone());
  CHECK((Mask::sequences(lengths, of_keys) & again).tensor(3, 4).to_vector() ==
        again.tensor(3, 4).to_vector());
  CHECK((Mask::sequences(lengths.clone(), lengths) & Mask::causal_sequences(lengths))
            .tensor(3, 3)
            .to_vector() == std::vector<double>{1, 0, 0, 0, 1, 0, 0, 1, 1});
  CHECK_THROWS_AS((void)(again & Mask::sequences(lengths, tensor({2, 2, 0}))), Error);
  // ambiguous: causal over all tokens, or within each sentence?
  CHECK_THROWS_AS((void)(Mask::sequences(lengths, of_keys) & Mask::causal(3, 1)), Error);
  CHECK_THROWS_AS((void)Mask::sequences(lengths, of_keys).tensor(3, 3), ShapeError);
  const Tensor reused = tensor({1, 2});
  const Mask mask = Mask::sequences(reused, reused);
  fill(reused, 5000);
  CHECK_THROWS_AS((void)mask.tensor(3, 3), ShapeError);
  CHECK_THROWS_AS((void)Mask::sequences(tensor({1, -1}), tensor({1, 2})), ShapeError);
  const Tensor every_other = tensor({{1, 9}, {2, 9}}).select(1, 0);
  CHECK(Mask::causal_sequences(every_other).tensor(3, 3).to_vector() ==
        std::vector<double>{1, 0, 0, 0, 1, 0, 0, 1, 1});
  const Tensor x = randn({1, 3, 4});
  CHECK_THROWS_AS((void)attend(split_heads(x, 2), split_heads(x, 2), split_heads(x, 2),
                               Mask::sequences(lengths, of_keys)),
                  ShapeError);
}

TEST_CASE("packed sequences: padding is left out, and positions count anew") {
  const Tensor ids = tensor({{5, 6, 0}, {0, 0, 0}, {7, 8, 9}});
  const Tensor lengths = unpadded_lengths(ids, 0);
  CHECK(lengths.to_vector() == std::vector<double>{2, 0, 3});
  CHECK(pack(ids, lengths).to_vector() == std::vector<double>{5, 6, 7, 8, 9});
  CHECK(pack(ids.transpose(0, 1), tensor({1, 2, 0})).to_vector() == std::vector<double>{5, 6, 0});
  CHECK(packed_positions(lengths).to_vector() == std::vector<double>{0, 1, 0, 1, 2});
  CHECK(packed_positions(lengths).shape() == Dims{1, 5});
  CHECK(!unpadded_lengths(tensor({{5, 0, 6}}), 0).defined());
  CHECK(!unpadded_lengths(tensor({{0, 6}}), 0).defined());
  CHECK_THROWS_AS((void)pack(ids, tensor({1, 2})), ShapeError);
  CHECK_THROWS_AS((void)pack(ids, tensor({1, 4, 0})), ShapeError);
  CHECK_THROWS_AS((void)pack(ids, tensor({1, -1, 0})), ShapeError);
  CHECK_THROWS_AS((void)packed_positions(tensor({5, -5})), ShapeError);
  CHECK_THROWS_AS((void)packed_positions(tensor({INT64_MAX, INT64_MAX, 2})), ShapeError);
  CHECK_THROWS_AS((void)packed_positions(tensor({{1, 2}, {3, 4}})), ShapeError);
  CHECK_THROWS_AS((void)packed_positions(tensor({1., 2.})), DTypeError);
}

TEST_CASE("mask: one made for other lengths is refused") {
  const Tensor q = zeros({1, 2, 3, 2}), k = zeros({1, 2, 4, 2});
  CHECK_THROWS_WITH_AS(
      (void)attend(q, k, k, Mask::causal(3)),
      "attention: 3 queries and 4 keys, but the causal mask is for 3 queries and 3 keys",
      ShapeError);
  CHECK_THROWS_AS((void)attend(q, k, k, Mask::padding(tensor({{1, 2, 3}}), 0)), ShapeError);
  CHECK_THROWS_AS((void)(Mask::causal(3) & Mask::causal(4)), ShapeError);
  CHECK_THROWS_AS((void)Mask::allow(zeros({2})), DTypeError);
  CHECK_THROWS_AS((void)Mask::padding(tensor({1, 2}), 0), ShapeError);
  CHECK_THROWS_AS((void)split_heads(zeros({1, 2, 5}), 2), ShapeError);
  CHECK_THROWS_AS(MultiheadAttention(5, 2), ShapeError);
  CHECK_THROWS_AS(MultiheadAttention(4, 2, {.dropout = 2}), UsageError);
}

TEST_CASE("attention: heads are split and merged back") {
  const Tensor x = arange(0, 24, 1, f32).reshape({2, 3, 4});
  CHECK(split_heads(x, 2).shape() == Dims{2, 2, 3, 2});
  CHECK(split_heads(x, 2).to_vector()[2] == 4);  // second position of the first head
  CHECK(merge_heads(split_heads(x, 2)).to_vector() == x.to_vector());
}

TEST_CASE(
    "attention: masked keys do not matter, not even nan; a query without keys gives the bias alone "
    "and zero gradients") {
  manual_seed(1);
  const MultiheadAttention mha(4, 2);
  const Tensor x = randn({1, 2, 4}), memory = randn({1, 3, 4}),
               poisoned = cat({memory.narrow(1, 0, 2), full({1, 1, 4}, NAN)}, 1);
  const Mask mask = Mask::padding(tensor({{1, 1, 0}}), 0);
  CHECK(mha(x, memory, memory, mask).to_vector() == mha(x, poisoned, poisoned, mask).to_vector());

  const Tensor q = contiguous_copy(x).set_requires_grad();
  const Tensor y = mha(q, memory, memory, Mask::padding(tensor({{0, 0, 0}}), 0));
  for (double v : y.to_vector()) CHECK(v == 0);  // the bias of out_proj starts at 0
  y.backward(ones(y.shape()));
  for (double v : q.grad().to_vector()) CHECK(v == 0);
}

TEST_CASE("attention: capture by module path gives rows that sum to one, and changes nothing") {
  manual_seed(2);
  OneDecoder model;
  const Tensor x = randn({2, 3, 4}), memory = randn({2, 5, 4});
  const Tensor plain = model(x, memory);
  CaptureAttention all, cross("decoder.layers.*.cross_attn"), none("encoder.*");
  check_close(model(x, memory), plain, 1e-5, 1e-6, "captured");
  CHECK(all.paths() ==
        std::vector<std::string>{"decoder.layers.0.self_attn", "decoder.layers.0.cross_attn",
                                 "decoder.layers.1.self_attn", "decoder.layers.1.cross_attn"});
  CHECK(cross.paths() ==
        std::vector<std::string>{"decoder.layers.0.cross_attn", "decoder.layers.1.cross_attn"});
  CHECK(none.maps().empty());
  const Tensor w = cross.last("decoder.layers.1.cross_attn");
  CHECK(w.shape() == Dims{2, 2, 3, 5});
  CHECK(!w.requires_grad());
  for (double v : w.sum({-1}).to_vector()) CHECK(v == doctest::Approx(1));
  const Tensor s = all.last("layers.0.self_attn");
  CHECK(s.select(-2, 0).select(-1, 1).to_vector() == std::vector<double>(4, 0));  // causal
  CHECK_THROWS_WITH_AS((void)cross.last("mha"),
                       "attention: no module 'mha' was captured; captured: "
                       "decoder.layers.0.cross_attn, decoder.layers.1.cross_attn",
                       UsageError);
  all.clear();
  CHECK(all.maps().empty());
}

TEST_CASE("attention: captured weights are those before dropout") {
  manual_seed(3);
  const MultiheadAttention mha(4, 2, {.dropout = 0.5});
  const Tensor x = randn({1, 3, 4});
  CaptureAttention capture;
  (void)mha(x, x, x);
  for (double v : capture.last("*").sum({-1}).to_vector()) CHECK(v == doctest::Approx(1));
  manual_seed(4);
  const Tensor a = mha(x, x, x);
  manual_seed(5);
  const Tensor b = mha(x, x, x);
  CHECK(a.to_vector() != b.to_vector());
  eval(mha);
  CHECK(mha(x, x, x).to_vector() == mha(x, x, x).to_vector());
}

TEST_CASE("attention: captures may end in any order") {
  const MultiheadAttention mha(4, 2);
  const Tensor x = randn({1, 3, 4});
  auto a = std::make_unique<CaptureAttention>(), b = std::make_unique<CaptureAttention>();
  a.reset();
  (void)mha(x, x, x);
  CHECK(b->maps().size() == 1);
  b.reset();
  CHECK(!attention_is_captured());
  (void)mha(x, x, x);
}

TEST_CASE("attention: the lowest number that is added hides nothing, -inf alone does") {
  const Tensor q = zeros({1, 1, 2, 2}).set_requires_grad(), k = zeros({1, 1, 3, 2}),
               v = tensor({0, 1, 2, 3, 4, 5}, f32).reshape({1, 1, 3, 2}),
               b = tensor({{-FLT_MAX, -INFINITY, -INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
                          f32)
                       .set_requires_grad();
  const AttentionOutput y = biased_attention(q, k, v, Mask::add(b));
  CHECK(y.output.to_vector() == std::vector<double>{0, 1, 0, 0});
  CHECK(y.weights.to_vector() == std::vector<double>{1, 0, 0, 0, 0, 0});
  y.output.backward(ones({1, 1, 2, 2}));
  CHECK(q.grad().to_vector() == std::vector<double>(4, 0));
  CHECK(b.grad().to_vector() == std::vector<double>(6, 0));
}
