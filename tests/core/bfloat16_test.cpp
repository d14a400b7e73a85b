// bf16 as a dtype: rounding, checked against a number's neighbours; conversion, printing,
// promotion, files.
#include <doctest/doctest.h>
#include <slope/autograd/ops.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/print.h>

#include <cmath>
#include <limits>

using namespace slope;

TEST_CASE("bfloat16: a float becomes the nearest one, ties to even") {
  int wrong = 0;
  for (uint32_t upper = 0; upper < 0x7f80; ++upper) {  // positive and finite
    const double here = BFloat16::of_bits(static_cast<uint16_t>(upper)),
                 next = upper == 0x7f7f
                            ? 0x1p128
                            : float{BFloat16::of_bits(static_cast<uint16_t>(upper + 1))};
    for (const uint32_t lower : {0x0u, 0x1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const auto x = std::bit_cast<float>(upper << 16 | lower);
      const bool rises = lower > 0x8000 || (lower == 0x8000 && upper % 2 == 1);
      const double expected = rises ? next : here;
      const float got = BFloat16(x), mirrored = BFloat16(-x);
      wrong += expected == 0x1p128 ? !std::isinf(got) : got != expected;
      wrong += mirrored != -got || std::signbit(mirrored) != true;
    }
  }
  CHECK(wrong == 0);
  CHECK(std::isinf(BFloat16(std::numeric_limits<float>::infinity())));
  CHECK(std::isnan(BFloat16(std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::isnan(BFloat16(std::bit_cast<float>(0x7f800001u))));  // its payload would be lost
}

TEST_CASE("bfloat16: tensors convert to and from every dtype, over any strides") {
  const Tensor x = tensor({{1.0, 0.1, -3.14159}, {1e30, 0, 257}});
  const Tensor y = x.to(bf16);
  CHECK(y.dtype() == bf16);
  CHECK(y.to_vector() ==
        std::vector<double>{1, 0.10009765625, -3.140625, 1.0002555517425873e+30, 0, 256});
  CHECK(y.to(f32).to(bf16).to_vector() == y.to_vector());
  CHECK(y.to(f64).to_vector() == y.to_vector());
  CHECK(x.transpose(0, 1).to(bf16).to_vector() == y.transpose(0, 1).to(f32).to_vector());
  CHECK(tensor({2, 3}, i64).to(bf16).to_vector() == std::vector<double>{2, 3});
  CHECK(tensor({2.5, -3.5}).to(bf16).to(i64).to_vector() == std::vector<double>{2, -3});
  CHECK(y.select(1, 1).to(boolean).to_vector() == std::vector<double>{1, 0});
}

TEST_CASE("bfloat16: printed as PyTorch prints it") {
  CHECK(to_string(tensor({1.0, 2.5, -0.1}).to(bf16)) ==
        "tensor([ 1.0000,  2.5000, -0.1001], dtype=torch.bfloat16)");
}

TEST_CASE("bfloat16: below float32 and above int64 in promotion") {
  CHECK(promote(bf16, f32) == f32);
  CHECK(promote(f64, bf16) == f64);
  CHECK(promote(i64, bf16) == bf16);
  CHECK(promote(bf16, boolean) == bf16);
  CHECK(promote(bf16, bf16) == bf16);
  const Tensor sum = tensor({0.1}).to(bf16) + tensor({1.0});
  CHECK(sum.dtype() == f32);
  CHECK(sum.item() == 1.10009765625);
}

TEST_CASE("bfloat16: a derivative passes through conversions; operations ask for f32") {
  const Tensor x = tensor({0.3, -2.0}).set_requires_grad(), y = x.to(bf16);
  sum(y.to(f32) * tensor({2.0, 3.0}) + y.to(f32)).backward();
  CHECK(x.grad().to_vector() == std::vector<double>{3, 4});
  CHECK_THROWS_WITH_AS((void)relu(y.detach()),
                       "relu: needs float32 or float64, got bfloat16; convert it with to(f32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      (void)y.detach().set_requires_grad(),
      "set_requires_grad: only leaves of float32 or float64 have gradients, this one is bfloat16",
      DTypeError);
}

TEST_CASE("bfloat16: files keep it") {
  const Tensor x = tensor({{1.5, 0.1}, {-7.0, 3e-39}}).to(bf16);
  for (const Tensor& y : {x, x.transpose(0, 1)}) {
    const TensorFile file =
        parse_safetensors(format_safetensors({{"y", y}, {"other", tensor({1.0})}}));
    CHECK(file.at("y").dtype() == bf16);
    CHECK(file.at("y").to_vector() == y.to_vector());
    CHECK(file.tensors.back().name == "y");  // narrower elements come later
  }
}
