#include <doctest/doctest.h>
#include <slope/core/kernels/elementwise/fill.h>
#include <slope/core/kernels/shape/stream.h>
#include <slope/core/loops/copy.h>
#include <slope/core/module_path.h>
#include <slope/core/tensor/factories.h>
#include <slope/tests/threads.h>

#include <cmath>
#include <numeric>
#include <vector>

using namespace slope;

TEST_CASE("copy: to i64 by truncation, DTypeError if a value does not fit; to bool as x != 0") {
  const double nan = std::nan("");
  CHECK(contiguous_copy(tensor({-2.5, 3.75}, f64), i64).to_vector() == std::vector<double>{-2, 3});
  CHECK(contiguous_copy(tensor({nan, 0.0}), boolean).to_vector() == std::vector<double>{1, 0});
  for (const DType dtype : {f32, f64})
    for (const double value : std::vector<double>{nan, INFINITY, -INFINITY, 1e19, -1e19}) {
      CHECK_THROWS_AS((void)contiguous_copy(tensor({0.0, value}, dtype), i64), DTypeError);
      CHECK_THROWS_AS((void)contiguous_copy(full({}, value, dtype), i64), DTypeError);
    }
}

TEST_CASE(
    "copy: an error names the conversion and the caller's module, whichever thread finds it") {
  const KeepThreads restore;
  constexpr int64_t n = 1 << 20;
  const Tensor x = zeros({n});
  x.write<float>().get()[n - 1] = NAN;
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    set_current_module(intern_path("fc1"));
    CHECK_THROWS_WITH_AS((void)contiguous_copy(x, i64),
                         "to: nan does not fit in int64 (in module fc1)", DTypeError);
    set_current_module(nullptr);
    CHECK_THROWS_WITH_AS((void)contiguous_copy(x, i64), "to: nan does not fit in int64",
                         DTypeError);
  }
}

TEST_CASE("stream: copies any number of bytes between any alignments, and no more") {
  std::vector<unsigned char> from(400), to;
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
  int wrong = 0;
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{31}, size_t{63}, size_t{64}, size_t{65},
                       size_t{128}, size_t{200}})
    for (size_t at = 0; at < 70; ++at) {
      to.assign(400, 0);
      kernels<Stream>().copy(static_cast<int64_t>(bytes), from.data() + at % 7, to.data() + at);
      kernels<Stream>().finish();
      for (size_t i = 0; i < to.size(); ++i) {
        const bool written = i >= at && i < at + bytes;
        wrong += to[i] != (written ? from[at % 7 + i - at] : 0);
      }
    }
  CHECK(wrong == 0);
}

TEST_CASE("fill: writes any number of bytes at any alignment, past the caches too, and no more") {
  const std::vector<unsigned char> line(64, 7);
  std::vector<unsigned char> to;
  int wrong = 0;
  for (bool past_caches : {false, true})
    for (size_t bytes :
         {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{128}, size_t{200}})
      for (size_t at = 0; at < 70; ++at) {
        to.assign(400, 0);
        kernels<Fill>().fill(static_cast<int64_t>(bytes), line.data(), to.data() + at, past_caches);
        if (past_caches) kernels<Stream>().finish();
        for (size_t i = 0; i < to.size(); ++i)
          wrong += to[i] != (i >= at && i < at + bytes ? 7 : 0);
      }
  CHECK(wrong == 0);
}

TEST_CASE("fill: every value arrives as it is, the sign of zero too") {
  for (const double value : {0.0, -0.0, 1.5}) {
    const Tensor x = full({37}, value);
    int wrong = 0;
    for (int64_t i = 0; i < 37; ++i)
      wrong +=
          x.data<float>()[i] != value || std::signbit(x.data<float>()[i]) != std::signbit(value);
    CHECK(wrong == 0);
  }
}

TEST_CASE("copy: what is larger than caches, and what is broadcast, arrives") {
  const Tensor x = arange(5'000'000).to(f32), y = contiguous_copy(x);
  CHECK(std::equal(x.data<float>(), x.data<float>() + x.numel(), y.data<float>()));
  const Tensor row = arange(3).to(f32), all = contiguous_copy(row.unsqueeze(1).expand({3, 4}));
  for (int64_t i = 0; i < 12; ++i) CHECK(all.data<float>()[i] == static_cast<float>(i / 4));
  const int64_t large = 3'000'001;  // its rows begin inside a cache line
  const Tensor rows = contiguous_copy(row.unsqueeze(1).expand({3, large}));
  for (int64_t i = 0; i < 3; ++i)
    CHECK(std::count(rows.data<float>() + i * large, rows.data<float>() + (i + 1) * large,
                     static_cast<float>(i)) == large);
}
