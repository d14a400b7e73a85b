// Single operations on (8192, 512) floats: forward, and backward from a given gradient to every
// floating input.
#include <slope/autograd/ops.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/bench/traffic.h>

namespace slope::tools {

namespace {

using Forward = Tensor (*)(const Tensors& inputs);

class OpSteps : public Workload {
 public:
  OpSteps(Tensors inputs, Forward forward, double bytes)
      : inputs_(std::move(inputs)), forward_(forward), bytes_(bytes) {
    for (const Tensor& x : inputs_)
      if (is_floating(x.dtype())) x.set_requires_grad();
    gradient_ = randn(forward_(inputs_).shape());
  }
  Done run(int64_t steps) override {
    for (int64_t i = 0; i < steps; ++i) {
      forward_(inputs_).backward(gradient_);
      for (const Tensor& x : inputs_)
        if (x.requires_grad()) x.set_grad({});
    }
    return {.bytes = static_cast<double>(steps) * bytes_};
  }

 private:
  Tensors inputs_;
  Forward forward_;
  Tensor gradient_;
  double bytes_;  // of a step
};

struct OpCase {
  const char *name, *about;
  Tensors (*inputs)();
  Forward forward;
  double passes;  // how many (N, C) tensors forward and backward read or write, at least
};

constexpr int64_t N = 8192, C = 512;
Tensors one() { return {randn({N, C})}; }
Tensors two() { return {randn({N, C}), randn({N, C})}; }

const OpCase all[] = {
    {"softmax", "softmax over the last dim", one, [](const Tensors& x) { return softmax(x[0]); },
     5},
    {"layer_norm", "layer norm with gain and bias",
     [] {
       return Tensors{randn({N, C}), randn({C}), randn({C})};
     },
     [](const Tensors& x) { return layer_norm(x[0], x[1], x[2]); }, 5},
    {"gelu_erf", "gelu, exact", one, [](const Tensors& x) { return gelu(x[0]); }, 5},
    {"gelu_tanh", "gelu, by tanh", one, [](const Tensors& x) { return gelu(x[0], Gelu::tanh); }, 5},
    {"tanh", "tanh", one, [](const Tensors& x) { return tanh(x[0]); }, 5},
    {"exp", "exp", one, [](const Tensors& x) { return exp(x[0]); }, 5},
    {"relu", "relu", one, [](const Tensors& x) { return relu(x[0]); }, 5},
    {"add", "x + y", two, [](const Tensors& x) { return x[0] + x[1]; }, 3},
    {"mul", "x * y", two, [](const Tensors& x) { return x[0] * x[1]; }, 8},
    {"dropout", "dropout 0.1", one, [](const Tensors& x) { return dropout(x[0], 0.1); }, 4},
    {"cross_entropy", "cross entropy, 512 classes",
     [] {
       return Tensors{randn({N, C}), randint(0, C, {N})};
     },
     [](const Tensors& x) { return cross_entropy(x[0], x[1]); }, 3},
    {"sum_dim0", "sum along dim 0", one, [](const Tensors& x) { return sum(x[0], {0}); }, 1},
    {"sum_dim1", "sum along dim 1", one, [](const Tensors& x) { return sum(x[0], {1}); }, 1},
    {"transposed_copy", "x.transpose(0, 1).contiguous()", one,
     [](const Tensors& x) { return x[0].transpose(0, 1).contiguous(); }, 4},
    {"embedding", "8192 rows of a table of 10000",
     [] {
       return Tensors{randn({10000, C}), randint(0, 10000, {N})};
     },
     [](const Tensors& x) { return embedding(x[1], x[0]); }, 4},
};

}  // namespace

std::vector<BenchCase> op_cases() {
  std::vector<BenchCase> cases;
  for (const OpCase& op : all)
    cases.push_back({std::string("operations.") + op.name,
                     std::string("(8192, 512) forward and backward: ") + op.about, [&op] {
                       manual_seed(1);
                       return std::make_unique<OpSteps>(op.inputs(), op.forward,
                                                        traffic::operation(op.passes, N * C));
                     }});
  return cases;
}

}  // namespace slope::tools
