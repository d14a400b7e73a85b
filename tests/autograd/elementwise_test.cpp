// Values of elementwise operations, reductions, comparisons and order that PyTorch's golden files
// do not cover: dtypes, layouts, threads.
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/memory/memory.h>
#include <slope/tests/threads.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace slope;
using Values = std::vector<double>;

namespace {
constexpr double inf = INFINITY, not_a_number = std::numeric_limits<double>::quiet_NaN();
Values to_values(const Tensor& x) { return x.to_vector(); }
}  // namespace

TEST_CASE(
    "elementwise: dtypes promote as bool < i64 < f32 < f64, and gradients come back in their "
    "input's") {
  const Tensor b = tensor({true, false}), i = tensor({3, 4}), f = tensor({0.5, 2.0}),
               d = ones({2}, f64);
  CHECK((b + i).dtype() == i64);
  CHECK(to_values(b + i) == Values{4, 4});
  CHECK((i * f).dtype() == f32);
  CHECK((f - d).dtype() == f64);
  CHECK((i / i).dtype() == f32);
  CHECK((i + 1).dtype() == i64);
  CHECK((i + 0.5).dtype() == f32);
  CHECK((b * 2).dtype() == i64);
  CHECK((i / 2).dtype() == f32);
  CHECK(to_values(i / 2) == Values{1.5, 2});
  CHECK(to_values(pow(i, 2)) == Values{9, 16});
  CHECK(pow(i, 2).dtype() == i64);
  CHECK(to_values(maximum(i, tensor(3.5))) == Values{3.5, 4});
  CHECK(neg(i).dtype() == i64);
  CHECK(to_values(abs(tensor({-2, 3}))) == Values{2, 3});
  CHECK(exp(i).dtype() == f32);
  CHECK(sum(b).dtype() == i64);
  CHECK(sum(b).item() == 1);
  CHECK(to_values(clamp(tensor({-3, 5}), 0, 4)) == Values{0, 4});

  const Tensor x = tensor({1.5, 2.5}).set_requires_grad();
  sum(x * d * i).backward();
  CHECK(x.grad().dtype() == f32);
  CHECK(to_values(x.grad()) == Values{3, 4});
}

TEST_CASE("elementwise: sums and products of integers are modulo 2^64") {
  const Tensor most = tensor({INT64_MAX}), least = tensor({INT64_MIN}), one = tensor({1}),
               two = tensor({2});
  CHECK((most + one).data<int64_t>()[0] == INT64_MIN);
  CHECK((least - one).data<int64_t>()[0] == INT64_MAX);
  CHECK((most * two).data<int64_t>()[0] == -2);
  CHECK((most + 1.0).data<int64_t>()[0] == INT64_MIN);
  CHECK((-least).data<int64_t>()[0] == INT64_MIN);
  CHECK(abs(least).data<int64_t>()[0] == INT64_MIN);
  CHECK(sum(tensor({INT64_MAX, 1})).data<int64_t>()[0] == INT64_MIN);
  CHECK(cumsum(tensor({INT64_MAX, 1}), 0).data<int64_t>()[1] == INT64_MIN);
  const Tensor rounded = ones({3}).to(bf16);  // in which nothing is summed or multiplied
  CHECK_THROWS_WITH_AS((void)cumsum(rounded, 0), doctest::Contains("to(f32)"), DTypeError);
  CHECK_THROWS_AS((void)prod(rounded, 0), DTypeError);
  const Tensor x = tensor({3.0, 1.0, 2.0}, f32).set_requires_grad();
  const Tensor sorted = sort(to(x, bf16), 0).values, picked = gather(to(x, bf16), 0, tensor({0}));
  (sum(to(sorted, f32)) + sum(to(picked, f32))).backward();  // rearranging needs no sum
  CHECK(x.grad().to_vector() == std::vector<double>{2, 1, 1});
  constexpr int64_t n = 100'000;
  // summed one by one in f32, 0.1 gives 9998.56
  const Tensor many = full({n, 70}, 0.1).set_requires_grad(), sums = cumsum(many, 0);
  CHECK(sums.select(0, n - 1).to_vector() ==
        std::vector<double>(70, full({1}, 10000.0001490116, f64).to(f32).item()));
  CHECK(grad({sums}, {many}, {.grad_outputs = {full({n, 70}, 0.1)}})[0]
            .select(0, 0)
            .select(0, 69)
            .item() == doctest::Approx(10000).epsilon(1e-7));
  CHECK(prod(tensor({INT64_MAX, 2})).data<int64_t>()[0] == -2);
}

// d2 a^b / da db = a^(b-1) (1 + b log a)
TEST_CASE("pow: the mixed second derivative where the exponent is 0, in both orders") {
  const Tensor a = full({}, 2, f64).set_requires_grad(), b = zeros({}, f64).set_requires_grad();
  const Tensors first = grad({pow(a, b)}, {a, b}, {.create_graph = true});
  CHECK(grad({first[0]}, {b}, {.retain_graph = true})[0].item() == 0.5);
  CHECK(grad({first[1]}, {a})[0].item() == 0.5);
  const Tensor zero = zeros({}, f64).set_requires_grad();
  CHECK(grad({pow(zero, b)}, {zero})[0].item() == 0);
}

TEST_CASE("elementwise: integers are raised to whole powers exactly, modulo 2^64") {
  const auto power = [](int64_t a, int64_t b) {
    return pow(tensor({a}), tensor({b})).data<int64_t>()[0];
  };
  CHECK(power(3, 39) == 4052555153018976267);
  CHECK(power(-3, 39) == -4052555153018976267);
  CHECK(pow(tensor({7}), 20.0).data<int64_t>()[0] == 79792266297612001);
  CHECK(power(0, 0) == 1);
  CHECK(power(-1, INT64_MAX) == -1);
  CHECK(power(2, 63) == INT64_MIN);
  CHECK(power(2, 64) == 0);
  CHECK(power(10, 19) == static_cast<int64_t>(10'000'000'000'000'000'000u));
  CHECK(to_values(pow(tensor({true, false}), tensor({{0, 2}, {1, 0}}))) == Values{1, 0, 1, 1});
  CHECK(to_values(pow(tensor({2, 1, -1, -1, 0}), tensor({-1, -3, -3, -2, -1}))) ==
        Values{0, 1, -1, 1, 0});  // PyTorch's
  CHECK(to_values(pow(tensor({2.0}), tensor({-1}))) == Values{0.5});
  CHECK(to_values(pow(tensor({2}), tensor({-1.0}))) == Values{0.5});
  CHECK(to_values(pow(tensor({2, 1, -1}), -1)) == Values{0, 1, -1});  // as for two tensors
  CHECK(pow(tensor({2}), -1).dtype() == i64);
  CHECK(to_values(pow(tensor({2}), -0.5)) == to_values(pow(tensor({2.0f}), -0.5)));
}

TEST_CASE("elementwise: integers and bools compare with any number exactly") {
  const int64_t odd = (int64_t{1} << 53) + 1;  // not representable as a double
  const Tensor x = tensor({odd, odd - 1, -odd, INT64_MAX, INT64_MIN});
  CHECK(to_values(x > 0x1p53) == Values{1, 0, 0, 1, 0});
  CHECK(to_values(x >= 0x1p53) == Values{1, 1, 0, 1, 0});
  CHECK(to_values(x == 0x1p53) == Values{0, 1, 0, 0, 0});
  CHECK(to_values(x != 0x1p53) == Values{1, 0, 1, 1, 1});
  CHECK(to_values(x < -0x1p53) == Values{0, 0, 1, 0, 1});
  CHECK(to_values(x <= -0x1p53) == Values{0, 0, 1, 0, 1});
  CHECK(to_values(x < 0x1p63) == Values{1, 1, 1, 1, 1});
  CHECK(to_values(x == 0x1p63) == Values{0, 0, 0, 0, 0});
  CHECK(to_values(x >= -0x1p63) == Values{1, 1, 1, 1, 1});
  CHECK(to_values(x == -0x1p63) == Values{0, 0, 0, 0, 1});
  CHECK(to_values(x > inf) == Values{0, 0, 0, 0, 0});
  CHECK(to_values(x > -inf) == Values{1, 1, 1, 1, 1});
  CHECK(to_values(x != not_a_number) == Values{1, 1, 1, 1, 1});
  CHECK(to_values(x < not_a_number) == Values{0, 0, 0, 0, 0});
  const Tensor small = tensor({{-1, 0}, {1, 2}}).transpose(0, 1);  // -1 1 / 0 2
  CHECK(to_values(small < 0.5) == Values{1, 0, 1, 0});
  CHECK(to_values(small >= -0.5) == Values{0, 1, 1, 1});
  CHECK(to_values(small == 0.5) == Values{0, 0, 0, 0});
  CHECK(to_values(small <= 1) == Values{1, 1, 1, 0});
  CHECK(to_values(tensor({true, false}) > 0.5) == Values{1, 0});
  CHECK(to_values(tensor({true, false}) == 1) == Values{1, 0});
}

TEST_CASE(
    "elementwise: clamp stays among integers where its bounds are whole, as other operations "
    "with a number do") {
  const Tensor i = tensor({-3, 0, 5});
  CHECK(clamp(i, 0, 4).dtype() == i64);
  CHECK(to_values(clamp(i, 0, {})) == Values{0, 0, 5});
  CHECK(clamp(i, 0.5, {}).dtype() == f32);
  CHECK(to_values(clamp(i, 0.5, {})) == Values{0.5, 0.5, 5});
  CHECK(to_values(clamp(i, {}, 0.5)) == Values{-3, 0, 0.5});
  CHECK(to_values(clamp(i, -1, 0.5)) == Values{-1, 0, 0.5});
  CHECK(to_values(clamp(i, 2, 1)) == Values{1, 1, 1});
  CHECK(to_values(clamp(i, {}, 1e30)) == Values{-3, 0, 5});
  CHECK(to_values(clamp(i, 1e300, {})) == Values{inf, inf, inf});  // beyond f32
  CHECK(to_values(clamp(tensor({true, false}), {}, 0)) == Values{0, 0});
  const int64_t odd = (int64_t{1} << 53) + 1;
  CHECK(clamp(tensor({odd}), 0, {}).data<int64_t>()[0] == odd);
}

TEST_CASE("elementwise: a number that an int64 cannot hold is not filled in") {
  const Tensor mask = tensor({true, false});
  CHECK(to_values(masked_fill(tensor({1, 2}), mask, -7)) == Values{-7, 2});
  CHECK_THROWS_AS((void)masked_fill(tensor({1, 2}), mask, -inf), DTypeError);
  CHECK_THROWS_AS((void)masked_fill(tensor({1, 2}), mask, 1e19), DTypeError);
  CHECK_THROWS_AS((void)tensor({inf}).to(i64), DTypeError);
}

TEST_CASE(
    "elementwise: transposed, sliced, expanded and offset inputs give what their copies give") {
  manual_seed(2);
  const Tensor whole = randn({6, 8});
  for (const Tensor& x : {whole.transpose(0, 1), whole.slice(1, 0, 8, 3), whole.narrow(0, 2, 3),
                          whole.select(0, 1).unsqueeze(0).expand({4, 8}), whole.select(1, 3)}) {
    const Tensor copy = x.clone();
    CHECK(equal(tanh(x), tanh(copy)));
    CHECK(equal(x * x, copy * copy));
    CHECK(equal(x + copy, copy + copy));
    CHECK(equal(sum(x, {0}), sum(copy, {0})));
    CHECK(equal(amax(x), amax(copy)));
    CHECK(equal(x > 0, copy > 0));
    CHECK(equal(where(x > 0, x, -x), abs(copy)));
  }
}

TEST_CASE(
    "elementwise: nothing is kept where no gradient is wanted, and only what the derivative reads "
    "where one is") {
  const Tensor x = randn({1000}).set_requires_grad();
  const int64_t before = memory::stats().live;
  {
    const Tensor y = tanh(relu(x + 1.0));  // nothing keeps x + 1
    CHECK(memory::stats().live - before < 2 * 4000 + 2000);
  }
  CHECK(memory::stats().live == before);
}

TEST_CASE("reductions: sums are the same bits for 1, 2, 3 and 7 threads, and near the exact sum") {
  manual_seed(4);
  const KeepThreads restore;
  const Tensor x = randn({700, 3, 257});
  Tensors first;
  for (int n : {1, 2, 3, 7}) {
    set_num_threads(n);
    const Tensors now = {sum(x),       sum(x, {0}),    sum(x, {1}),
                         sum(x, {2}),  sum(x, {0, 2}), mean(x, {0, 1}),
                         amax(x, {0}), var(x, {0}),    logsumexp(x, {0, 2})};
    if (first.empty()) first = now;
    for (size_t k = 0; k < now.size(); ++k) CHECK(equal(first[k], now[k]));
  }
  const Tensor exact = to(x, f64);
  CHECK(sum(x).item() == doctest::Approx(sum(exact).item()).epsilon(1e-5));
  CHECK(allclose(to(sum(x, {0, 2}), f64), sum(exact, {0, 2}), 1e-5, 1e-3));
  const Tensor many = full({1 << 22}, 0.1);  // summed one by one in f32: 385,000
  CHECK(sum(many).item() == doctest::Approx(0.1f * (1 << 22)).epsilon(1e-5));
}

TEST_CASE("reductions: the largest and the smallest are found, and a nan, wherever they stand") {
  for (const DType dtype : {f32, f64, i64})
    for (const int64_t n : {31, 32, 33, 63, 64, 65, 300}) {
      const auto with_diagonal = [&](double special) {  // of row i, element i
        Values rows;
        for (int64_t i = 0; i < n * n; ++i)
          rows.push_back(i % (n + 1) == 0 ? special : static_cast<double>(i * 7 % 11));
        return to(from_vector(rows, {n, n}), dtype);
      };
      CHECK(to_values(amax(with_diagonal(100), {1})) == Values(static_cast<size_t>(n), 100));
      CHECK(to_values(amin(with_diagonal(-100), {1})) == Values(static_cast<size_t>(n), -100));
      if (dtype == i64) continue;
      const Tensor x = with_diagonal(not_a_number);
      for (const Tensor& found : {amax(x, {1}), amin(x, {1})}) CHECK(all(isnan(found)));
    }
}

TEST_CASE("reductions: a nan wins, first of equal ones, both infinities") {
  const Tensor x = tensor({{1.0, not_a_number, 3.0}, {2.0, 2.0, -inf}});
  CHECK(std::isnan(to_values(amax(x, {1}))[0]));
  CHECK(std::isnan(to_values(amin(x, {1}))[0]));
  CHECK(to_values(max(x, 1).indices) == Values{1, 0});
  CHECK(to_values(min(x, 1).indices) == Values{1, 2});
  CHECK(to_values(argmax(tensor({1, 3, 3, 2}))) == Values{1});
  CHECK(to_values(argmax(tensor({{1, 3}, {4, 2}}))) == Values{2});
  CHECK(to_values(argmin(tensor({{1, 3}, {4, 0}}))) == Values{3});
  CHECK(to_values(argmin(tensor({{1, 0}, {1, 0}}), 0)) == Values{0, 0});
  CHECK(logsumexp(tensor({-inf, -inf}), {0}).item() == -inf);
  CHECK(logsumexp(tensor({inf, 1.0}), {0}).item() == inf);
  CHECK(logsumexp(tensor({1000.0, 1000.0}), {0}).item() == doctest::Approx(1000.6931));
  CHECK(std::isnan(mean(zeros({0})).item()));
  CHECK(sum(zeros({0, 3}), {0}).shape() == Dims{3});
  CHECK(std::isnan(var(ones({1})).item()));
  CHECK(to_values(sum(tensor({{1, 2}, {3, 4}}), {0})) == Values{4, 6});
}

TEST_CASE("comparisons: broadcasting, not_a_number, numbers beside tensors") {
  const Tensor x = tensor({1.0, not_a_number, 3.0});
  CHECK(to_values(x == x) == Values{1, 0, 1});
  CHECK(to_values(x != x) == Values{0, 1, 0});
  CHECK(to_values(x < 2) == Values{1, 0, 0});
  CHECK(to_values(x >= tensor({{1.0}, {4.0}})) == Values{1, 0, 1, 0, 0, 0});
  CHECK(to_values(tensor({0.1}) == 0.1) == Values{1});  // the number is converted to f32
  CHECK(to_values(tensor({1, 2}) > 1.5) == Values{0, 1});
  CHECK(to_values(tensor({1, 2}) <= tensor({1.5, 1.5})) == Values{1, 0});
  CHECK(to_values(!tensor({true, false})) == Values{0, 1});
  CHECK(to_values(logical_and(tensor({1, 0}), tensor({true, true}))) == Values{1, 0});
  CHECK(to_values(logical_or(tensor({1, 0}), tensor({false, false}))) == Values{1, 0});
  CHECK(to_values(logical_xor(tensor({2, 0}), tensor({true, false}))) == Values{0, 0});
  CHECK(to_values(isnan(x)) == Values{0, 1, 0});
  CHECK(to_values(isfinite(tensor({1.0, inf, not_a_number}))) == Values{1, 0, 0});
  CHECK(to_values(isinf(tensor({1.0, -inf, not_a_number}))) == Values{0, 1, 0});
  CHECK(any(tensor({false, true})));
  CHECK_FALSE(any(zeros({0})));
  CHECK(all(zeros({0}, boolean)));
  CHECK_FALSE(all(tensor({1, 0})));
  CHECK(equal(arange(3), tensor({0, 1, 2})));
  CHECK_FALSE(equal(arange(3), tensor({0.0, 1.0, 2.0})));
  CHECK_FALSE(equal(ones({2}), ones({2, 1})));
  CHECK(allclose(tensor({1.0, inf}), tensor({1.000001, inf})));
  CHECK_FALSE(allclose(tensor({1.0}), tensor({1.1})));
  CHECK_FALSE(allclose(tensor({inf}), tensor({-inf})));
  CHECK_FALSE(allclose(x, x));
  CHECK(allclose(x, x, 1e-5, 1e-8, true));
  CHECK_THROWS_WITH_AS((void)(ones({2}) < ones({3})), doctest::Contains("<"), ShapeError);
}

TEST_CASE(
    "order: topk takes a row of memory for each thread, from the allocator, and no copy of its "
    "input") {
  const KeepThreads restore;
  set_num_threads(1);
  const auto taken = [](const Tensor& x) {
    memory::reset_peak();
    const int64_t before = memory::stats().live;
    (void)topk(x, 1);
    return memory::stats().peak - before;
  };
  constexpr int64_t n = 1 << 20, row = n * 8;
  CHECK(std::abs(taken(zeros({1, n})) - row) < row / 16);
  CHECK(taken(zeros({64, n / 64})) < row / 16);
}

TEST_CASE("order: sort is stable, nan last, topk in order, gradients go where values came from") {
  const Tensor x = tensor({{3.0, 1.0, 2.0, 1.0}, {not_a_number, 0.0, -1.0, inf}});
  CHECK(to_values(sort(x).indices) == Values{1, 3, 2, 0, 2, 1, 3, 0});
  CHECK(to_values(sort(x, -1, true).indices) == Values{0, 2, 1, 3, 0, 3, 1, 2});
  CHECK(to_values(sort(x, 0).indices) == Values{0, 1, 1, 0, 1, 0, 0, 1});
  CHECK(to_values(topk(x, 2).indices) == Values{0, 2, 0, 3});
  CHECK(to_values(topk(x, 2, 1, false).values) == Values{1, 1, -1, 0});
  CHECK(topk(x, 0).values.shape() == Dims{2, 0});
  CHECK(sort(tensor(4)).values.item() == 4);
  CHECK(to_values(sort(tensor({true, false, true})).values) == Values{0, 1, 1});
  const Tensor w = tensor({4.0, 6.0, 5.0}).set_requires_grad();
  sum(topk(w, 2).values * tensor({10.0, 1.0})).backward();
  CHECK(to_values(w.grad()) == Values{0, 10, 1});
}

TEST_CASE("registry: names are unique, every entry has a derivative, is defined and found") {
  for (const Op* op : registry()) {
    CAPTURE(op->name);
    CHECK(find_op(op->name) == op);
    if (std::strlen(op->definition.forward) > 0)
      CHECK(std::string(op->definition.derivative).starts_with("d"));
    CHECK((op->formula || op->reference));
  }
  CHECK(find_op("no such operation") == nullptr);
}

TEST_CASE(
    "elementwise: operands that repeat one element, some or none give what their copies give") {
  const Tensor scalar = tensor(3.0), one = tensor({{2.0}}),
               whole = arange(0, 12, 1, f32).reshape({3, 4});
  const Tensor all = scalar.expand({3, 4}), rows = arange(0, 4, 1, f32).expand({3, 4}),
               none = zeros({0, 4});
  for (const Tensor& a :
       {scalar, one, whole, all, rows, whole.transpose(0, 1).contiguous().transpose(0, 1)})
    for (const Tensor& b : {scalar, one, whole, all, rows}) {
      const Tensor y = a - b, copies = contiguous_copy(a.expand(y.shape())) -
                                       contiguous_copy(b.expand(y.shape()));
      CHECK(y.shape() == copies.shape());
      CHECK(y.to_vector() == copies.to_vector());
    }
  CHECK((none - one).shape() == Dims{0, 4});
  const Tensor large = full({2048, 2048}, 5), less = large - scalar;  // non-temporal stores
  CHECK(min(less).item() == 2);
  CHECK(max(less).item() == 2);
}
