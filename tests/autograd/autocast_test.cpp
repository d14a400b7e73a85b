// Autocast(bf16): which operations round, backward's use of the forward's precision, the error of
// gradients, threads.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/memory/memory.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/tests/threads.h>

#include <cmath>

using namespace slope;

namespace {

Tensor rounded(const Tensor& x) { return x.to(bf16).to(f32); }

double relative(const Tensor& a, const Tensor& b) {
  const Tensor difference = a.detach().to(f64) - b.detach().to(f64);
  return difference.norm().item() / b.detach().to(f64).norm().item();
}

constexpr double of_sums = 1e-6, of_rounding = 1e-2;  // relative errors: f32 sums, bf16 operands

}  // namespace

TEST_CASE("autocast: products of rounded operands, forward and backward") {
  manual_seed(1);
  const Tensor x = randn({50, 40}).set_requires_grad(), w = randn({30, 40}).set_requires_grad(),
               b = randn({30}).set_requires_grad(), g = randn({50, 30});
  Tensor y;
  {
    const Autocast autocast(bf16);
    y = linear(x, w, b);
  }
  y.backward(g);  // after the scope, in the precision of the forward
  CHECK(y.dtype() == f32);
  CHECK(relative(y, linear(rounded(x), rounded(w), b)) < of_sums);
  CHECK(relative(x.grad(), matmul(rounded(g), rounded(w))) < of_sums);
  CHECK(relative(w.grad(), matmul(rounded(g).transpose(0, 1), rounded(x))) < of_sums);
  CHECK(relative(b.grad(), sum(g, {0})) < of_sums);  // no product, not rounded
}

TEST_CASE("autocast: what was recorded in f32 stays f32 in backward") {
  manual_seed(2);
  const Tensor x = randn({20, 30}).set_requires_grad(), w = randn({30, 10}), g = randn({20, 10});
  const Tensor y = matmul(x, w);
  const Autocast autocast(bf16);
  y.backward(g);
  const Autocast exact(f32);
  CHECK(x.grad().to_vector() == matmul(g, w.transpose(0, 1)).to_vector());
}

TEST_CASE("autocast: matmul, bmm and the fused loss round; attention does where it is worth it") {
  manual_seed(3);
  const Tensor q = randn({2, 3, 20, 16}), k = randn({2, 3, 25, 16}), v = randn({2, 3, 25, 16}),
               h = randn({40, 16}), w = randn({50, 16}) * 0.2, target = randint(0, 50, {40});
  const std::vector<std::pair<std::string, std::function<Tensor(const Tensors&)>>> products = {
      {"matmul", [](const Tensors& in) { return matmul(in[0], in[1].transpose(-2, -1)); }},
      {"bmm",
       [](const Tensors& in) {
         return bmm(in[0].reshape({6, 20, 16}), in[1].reshape({6, 25, 16}).transpose(1, 2));
       }},
      {"linear_cross_entropy",
       [&](const Tensors& in) { return linear_cross_entropy(in[3], in[4], Tensor(), target); }}};
  for (const auto& [name, f] : products) {
    Tensors exact, autocast;
    for (const DType precision : {f32, bf16}) {
      Tensors in;
      for (const Tensor& x : {q, k, v, h, w}) in.push_back(x.clone().set_requires_grad());
      {
        const Autocast scope(precision);
        const Tensor y = f(in);
        (y * y).sum().backward();
        (precision == bf16 ? autocast : exact).push_back(y);
      }
      for (const Tensor& x : in)
        if (x.grad().defined()) (precision == bf16 ? autocast : exact).push_back(x.grad());
    }
    REQUIRE(exact.size() == autocast.size());
    for (size_t i = 0; i < exact.size(); ++i) {
      CHECK_MESSAGE(relative(autocast[i], exact[i]) > 1e-5, name);  // the loss averages errors
      CHECK_MESSAGE(relative(autocast[i], exact[i]) < of_rounding, name);
    }
  }
  const Autocast autocast(bf16);
  const Tensor o = scaled_dot_product_attention(q, k, v);  // small heads
  const Autocast exact(f32);
  CHECK(o.to_vector() == scaled_dot_product_attention(q, k, v).to_vector());
}

TEST_CASE("autocast: attention with masks, dropout, weights and packed sequences") {
  const bool has_unit = bf16_unit() != Bf16Unit::none;
  if (!has_unit) MESSAGE("no unit for bf16 here: attention stays f32");
  manual_seed(6);
  const Tensor q = randn({2, 90, 40}), k = randn({2, 70, 40}), v = randn({2, 70, 24}),
               mask = rand({90, 70}) < 0.8, lengths = tensor({50, 40}, i64),
               key_lengths = tensor({30, 40}, i64);
  AttentionOptions plain, masked, causal, dropped, packed;
  masked.mask = mask, causal.causal = true, dropped.dropout = 0.3;
  packed.query_lengths = lengths, packed.key_lengths = key_lengths;
  for (const AttentionOptions& options : {plain, masked, causal, dropped, packed}) {
    const auto results = [&](DType precision, DType dtype) {
      manual_seed(7);  // the same draws
      Tensors in, all;
      for (const Tensor& x : {q, k, v}) in.push_back(x.to(dtype).clone().set_requires_grad());
      const Autocast scope(precision);
      const AttentionOutput y =
          scaled_dot_product_attention_with_weights(in[0], in[1], in[2], options);
      ((y.output * y.output).sum() + (y.weights * y.weights).sum()).backward();
      all = {y.output.detach(), y.weights.detach()};
      for (const Tensor& x : in) all.push_back(x.grad());
      return all;
    };
    const Tensors exact = results(f32, f64), rounded_ones = results(bf16, f32);
    for (size_t i = 0; i < exact.size(); ++i) {
      CHECK(relative(rounded_ones[i], exact[i]) < of_rounding);
      if (has_unit) CHECK(relative(rounded_ones[i], exact[i]) > 1e-5);
    }
  }
}

TEST_CASE("autocast: in backward too the weights of a row of attention add up to 1") {
  const Autocast autocast(bf16);
  // bf16 rounds 10.03 to 10: q k^T changes by 0.6 for each channel
  const auto check = [](const Dims& shape, const auto& with_layout, const auto& backward) {
    const Tensor x = full(shape, 10.03).set_requires_grad(), v = randn(shape).set_requires_grad(),
                 q = x * 1.0;  // not a leaf: kept in bf16
    backward(scaled_dot_product_attention(q, q, with_layout(v * 1.0)));
    // each of as many rows as keys has the same weights: dv = 1
    for (const double dv : v.grad().to_vector()) CHECK(dv == doctest::Approx(1).epsilon(1e-3));
  };
  const auto as_it_is = [](const Tensor& v) { return v; };
  const auto turned = [](const Tensor& v) { return v.transpose(-1, -2); };
  const auto expanded_g = [](const Tensor& y) { y.sum().backward(); };
  const auto contiguous_g = [](const Tensor& y) { y.backward(ones(y.shape())); };
  // With a unit, it computes a head of the second shape, unless v or g is not contiguous.
  for (const Dims& shape : {Dims{16384, 1, 1}, Dims{4, 64, 64}}) {
    check(shape, as_it_is, expanded_g);
    check(shape, as_it_is, contiguous_g);
    check(shape, turned, expanded_g);
    check(shape, turned, contiguous_g);
  }
}

TEST_CASE("autocast: with create_graph attention's gradients are those of its f32 kernels") {
  manual_seed(9);
  const Tensor q = randn({2, 5, 8}).set_requires_grad(), k = randn({2, 6, 8}).set_requires_grad(),
               v = randn({2, 6, 8}).set_requires_grad(), g = randn({2, 5, 8});
  const Autocast autocast(bf16);  // for which these heads are too small
  const Tensor y = scaled_dot_product_attention(q, k, v);
  const Tensors plain = grad({y}, {q, k, v}, {.grad_outputs = {g}, .retain_graph = true}),
                with_graph = grad({y}, {q, k, v}, {.grad_outputs = {g}, .create_graph = true});
  for (size_t i = 0; i < 3; ++i) CHECK(relative(with_graph[i], plain[i]) < of_sums);
}

TEST_CASE("autocast: what a mask hides, even nan, reaches neither output nor gradient") {
  manual_seed(8);
  const Tensor q = randn({64, 32}).set_requires_grad(), hidden = arange(64) == 5;
  const Tensor k = where(hidden.unsqueeze(-1), full({}, NAN), randn({64, 32})).set_requires_grad(),
               v = where(hidden.unsqueeze(-1), full({}, NAN), randn({64, 32})).set_requires_grad();
  AttentionOptions options;
  options.mask = (!hidden).unsqueeze(0);
  const Autocast autocast(bf16);
  const Tensor o = scaled_dot_product_attention(q, k, v, options);
  o.sum().backward();
  for (const Tensor& x : {o.detach(), q.grad(), k.grad(), v.grad()})
    CHECK(std::isfinite(x.sum().item()));
}

TEST_CASE("autocast: values kept in bf16 give the gradients of the same values in f32") {
  manual_seed(5);
  const Autocast autocast(bf16);
  const auto gradient = [](const auto& f, const Tensor& values, const Tensor& g) {
    const Tensor x = values.clone().set_requires_grad();
    f(x * 1).backward(g);  // not the leaf: leaves stay in memory in f32
    return x.grad();
  };
  const auto turned = [](const Tensor& x) { return gelu(x.transpose(1, 2)).transpose(1, 2); };
  const std::vector<std::pair<std::string, std::function<Tensor(const Tensor&)>>> functions = {
      {"gelu", [](const Tensor& x) { return gelu(x); }},
      {"gelu_tanh", [](const Tensor& x) { return gelu(x, Gelu::tanh); }},
      {"gelu of a transpose", turned},
      {"relu", [](const Tensor& x) { return relu(x); }},
      {"silu", [](const Tensor& x) { return silu(x); }},
      {"layer_norm", [](const Tensor& x) { return layer_norm(x, Tensor(), Tensor(), 1e-5); }},
      {"rms_norm", [](const Tensor& x) { return rms_norm(x, Tensor(), 1e-5); }},
      {"attention", [](const Tensor& x) { return scaled_dot_product_attention(x, x, x); }}};
  const Tensor x = rounded(randn({9, 50, 50})), g = randn({9, 50, 50});
  for (const auto& [name, f] : functions) {
    const Tensor all = gradient(f, x, g);    // 22,500 elements: kept in bf16
    for (int64_t i = 0; i < x.size(0); ++i)  // 2,500: kept in f32
      CHECK_MESSAGE(gradient(f, x.narrow(0, i, 1), g.narrow(0, i, 1)).to_vector() ==
                        all.narrow(0, i, 1).to_vector(),
                    name);
  }
}

TEST_CASE("autocast: a second derivative, and f64, which is left alone") {
  const Tensor x = tensor({{0.3, -1.2}}).set_requires_grad(), w = tensor({{0.7}, {0.4}});
  const Autocast autocast(bf16);
  const Tensor y = matmul(x * x, w);
  const Tensor dx = grad({y.sum()}, {x}, {.create_graph = true})[0];
  dx.sum().backward();
  CHECK(relative(x.grad(), (rounded(w) * 2).transpose(0, 1)) < of_sums);
  const Tensor a = tensor({{1 + 0x1p-40}}, f64);
  CHECK(matmul(a, a).item() == a.item() * a.item());
}

TEST_CASE("autocast: what a feed-forward layer keeps takes half the memory") {
  manual_seed(6);
  const Tensor x = randn({512, 64}).set_requires_grad(), w = randn({128, 64}), v = randn({64, 128});
  const auto kept = [&](DType precision) {
    const int64_t before = memory::stats().live;
    const Autocast autocast(precision);
    const Tensor y = linear(dropout(relu(linear(x * 1.0, w)), 0.1, true), v);
    return memory::stats().live - before;  // with y itself, which is f32
  };
  const auto y_bytes = static_cast<int64_t>(512 * 64 * sizeof(float));
  CHECK(static_cast<double>(kept(bf16) - y_bytes) <=
        0.55 * static_cast<double>(kept(f32) - y_bytes));
}

TEST_CASE("autocast: the same bits for any number of threads") {
  const KeepThreads restore;
  manual_seed(4);
  const Tensor x = randn({400, 96}), w = randn({200, 96}), q = randn({4, 4, 70, 24});
  std::vector<double> first;
  for (const int threads : {1, 2, 3, 4}) {
    set_num_threads(threads);
    const Tensor leaf = x.clone().set_requires_grad(), heads = q.clone().set_requires_grad();
    const Autocast autocast(bf16);
    const Tensor y = linear(leaf, w), o = scaled_dot_product_attention(heads, heads, heads);
    (y * y).sum().backward();
    (o * o).sum().backward();
    std::vector<double> all = leaf.grad().to_vector();
    for (const double value : heads.grad().to_vector()) all.push_back(value);
    if (first.empty()) first = all;
    CHECK_MESSAGE(all == first, threads << " threads");
  }
}
