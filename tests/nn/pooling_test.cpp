#include <doctest/doctest.h>

#include <slope/autograd/backward.h>
#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/pooling.h>
#include <slope/nn/functional/transposed.h>
#include <slope/nn/layers/pooling.h>

#include <cmath>

using namespace slope;
using namespace slope::nn;

TEST_CASE("max_pool1d: an element of -inf is found, not the padding beside it") {
  struct Case {
    std::vector<double> x;
    int64_t kernel;
    MaxPoolOptions options;
    std::vector<double> values, indices, gradient;  // of the sum of i y_i, i = 1, 2, …: PyTorch's
  };
  constexpr double none = -INFINITY;
  for (const Case& c : {Case{{none, 1}, 2, {.stride = 2, .padding = 1}, {none, 1}, {0, 1}, {1, 2}},
                        Case{{none, none, none, none, 5},
                             3,
                             {.stride = 1, .padding = 1, .dilation = 2},
                             {none, 5, none},
                             {1, 4, 1},
                             {0, 4, 0, 0, 2}},
                        Case{{none, none, 1, none, 5, 2},
                             4,
                             {.stride = 1, .padding = 2},
                             {none, 1, 1, 5, 5, 5, 5},
                             {0, 2, 2, 4, 4, 4, 4},
                             {1, 0, 5, 0, 22, 0}}}) {
    const auto n = static_cast<int64_t>(c.x.size()), m = static_cast<int64_t>(c.values.size());
    const Tensor x = from_vector(c.x, {1, n}).set_requires_grad();
    const auto [values, indices] = max_pool1d_with_indices(x, c.kernel, c.options);
    CHECK(values.to_vector() == c.values);
    CHECK(indices.dtype() == i64);
    CHECK(indices.to_vector() == c.indices);
    values.backward(to(arange(m) + 1, values.dtype()).reshape({1, m}));
    CHECK(x.grad().to_vector() == c.gradient);
    CHECK(max_unpool1d(values, indices, n).to_vector()[static_cast<size_t>(c.indices[0])] == none);
  }
}

TEST_CASE("max_pool1d: padding is at most half of the kernel, whatever the dilation") {
  const Tensor x = zeros({1, 9});
  for (const auto& [kernel, padding] : {std::pair(3, 2), std::pair(4, 3), std::pair(2, 2)})
    CHECK_THROWS_WITH((void)max_pool1d(x, kernel, {.padding = padding, .dilation = 2}),
                      doctest::Contains("at most half of the kernel"));
  CHECK(max_pool1d(x, 4, {.stride = 1, .padding = 2, .dilation = 2}).shape() == Dims{1, 7});
}

TEST_CASE("windows: sizes that do not fit in 63 bits are refused") {
  const Tensor x = zeros({1, 1, 10}), w = zeros({1, 1, 5});
  const int64_t most = INT64_MAX, wraps = (int64_t{1} << 62) + 1;  // 4 times this is 4
  CHECK_THROWS_WITH((void)max_pool1d(x, 2, {.padding = most}),
                    doctest::Contains("at most half of the kernel"));
  CHECK_THROWS_AS((void)max_pool1d(x, wraps, {.stride = 1, .dilation = 4}), ShapeError);
  CHECK_THROWS_AS((void)conv1d(x, w, {}, {.dilation = wraps}), ShapeError);
  CHECK_THROWS_AS((void)conv1d(x, w, {}, {.padding = most}), ShapeError);
  CHECK_THROWS_AS((void)conv_transpose1d(x, w, {}, {.dilation = wraps}), ShapeError);
  CHECK_THROWS_AS((void)conv_transpose1d(x, w, {}, {.stride = most}), ShapeError);
  CHECK_THROWS_AS((void)conv_transpose1d(x, w, {}, {.padding = most}), ShapeError);
  CHECK_THROWS_AS((void)pad(x, {0, most}, PadMode::replicate), ShapeError);
  CHECK_THROWS_AS((void)MaxUnpool1d(2, most)(x, zeros({1, 1, 10}, i64)), ShapeError);
  // the second window would begin behind the end
  CHECK(avg_pool1d(x, 2, {.stride = most, .ceil_mode = true}).shape() == Dims{1, 1, 1});
}

TEST_CASE("pad: a negative width cuts off; circular continues with what is left, as in PyTorch") {
  const Tensor x = arange(4);
  const auto padded = [&](const Dims& widths, PadMode mode) {
    return pad(x, widths, mode).to_vector();
  };
  using Values = std::vector<double>;
  CHECK(padded({-1, 2}, PadMode::reflect) == Values{1, 2, 3, 2, 1});
  CHECK(padded({-1, 3}, PadMode::reflect) == Values{1, 2, 3, 2, 1, 0});
  CHECK(padded({2, -1}, PadMode::replicate) == Values{0, 0, 0, 1, 2});
  CHECK(padded({-3, 1}, PadMode::replicate) == Values{3, 3});
  CHECK(padded({-1, 2}, PadMode::circular) == Values{1, 2, 3, 1, 2});
  CHECK(padded({2, -1}, PadMode::circular) == Values{1, 2, 0, 1, 2});
  CHECK_THROWS_WITH_AS((void)padded({-3, -2}, PadMode::reflect),
                       "pad: widths (-3, -2) cut off more than the 4 elements of the dim",
                       ShapeError);
  for (const Dims& widths : {Dims{INT64_MIN, 1}, Dims{-5, INT64_MIN}})
    CHECK_THROWS_WITH_AS((void)padded(widths, PadMode::replicate),
                         doctest::Contains("cut off more"), ShapeError);
  CHECK_THROWS_WITH_AS((void)padded({-1, 4}, PadMode::circular),
                       "pad: 4 new elements are more than 3 can give", ShapeError);
}

TEST_CASE("lp_pool1d: an infinite power takes the largest magnitude") {
  const Tensor x = tensor({{{1.0, -3.0, 2.0, 0.5}}}).set_requires_grad();
  const Tensor y = nn::lp_pool1d(x, INFINITY, 2);
  CHECK(y.to_vector() == std::vector<double>{3, 2});
  sum(y).backward();
  CHECK(x.grad().to_vector() == std::vector<double>{0, -1, 1, 0});
}

TEST_CASE("max_unpool1d: of overlapping windows with one largest element, it comes back once") {
  const Tensor x = tensor({{0, 5, 0, 0}}, f64).set_requires_grad();
  const auto [values, indices] = max_pool1d_with_indices(x, 3, {.stride = 1});
  const Tensor y = max_unpool1d(values, indices, 4);
  CHECK(y.to_vector() == std::vector<double>{0, 5, 0, 0});
  const Tensor both = tensor({{7, 8, 9}}, f64).set_requires_grad();
  const Tensor z = max_unpool1d(both, tensor({{1, 0, 1}}), 3);
  CHECK(z.to_vector() == std::vector<double>{8, 9, 0});
  z.backward(tensor({{10, 20, 30}}, f64));
  CHECK(both.grad().to_vector() == std::vector<double>{0, 10, 20});
}
