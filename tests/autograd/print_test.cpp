// What the tape adds to a printed tensor.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/print.h>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace slope;

TEST_CASE("print: leaves say that they need a gradient, results who made them") {
  const Tensor x = full({2}, 1.5);
  CHECK(to_string(x) == "tensor([1.5000, 1.5000])");
  x.set_requires_grad();
  CHECK(to_string(x) == "tensor([1.5000, 1.5000], requires_grad=True)");
  CHECK(to_string(x * x) == "tensor([2.2500, 2.2500], grad_fn=<MulBackward0>)");
  CHECK(to_string(log_softmax(x, -1)) ==
        "tensor([-0.6931, -0.6931], grad_fn=<LogSoftmaxBackward0>)");
  CHECK(to_string(x.detach()) == "tensor([1.5000, 1.5000])");
  const NoGrad no_grad;
  CHECK(to_string(x * x) == "tensor([2.2500, 2.2500])");
}

TEST_CASE("print: results have PyTorch's names where it has one operation for it") {
  const auto name = [](const Tensor& y) {
    const std::string text = to_string(y);
    const size_t at = text.find("grad_fn=<") + 9;
    return text.substr(at, text.find('>', at) - at);
  };
  const auto leaf = [](const Dims& shape) { return ones(shape).set_requires_grad(); };
  const Tensor x = leaf({2, 3, 4}), m = leaf({3, 4}), v = leaf({4}), w = leaf({5, 4}),
               b = leaf({5}), rows = tensor({0, 1, 2});
  // What PyTorch 2.13 prints for the same call.
  const std::vector<std::pair<Tensor, std::string>> right = {
      {m + m, "AddBackward0"},
      {m + 1, "AddBackward0"},
      {m * 2, "MulBackward0"},
      {m / 2, "DivBackward0"},
      {2 / m, "MulBackward0"},
      {pow(m, m), "PowBackward1"},
      {pow(m, 3), "PowBackward0"},
      {amax(m, {1}), "AmaxBackward0"},
      {max(m, 1).values, "MaxBackward0"},
      {sum(m), "SumBackward0"},
      {sum(m, {1}), "SumBackward1"},
      {mean(m, {0}), "MeanBackward1"},
      {mean(m), "MeanBackward0"},
      {prod(m), "ProdBackward0"},
      {prod(m, 1), "ProdBackward1"},
      {var(m, {1}), "VarBackward0"},
      {norm(m), "LinalgVectorNormBackward0"},
      {matmul(m, m.transpose(0, 1)), "MmBackward0"},
      {matmul(x, m.transpose(0, 1)), "UnsafeViewBackward0"},
      {bmm(x, x.transpose(1, 2)), "BmmBackward0"},
      {linear(m, w, {}), "MmBackward0"},
      {linear(m, w, b), "AddmmBackward0"},
      {linear(x, w, {}), "UnsafeViewBackward0"},
      {linear(x, w, b), "ViewBackward0"},
      {linear(v, w, {}), "SqueezeBackward4"},
      {bce_with_logits(m, zeros({3, 4}), Reduction::none), "BinaryCrossEntropyWithLogitsBackward0"},
      {clamp(m, 0, 1), "ClampBackward1"},
      {cross_entropy(m, rows), "NllLossBackward0"},
      {cross_entropy(m, rows, {.label_smoothing = 0.1}), "AddBackward0"},
      {dropout(m, 0.5, true), "MulBackward0"},
      {layer_norm(m, {}, {}), "NativeLayerNormBackward0"},
      {rms_norm(m, v), "MulBackward0"},
      {m.narrow(0, 0, 1), "SliceBackward0"},
      {m.slice(1, 0, 4, 2), "SliceBackward0"},
      {m.select(0, 0), "SelectBackward0"},
      {pad(m, {1, 1}), "ConstantPadNdBackward0"},
      {m.transpose(0, 1), "TransposeBackward0"},
      {m.permute({1, 0}), "PermuteBackward0"},
      {m.reshape({12}), "ViewBackward0"},
      {m.unsqueeze(0).squeeze(0), "SqueezeBackward1"},
      {m.to(f64), "ToCopyBackward0"},
      {embedding(rows, m), "EmbeddingBackward0"},
      {log1p(m), "Log1PBackward0"},
      {expm1(m), "Expm1Backward0"},
      {gelu(m), "GeluBackward0"},
      {gelu_tanh(m), "GeluBackward0"},
      {softmax(m), "SoftmaxBackward0"},
      {masked_fill(m, m > 0, 0), "MaskedFillBackward0"},
  };
  for (const auto& [y, grad_fn] : right) CHECK(name(y) == grad_fn);
}
