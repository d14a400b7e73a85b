// compare_cases FOLDER: runs the cases that compare.py wrote there (cases.txt, inputs.safetensors)
// and writes results.safetensors: CASE/output0 …, the gradients CASE/kernel0 … and CASE/formula0 …;
// refused.txt has a line for each case that slope refuses.
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>

#include <fmt/format.h>

#include <fstream>

#include "../autograd/golden_ops.h"

namespace slope::test {

namespace {

// A copy of x's values in other memory: a leaf that may be a view.
Tensor laid_out(const Tensor& x, const std::string& layout) {
  const NoGrad no_grad;
  const int64_t n = x.numel();
  Tensor y = x;
  if (layout == "transposed" && x.rank() > 1)
    y = contiguous(x.transpose(0, -1)).transpose(0, -1);
  else if (layout == "sliced")
    y = stack({x, x}, -1).select(-1, 1);
  else if (layout == "offset")
    y = cat({zeros({3}, x.dtype()), x.reshape({n})}, 0).narrow(0, 3, n).reshape(x.shape());
  else if (layout == "expanded" && x.rank() > 0 && x.size(0) > 0)
    y = x.narrow(0, 0, 1).expand(x.shape());
  return y.detach();
}

void run(const GoldenCase& c, const GoldenTensors& given, NamedTensors& results) {
  Tensors inputs, leaves, differentiated, cotangents;
  NamedTensors made;
  const auto add = [&](const char* what, size_t i, const Tensor& x) {
    made.push_back({fmt::format("{}/{}{}", c.name, what, i), clone(x.detach())});
  };
  const auto find = [&](const char* what, size_t i) {
    return given.find(fmt::format("{}/{}{}", c.name, what, i));
  };
  for (Tensor x = find("input", 0); x.defined(); x = find("input", inputs.size())) {
    inputs.push_back(laid_out(x, c.args.word("layout")));
    if (is_floating(x.dtype())) leaves.push_back(inputs.back().set_requires_grad());
  }
  const Tensors outputs = golden_ops().at(c.op)(inputs, c.args);
  for (size_t k = 0; k < outputs.size(); ++k) {
    add("output", k, outputs[k]);
    const Tensor g = find("cotangent", k);
    if (!g.defined() || !outputs[k].requires_grad() || g.shape() != outputs[k].shape()) continue;
    differentiated.push_back(outputs[k]);
    cotangents.push_back(g);
  }
  for (const bool formula : {true, false}) {
    if (differentiated.empty() || leaves.empty()) break;
    const Tensors grads = grad(differentiated, leaves,
                               {.grad_outputs = cotangents,
                                .retain_graph = formula,
                                .create_graph = formula,
                                .allow_unused = true});
    for (size_t k = 0; k < leaves.size(); ++k)
      add(formula ? "formula" : "kernel", k, grads[k].defined() ? grads[k] : zeros_like(leaves[k]));
  }
  results.insert(results.end(), made.begin(), made.end());
}

}  // namespace

}  // namespace slope::test

int main(int argc, char** argv) {
  using namespace slope;
  using namespace slope::test;
  const std::string folder = argc == 2 ? argv[1] : ".";
  const auto text = [&](const char* name) {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const GoldenTensors given(text("inputs.safetensors"), "inputs");
  NamedTensors results;
  std::ofstream refused(folder + "/refused.txt");
  for (const GoldenCase& c : read_cases(text("cases.txt"))) {
    try {
      run(c, given, results);
    } catch (const Error& error) {
      refused << c.name << ' ' << error.what() << '\n';
    }
  }
  save_safetensors(folder + "/results.safetensors", results);
}
