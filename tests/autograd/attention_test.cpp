#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/tests/autograd/same_bits.h>
#include <slope/tests/leaf.h>

#include <cmath>

using namespace slope;
using slope::test::random_leaf;

namespace {

constexpr double poison = std::numeric_limits<double>::quiet_NaN();

// The textbook's composition. `allowed` may be undefined.
AttentionOutput textbook(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& allowed,
                         double scale) {
  Tensor w = matmul(q, k.transpose(-2, -1)) * scale;
  if (allowed.defined())
    w = masked_fill(softmax(masked_fill(w, !allowed, -1e30), -1), !allowed, 0);
  else
    w = softmax(w, -1);
  return {matmul(w, v), w};
}

Tensor causal_mask(int64_t L, int64_t S) {
  return arange(S) <= (arange(L) + static_cast<double>(S - L)).unsqueeze(-1);
}

double largest_difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  double largest = 0, scale = 1e-30;
  for (size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::isnan(x[i] - y[i]) ? 1e300 : std::abs(x[i] - y[i]));
    scale = std::max(scale, std::abs(y[i]));
  }
  return largest / scale;
}

// x with x[..., from:, :] = value.
Tensor with_rows_from(const Tensor& x, int64_t from, double value) {
  const Tensor y = contiguous_copy(x.detach());
  fill(y.narrow(-2, from, y.size(-2) - from), value);
  return y.set_requires_grad();
}

}  // namespace

TEST_CASE("attention: equals the textbook's composition, forward and backward") {
  struct Sizes {
    int64_t L, S, D, E;
  };
  generator() = Generator{.seed = 1};
  for (const auto& [dtype, tolerance] : {std::pair{f64, 1e-12}, {f32, 1e-5}})
    for (const Sizes& n : {Sizes{14, 14, 32, 32},
                           {20, 23, 32, 32},
                           {7, 5, 18, 17},
                           {150, 150, 16, 16},
                           {1, 9, 8, 4},
                           {1, 40, 50, 70},
                           {130, 70, 9, 33}})
      for (bool causal : {false, true})
        for (bool masked : {false, true}) {
          CAPTURE(n.L);
          CAPTURE(causal);
          CAPTURE(masked);
          const Tensor q = random_leaf({2, 3, n.L, n.D}, dtype),
                       k = random_leaf({2, 3, n.S, n.D}, dtype),
                       v = random_leaf({2, 3, n.S, n.E}, dtype);
          const Tensor u = randn({2, 3, n.L, n.E}, dtype), uw = randn({2, 3, n.L, n.S}, dtype);
          const Tensor mask = masked ? rand({2, 1, n.L, n.S}) < 0.7 : Tensor();
          Tensor allowed = mask;
          if (causal)
            allowed = masked ? logical_and(mask, causal_mask(n.L, n.S)) : causal_mask(n.L, n.S);
          const auto [y, w] =
              scaled_dot_product_attention_with_weights(q, k, v, {.mask = mask, .causal = causal});
          const auto [z, p] = textbook(q, k, v, allowed, 1 / std::sqrt(static_cast<double>(n.D)));
          CHECK(largest_difference(y, z) < tolerance);
          CHECK(largest_difference(w, p) < tolerance);
          CHECK(same_bits(scaled_dot_product_attention(q, k, v, {.mask = mask, .causal = causal}),
                          y));
          const Tensors found = grad({y, w}, {q, k, v}, {.grad_outputs = {u, uw}}),
                        expected = grad({z, p}, {q, k, v}, {.grad_outputs = {u, uw}});
          for (size_t i = 0; i < 3; ++i)
            CHECK(largest_difference(found[i], expected[i]) < tolerance);
        }
}

TEST_CASE("attention: over 65536 keys the outputs in f32 keep their digits") {
  const int64_t S = 1 << 16;
  const Tensor k = zeros({1, S, 1}), v = full({1, S, 33}, 1.1);
  const auto check = [](const Tensor& y) {
    for (const double x : y.to_vector()) CHECK(x == doctest::Approx(1.1).epsilon(5e-5));
  };
  for (const int64_t L : {1, 2}) check(scaled_dot_product_attention(zeros({1, L, 1}), k, v));
  const Tensor hidden_nan = with_rows_from(v, S - 1, poison);  // from the first query
  check(scaled_dot_product_attention(zeros({1, 2, 1}), k, hidden_nan, {.causal = true})[0][0]);
}

TEST_CASE(
    "attention: a row that sees nothing gives 0 and takes no gradient, whatever stands there") {
  generator() = Generator{.seed = 2};
  for (double value : {1.0, poison, 1e38}) {
    const Tensor q = with_rows_from(randn({1, 4, 8}), 3, value), k = random_leaf({1, 5, 8}),
                 v = random_leaf({1, 5, 8});
    const Tensor mask = tensor({{true}, {true}, {true}, {false}});
    const auto [y, w] = scaled_dot_product_attention_with_weights(q, k, v, {.mask = mask});
    for (const Tensor& row : {y[0][3], w[0][3]})
      for (double x : row.to_vector()) CHECK(x == 0);
    const Tensors g = grad({y.sum()}, {q, k, v});
    for (double x : g[0][0][3].to_vector()) CHECK(x == 0);
    for (const Tensor& x : g)
      for (double e : x.to_vector()) CHECK(std::isfinite(e));
  }
}

TEST_CASE(
    "attention: what is masked changes no bit of a result or gradient, not even poison, inf "
    "or 1e38") {
  generator() = Generator{.seed = 3};
  for (int64_t L : {1, 6}) {
    const int64_t S = 11, seen = 7;
    const Tensor q = random_leaf({2, L, 16}), k = random_leaf({2, S, 16}),
                 v = random_leaf({2, S, 16}), u = randn({2, L, 16});
    const Tensor padding = arange(S) < static_cast<double>(seen);
    const auto run = [&](const Tensor& keys, const Tensor& values, AttentionOptions options) {
      generator() = Generator{.seed = 4};
      const Tensor y = scaled_dot_product_attention(q, keys, values, options);
      Tensors all{y};
      for (const Tensor& g : grad({y}, {q, keys, values}, {.grad_outputs = {u}})) all.push_back(g);
      return all;
    };
    for (double p : {0.0, 0.3}) {
      const AttentionOptions options{.mask = padding, .dropout = p};
      const Tensors clean = run(with_rows_from(k, seen, 0), with_rows_from(v, seen, 0), options);
      for (double value : {poison, std::numeric_limits<double>::infinity(), 1e38, -1e38}) {
        CHECK(same_bits(run(with_rows_from(k, seen, value), with_rows_from(v, seen, 0), options),
                        clean));
        CHECK(same_bits(run(with_rows_from(k, seen, 0), with_rows_from(v, seen, value), options),
                        clean));
        CHECK(same_bits(
            run(with_rows_from(k, seen, value), with_rows_from(v, seen, value), options), clean));
      }
      for (size_t i : {2, 3})
        for (double g : clean[i].narrow(1, seen, S - seen).to_vector()) CHECK(g == 0);
    }
  }
}

TEST_CASE("attention: causal rows do not see later nan") {
  generator() = Generator{.seed = 5};
  const Tensor q = random_leaf({1, 5, 8}), k = with_rows_from(randn({1, 5, 8}), 3, poison),
               v = with_rows_from(randn({1, 5, 8}), 3, poison);
  const Tensor y = scaled_dot_product_attention(q, k, v, {.causal = true});
  for (double x : y.narrow(1, 0, 3).to_vector()) CHECK(std::isfinite(x));
  for (double x : y.narrow(1, 3, 2).to_vector()) CHECK(std::isnan(x));
}

TEST_CASE(
    "attention: a row that sees nothing but nan gives nan, however many columns are hidden from "
    "it") {
  generator() = Generator{.seed = 7};
  for (int64_t S : {1, 5, 16, 17, 40, 70})
    for (int64_t seen : {int64_t{1}, (S + 1) / 2, S}) {
      const Tensor q = randn({1, S % 2 + 1, 8}), k = full({1, S, 8}, poison), v = randn({1, S, 8});
      const Tensor y =
          scaled_dot_product_attention(q, k, v, {.mask = arange(S) < static_cast<double>(seen)});
      for (double x : y.to_vector()) CHECK(std::isnan(x));
    }
}

TEST_CASE("attention: dropout takes weights with probability p and draws them again in backward") {
  generator() = Generator{.seed = 6};
  const int64_t L = 40, S = 50;
  const double p = 0.25;
  const Tensor q = random_leaf({2, 4, L, 8}, f64), k = random_leaf({2, 4, S, 8}, f64),
               identity = eye(S, S, f64).expand({2, 4, S, S});
  // v = 1: the weights after dropout
  const Tensor kept = scaled_dot_product_attention(q, k, identity, {.dropout = p});
  generator() = Generator{.seed = 6};
  (void)randn({2, 4, L, 8}, f64), (void)randn({2, 4, S, 8}, f64);
  const auto [again, weights] =
      scaled_dot_product_attention_with_weights(q, k, identity, {.dropout = p});
  CHECK(same_bits(kept, again));
  const std::vector<double> a = kept.to_vector(), w = weights.to_vector();
  int64_t zeros = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    zeros += a[i] == 0;
    if (a[i] != 0) CHECK(a[i] == doctest::Approx(w[i] / (1 - p)));
  }
  const double n = static_cast<double>(a.size());
  CHECK(std::abs(static_cast<double>(zeros) / n - p) < 5 * std::sqrt(p * (1 - p) / n));
}

TEST_CASE(
    "attention: heads of a (B, L, H, D) projection come out in that order, so that merging them is "
    "a view") {
  generator() = Generator{.seed = 7};
  const Tensor x = random_leaf({2, 9, 24});
  const Tensor heads = x.reshape({2, 9, 3, 8}).transpose(1, 2);
  const Tensor y = scaled_dot_product_attention(heads, heads, heads), merged = y.transpose(1, 2);
  CHECK(merged.is_contiguous());
  const Tensor c = contiguous_copy(heads.detach());
  CHECK(same_bits(y, scaled_dot_product_attention(c, c, c)));
  // one set of keys for all heads, read in place
  const Tensor shared = randn({1, 1, 9, 8}).expand({2, 3, 9, 8});
  CHECK(
      same_bits(scaled_dot_product_attention(c, shared, shared),
                scaled_dot_product_attention(c, contiguous_copy(shared), contiguous_copy(shared))));
}

TEST_CASE(
    "attention: queries, keys and values split from one tensor give it the gradients of three, to "
    "the bit") {
  generator() = Generator{.seed = 9};
  const Tensor x = random_leaf({2, 9, 48}), u = randn({2, 9, 16}), c = randn({2, 9, 48});
  const auto attend = [&](const Tensors& qkv) {
    const auto heads = [](const Tensor& t) { return t.reshape({2, 9, 2, 8}).transpose(1, 2); };
    const Tensor y =
        scaled_dot_product_attention(heads(qkv[0]), heads(qkv[1]), heads(qkv[2]), {.causal = true});
    return y.transpose(1, 2).reshape({2, 9, 16});
  };
  const Tensors apart{clone(x.narrow(2, 0, 16)), clone(x.narrow(2, 16, 16)),
                      clone(x.narrow(2, 32, 16))};
  const Tensor expected = cat(grad({attend(apart)}, apart, {.grad_outputs = {u}}), 2);
  CHECK(same_bits(grad({attend(split(x, 16, 2))}, {x}, {.grad_outputs = {u}})[0], expected));

  // A caller that keeps a piece's gradient sees it unchanged when x's other use is added.
  const Tensor h = x * 1, weighted = sum(h * c);
  const Tensors pieces = split(h, 16, 2);
  for (const Tensor& piece : pieces) piece.retain_grad();
  backward({attend(pieces), weighted}, {u, {}});
  CHECK(same_bits(x.grad(), expected + c));
  for (int64_t i = 0; i < 3; ++i)
    CHECK(same_bits(pieces[static_cast<size_t>(i)].grad(), expected.narrow(2, 16 * i, 16)));
}

TEST_CASE("attention: the same bits for 1, 2, 3 and 7 threads") {
  generator() = Generator{.seed = 8};
  const Tensor q = random_leaf({4, 4, 90, 16}), k = random_leaf({4, 4, 90, 16}),
               v = random_leaf({4, 4, 90, 16}), u = randn({4, 4, 90, 16});
  CHECK(same_for_all_threads([&] {
    const Tensor y = scaled_dot_product_attention(q, k, v, {.causal = true, .dropout = 0.1});
    Tensors all{y};
    for (const Tensor& g : grad({y}, {q, k, v}, {.grad_outputs = {u}})) all.push_back(g);
    return all;
  }));
}

TEST_CASE(
    "attention: each of several sequences is attended to as if it were alone, to the bit, whatever "
    "stands in the others") {
  generator() = Generator{.seed = 6};
  const std::vector<int64_t> ls{3, 1, 0, 14, 50, 2}, ss{5, 7, 2, 14, 60, 0};
  const Tensor lengths = from_vector(ls, {6}), of_keys = from_vector(ss, {6});
  const Tensor q = random_leaf({2, 3, 70, 18}), k = random_leaf({2, 3, 88, 18}),
               v = random_leaf({2, 3, 88, 9}), g = randn({2, 3, 70, 9});
  for (const bool causal : {false, true}) {
    const auto [together, w] = scaled_dot_product_attention_with_weights(
        q, k, v, {.causal = causal, .query_lengths = lengths, .key_lengths = of_keys});
    together.backward(g);
    int64_t row = 0, key = 0;
    for (size_t i = 0; i < ls.size(); row += ls[i], key += ss[i], ++i) {
      CAPTURE(i);
      const auto rows = [&](const Tensor& x) {
        return contiguous_copy(x.detach().narrow(2, row, ls[i]));
      };
      const auto keys = [&](const Tensor& x) {
        return contiguous_copy(x.detach().narrow(2, key, ss[i]));
      };
      const Tensor one_q = rows(q).set_requires_grad(), one_k = keys(k).set_requires_grad(),
                   one_v = keys(v).set_requires_grad();
      const auto [alone, one_w] =
          scaled_dot_product_attention_with_weights(one_q, one_k, one_v, {.causal = causal});
      alone.backward(rows(g));
      CHECK(same_bits(alone, rows(together)));
      CHECK(same_bits(one_w,
                      contiguous_copy(w.detach().narrow(2, row, ls[i]).narrow(3, key, ss[i]))));
      CHECK(same_bits(one_q.grad(), rows(q.grad())));
      CHECK(same_bits(one_k.grad(), keys(k.grad())));
      CHECK(same_bits(one_v.grad(), keys(v.grad())));
      if (ls[i] == 0 || ss[i] == 0) continue;
      const Tensor own = contiguous_copy(w.detach().narrow(2, row, ls[i]));
      // no sentence attends to another's keys
      CHECK(sum(own).item() == doctest::Approx(sum(one_w).item()));
    }
    for (Tensor x : {q, k, v}) x.set_grad(Tensor());
  }
  const Tensor poisoned = with_rows_from(v, 29, poison);  // the keys of the last two
  const Tensor y = scaled_dot_product_attention(q, k, poisoned,
                                                {.query_lengths = lengths, .key_lengths = of_keys})
                       .detach();
  CHECK(std::isfinite(sum(y.narrow(2, 0, 18)).item()));
  CHECK(std::isnan(sum(y.narrow(2, 18, 50)).item()));
  CHECK(sum(abs(y.narrow(2, 68, 2))).item() == 0);  // two rows that have no keys
}

TEST_CASE(
    "attention: dropout draws sequences of many lengths again in backward, the same for any number "
    "of threads") {
  generator() = Generator{.seed = 7};
  std::vector<int64_t> lengths(40);
  for (size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<int64_t>(i * 7 % 23);
  const Tensor n = from_vector(lengths, {40});
  const int64_t rows = sum(n).item<int64_t>();
  const Tensor q = random_leaf({4, rows, 8}), k = random_leaf({4, rows, 8}),
               g = randn({4, rows, rows});
  const Tensor v = eye(rows).expand({4, rows, rows});  // the output is the weights
  CHECK(same_for_all_threads([&] {
    generator() = Generator{.seed = 8};
    const Tensor y = scaled_dot_product_attention(
        q, k, v, {.dropout = 0.5, .query_lengths = n, .key_lengths = n});
    // A weight is doubled or dropped: the weights of a row add up to 1 on average.
    CHECK(sum(y).item() / static_cast<double>(4 * rows) == doctest::Approx(1).epsilon(0.05));
    Tensors all{y};
    for (const Tensor& dx : grad({y}, {q, k}, {.grad_outputs = {g}})) all.push_back(dx);
    return all;
  }));
}
