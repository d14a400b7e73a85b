// Values of products against plain loops over every rank combination and layout; einsum against
// loops over all of its indices.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/parallel.h>
#include <slope/tests/autograd/same_bits.h>
#include <slope/tests/threads.h>

#include <cmath>
#include <map>

using namespace slope;

namespace {

// broadcasting: a size 1 is repeated, missing dims are at the left
double at(const Tensor& x, const std::vector<int64_t>& position) {
  int64_t offset = 0;
  const size_t lead = position.size() - x.shape().size();
  for (size_t d = 0; d < x.shape().size(); ++d)
    offset += (x.shape()[d] == 1 ? 0 : position[lead + d]) * x.strides()[d];
  return x.data<double>()[offset];
}

// The product by its definition, for operands of rank >= 2.
std::vector<double> naive(const Tensor& a, const Tensor& b, const Dims& shape) {
  std::vector<double> result;
  for (int64_t e = 0; e < numel(shape); ++e) {
    std::vector<int64_t> position(shape.size());
    int64_t rest = e;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) position[d] = rest % shape[d];
    std::vector<int64_t> row = position, col = position;
    double sum = 0;
    for (int64_t k = 0; k < a.size(-1); ++k) {
      row.back() = k;
      col[col.size() - 2] = k;
      sum += at(a, row) * at(b, col);
    }
    result.push_back(sum);
  }
  return result;
}

void check_near(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-12));
}

// The same values in another layout.
std::vector<Tensor> layouts(const Tensor& x) {
  std::vector<Tensor> result{x};
  if (x.rank() >= 2) result.push_back(x.transpose(-1, -2).contiguous().transpose(-1, -2));
  if (x.rank() >= 3) result.push_back(x.transpose(0, -2).contiguous().transpose(0, -2));
  Dims doubled = x.shape();
  doubled.push_back(2);
  // every second element
  result.push_back(x.unsqueeze(-1).expand(doubled).contiguous().select(-1, 1));
  return result;
}

}  // namespace

TEST_CASE("matmul: every rank combination and layout gives the sum of products") {
  manual_seed(1);
  const std::vector<std::pair<Dims, Dims>> shapes = {{{2, 3}, {3, 4}},
                                                     {{5, 2, 3}, {3, 4}},
                                                     {{2, 3}, {5, 3, 4}},
                                                     {{5, 2, 3}, {5, 3, 4}},
                                                     {{1, 2, 3}, {5, 3, 4}},
                                                     {{2, 1, 2, 3}, {4, 3, 2}},
                                                     {{2, 2, 2, 3}, {2, 1, 3, 1}},
                                                     {{2, 0}, {0, 3}},
                                                     {{0, 2, 3}, {3, 4}},
                                                     {{1, 1}, {1, 1}},
                                                     {{70, 33}, {33, 65}},
                                                     {{2, 3, 70}, {70, 40}}};
  for (const auto& [left, right] : shapes)
    for (const Tensor& a : layouts(randn(left, f64)))
      for (const Tensor& b : layouts(randn(right, f64))) {
        const Tensor y = matmul(a, b);
        CAPTURE(to_string(a.shape()));
        CAPTURE(to_string(b.shape()));
        check_near(y.to_vector(), naive(a, b, y.shape()));
      }
}

TEST_CASE("matmul: a vector is a row on the left and a column on the right") {
  const Tensor v = tensor({1., 2., 3.}, f64),
               M = tensor({{1., 0., 2.}, {0., 1., 1.}, {3., 1., 0.}}, f64);
  CHECK(matmul(v, v).shape() == Dims{});
  CHECK(matmul(v, v).item() == 14);
  CHECK(matmul(v, M).to_vector() == std::vector<double>{10, 5, 4});
  CHECK(matmul(M, v).to_vector() == std::vector<double>{7, 5, 5});
  CHECK(matmul(v, M.expand({2, 4, 3, 3})).shape() == Dims{2, 4, 3});
  CHECK(matmul(M.expand({2, 4, 3, 3}), v).shape() == Dims{2, 4, 3});
  CHECK_THROWS_WITH_AS((void)matmul(zeros({2, 3}), zeros({4, 5})),
                       "matmul: inner sizes differ: (2, 3) @ (4, 5)", ShapeError);
  CHECK_THROWS_WITH_AS((void)matmul(zeros({2}), zeros({3})),
                       "matmul: inner sizes differ: (2,) @ (3,)", ShapeError);
}

TEST_CASE("linear: is x W^T + b, whatever the strides of x, W and b") {
  manual_seed(2);
  for (const Tensor& x : layouts(randn({4, 5, 6}, f64)))
    for (const Tensor& W : layouts(randn({3, 6}, f64)))
      for (const Tensor& b : layouts(randn({3}, f64))) {
        check_near(linear(x, W, b).to_vector(), add(matmul(x, W.transpose(0, 1)), b).to_vector());
        check_near(linear(x, W).to_vector(), matmul(x, W.transpose(0, 1)).to_vector());
      }
  CHECK(linear(zeros({2, 0}), zeros({3, 0}), tensor({1., 2., 3.}, f32)).to_vector() ==
        std::vector<double>{1, 2, 3, 1, 2, 3});
  CHECK_THROWS_WITH_AS((void)linear(zeros({2, 5}), zeros({3, 4})),
                       "linear: input 1 of shape (3, 4) does not fit (out, in): size in is 5 in "
                       "input 0 of shape (2, 5)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      (void)linear(zeros({2, 4}), zeros({3, 4}), zeros({4})),
      "linear: input 2 of shape (4,) does not fit (out): size out is 3 in input 1 of shape (3, 4)",
      ShapeError);
}

TEST_CASE("linear: value and gradients have the same bits for 1, 2, 3, 4 and 7 threads") {
  manual_seed(3);
  const Tensor x = randn({12, 64, 128}), W = randn({384, 128}), b = randn({384}),
               g = randn({12, 64, 384});
  for (const Tensor& t : {x, W, b}) (void)t.set_requires_grad();
  const KeepThreads restore;
  std::vector<std::vector<double>> first;
  for (const int threads : {1, 2, 3, 4, 7}) {
    set_num_threads(threads);
    const Tensor y = linear(x, W, b);
    std::vector<std::vector<double>> values{y.to_vector()};
    for (const Tensor& d : grad({y}, {x, W, b}, {.grad_outputs = {g}}))
      values.push_back(d.to_vector());
    if (first.empty()) first = values;
    CHECK_MESSAGE(values == first, threads << " threads");
  }
}

TEST_CASE("linear: who else looks at a gradient does not show in it, and what they saw stays") {
  // 256: sums are complete when they are added; 512: they would start from the existing value
  for (const DType dtype : {f32, f64})
    for (const int64_t inner : {256, 512}) {
      const auto gradients = [&](bool watched) {
        manual_seed(9);
        const Tensor x = randn({300, 256}, dtype).set_requires_grad(),
                     W = randn({inner, 256}, dtype).set_requires_grad();
        const Tensor h = x * 2.0, loss = sum(linear(h, W)) + sum(h * h);
        std::vector<std::pair<Tensor, Tensor>> seen;  // what hooks were given, and its values then
        if (watched) {
          h.retain_grad();
          h.register_hook(
              [&](const Tensor& g) { return seen.emplace_back(g, g.clone()), Tensor(); });
        }
        loss.backward();
        for (const auto& [g, then] : seen) CHECK(same_bits(g, then));
        return Tensors{x.grad(), W.grad()};
      };
      CHECK(same_bits(gradients(false), gradients(true)));
    }
}

TEST_CASE("linear: a weight that is its own input, and no rows at all") {
  const Tensor W = randn({256, 256}, f64).set_requires_grad();
  sum(linear(W, W) * W).backward();
  const Tensor expected = grad({sum(linear(W, W) * W)}, {W}, {.create_graph = true})[0];
  CHECK(max(abs(W.grad() - expected)).item() <= 1e-11);
  const Tensor x = zeros({0, 3}).set_requires_grad(), V = randn({2, 3}).set_requires_grad();
  (sum(linear(x, V)) + sum(x * 2.0)).backward();
  CHECK(x.grad().shape() == Dims{0, 3});
  CHECK(V.grad().to_vector() == std::vector<double>(6, 0));
}

TEST_CASE(
    "linear: adds to what other uses of its input and weight gave, and writes into nobody else's "
    "tensor") {
  for (const int64_t n : {5, 256}) {  // packed for each tile, and once for all rows
    manual_seed(4);
    const Tensor x = randn({2, n, n}, f64).set_requires_grad(),
                 W = randn({n, n}, f64).set_requires_grad(),
                 V = randn({n, n}, f64).set_requires_grad(), u = randn({2, n, n}, f64);
    const Tensor h = x * 2.0;
    const Tensor twice = linear(linear(h, W), W) + linear(h, V);
    const Tensor loss = sum((twice + h) * u);
    const Tensors by_formula =
        grad({loss}, {x, W, V, h}, {.retain_graph = true, .create_graph = true});
    h.retain_grad();
    const Tensor u_before = u.clone();
    (twice + h).backward(u);  // the given gradient itself goes to both sides of the sum
    const Tensors found = {x.grad(), W.grad(), V.grad(), h.grad()};
    for (size_t i = 0; i < found.size(); ++i)
      CHECK(max(abs(found[i] - by_formula[i])).item() <= 1e-13 * max(abs(by_formula[i])).item());
    CHECK(u.to_vector() == u_before.to_vector());
  }
}

TEST_CASE("einsum: walks all names") {
  manual_seed(4);
  struct Example {
    const char *terms, *result;
    std::vector<Dims> shapes;
  };
  const std::vector<Example> examples = {{"ij,jk", "ik", {{2, 3}, {3, 4}}},
                                         {"bqhd,bkhd", "bhqk", {{2, 3, 2, 4}, {2, 5, 2, 4}}},
                                         {"ii", "", {{3, 3}}},
                                         {"ii", "i", {{3, 3}}},
                                         {"iji", "j", {{2, 3, 2}}},
                                         {"i,j", "ji", {{2}, {3}}},
                                         {"ij,j,jk", "ik", {{2, 3}, {3}, {3, 2}}},
                                         {"ab,cd", "", {{2, 3}, {2, 2}}},
                                         {"bi,oij,bj", "bo", {{2, 3}, {4, 3, 2}, {2, 2}}},
                                         {"ij,ij", "ij", {{2, 3}, {1, 3}}},
                                         {"ijk", "kij", {{2, 3, 4}}},
                                         {"iij,jkk", "ik", {{2, 2, 3}, {3, 2, 2}}}};
  for (const Example& example : examples) {
    Tensors x;
    std::vector<std::string> terms(1);
    for (const char* c = example.terms; *c; ++c)
      *c == ',' ? (void)terms.emplace_back() : terms.back().push_back(*c);
    std::map<char, int64_t> sizes;
    for (size_t i = 0; i < terms.size(); ++i) {
      x.push_back(randn(example.shapes[i], f64));
      for (size_t d = 0; d < terms[i].size(); ++d)
        sizes[terms[i][d]] = std::max(sizes[terms[i][d]], example.shapes[i][d]);
    }
    int64_t total = 1, count = 1;
    for (const auto& [name, size] : sizes) total *= size;
    for (const char* c = example.result; *c; ++c) count *= sizes[*c];
    std::vector<double> expected(static_cast<size_t>(count));
    for (int64_t e = 0; e < total; ++e) {
      std::map<char, int64_t> position;
      int64_t rest = e, place = 0;
      for (const auto& [name, size] : sizes) position[name] = rest % size, rest /= size;
      double product = 1;
      for (size_t i = 0; i < terms.size(); ++i) {
        std::vector<int64_t> own;
        for (const char name : terms[i]) own.push_back(position[name]);
        product *= at(x[i], own);
      }
      for (const char* c = example.result; *c; ++c) place = place * sizes[*c] + position[*c];
      expected[static_cast<size_t>(place)] += product;
    }
    CAPTURE(example.terms);
    check_near(einsum(std::string(example.terms) + " -> " + example.result, x).to_vector(),
               expected);
  }
  const Tensor a = randn({2, 3}, f64), b = randn({3, 4}, f64);
  CHECK(equal(einsum("ij,jk", {a, b}), einsum("ij,jk->ik", {a, b})));
  CHECK(equal(einsum("ba", {a}), a.transpose(0, 1)));
  const Tensor same = einsum("ij->ij", {a});
  CHECK(same_bits(same, a));
  (void)same.set_requires_grad();
  CHECK(!a.requires_grad());
  CHECK(einsum("...ij,...jk", {zeros({5, 1, 2, 3}), zeros({4, 3, 2})}).shape() == Dims{5, 4, 2, 2});
  CHECK(einsum("i...->...", {zeros({2, 3, 4})}).shape() == Dims{3, 4});
  CHECK_THROWS_WITH_AS((void)einsum("i,i->", {ones({2}), ones({2}, f64)}),
                       "einsum: dtypes differ: float32 and float64; convert one with to()",
                       DTypeError);
  CHECK_THROWS_WITH_AS((void)einsum("i,i->", {ones({2}, i64), ones({2}, i64)}),
                       "einsum: needs float32 or float64, got int64", DTypeError);
}

TEST_CASE("matmul: sums of a million f32 products keep their digits") {
  const int64_t n = 1 << 20;
  const Tensor a = full({2, 1, n}, 1.0488), w = ones({2, 2, n});
  const double expected = static_cast<double>(n) * static_cast<double>(1.0488f);
  for (const double y : matmul(a, w.transpose(1, 2)).to_vector())
    CHECK(y == doctest::Approx(expected).epsilon(1e-4));
  const Tensor row = full({1, n}, 1.0488), column = full({n, 1}, 1.0488), wide = ones({16, n}),
               tall = ones({n, 16}), apart = full({n, 2}, 1.0488).select(1, 0).unsqueeze(0);
  for (const Tensor& product :
       {matmul(row, ones({n, 1})), matmul(row, tall), matmul(row, wide.transpose(0, 1)),
        matmul(apart, tall), matmul(wide, column), matmul(tall.transpose(0, 1), column)})
    for (const double y : product.to_vector()) CHECK(y == doctest::Approx(expected).epsilon(1e-4));
}
