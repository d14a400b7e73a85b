#include <slope/autograd/backward.h>
#include <slope/tools/explorer/language/functions.h>
#include <slope/tools/explorer/source/source.h>
#include <slope/tools/explorer/source/writer.h>

#include <fmt/ranges.h>

namespace slope::explorer {

namespace {

constexpr const char* cpp_head =
    R"(// A program of slope's explorer. Prints its last value and the gradients of its leaves.
//   c++ -std=c++20 program.cpp $(pkg-config --cflags --libs slope) -o program
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>

#include <cmath>
#include <cstdio>

using namespace slope;

static void show(const char* name, const Tensor& x) {
  std::printf("%s =", name);
  if (!x.defined()) std::printf(" none");
  else for (const double value : x.detach().to_vector()) std::printf(" %.@@g", value);
  std::printf("\n");
}

int main() {
)";
constexpr const char* pytorch_head =
    R"(# A program of slope's explorer. Prints its last value and the gradients of its leaves.
import torch
import torch.nn.functional as F


def show(name, x):
    values = [] if x is None else x.detach().flatten().tolist()
    print(name, "=", *([f"{value:.@@g}" for value in values] if x is not None else ["none"]))


)";

class Source {
 public:
  Source(const Run& run, Language language, DType dtype)
      : run_(run), is_cpp_(language == Language::cpp), writer_(language, dtype),
        text_(is_cpp_ ? cpp_head : pytorch_head) {
    text_.replace(text_.find("@@"), 2, dtype == f32 ? "9" : "17");  // enough to tell all apart
  }

  std::string write() {
    for (const NamedTensor& leaf : run_.leaves) {
      const std::string numbers = writer_.literal(leaf.tensor);
      define(writer_.give_name(leaf.tensor, leaf.name),
             numbers + (is_cpp_ ? ".set_requires_grad()" : ".requires_grad_()"));
    }
    for (const Evaluated& e : run_.evaluated) add(e);
    const std::string loss = writer_.tensor(run_.loss);
    line(loss + ".backward()");
    show(loss, loss);
    for (const NamedTensor& leaf : run_.leaves) {
      const std::string gradient = writer_.tensor(leaf.tensor) + (is_cpp_ ? ".grad()" : ".grad");
      show(leaf.name + ".grad", gradient);
    }
    return text_ + (is_cpp_ ? "}\n" : "");
  }

 private:
  void line(const std::string& code) { text_ += is_cpp_ ? "  " + code + ";\n" : code + "\n"; }
  void define(const std::string& name, const std::string& code) {
    line((is_cpp_ ? "const Tensor " : "") + name + " = " + code);
  }
  void show(const std::string& name, const std::string& what) {
    line(fmt::format("show(\"{}\", {})", name, what));
  }

  std::string name_for(const Tensor& x) {
    for (const NamedTensors* list : {&run_.results, &run_.constants})
      for (const NamedTensor& named : *list)
        if (named.tensor.is_same(x)) return named.name;
    return fmt::format("c{}", ++unnamed_);
  }

  void add(const Evaluated& e) {
    if (const Function* function = find_function(e.function); function && function->makes_leaf)
      return;  // its result is written out where it is used
    if (e.function == "[]" && std::holds_alternative<Values>(e.arguments.at("x").of))
      return;  // an element of a list: it has a name, or is written out too
    if (const auto* x = std::get_if<Tensor>(&e.result.of)) {
      if (writer_.has_name(*x) || e.function == "integers") return;
      const std::string code = writer_.call(e);
      return define(writer_.give_name(*x, name_for(*x)), code);
    }
    if (const auto* list = std::get_if<Values>(&e.result.of)) add_list(e, *list);
  }
  void add_list(const Evaluated& e, const Values& list) {
    const std::string code = writer_.call(e);
    std::vector<std::string> names;
    for (const Value& one : list) {
      const Tensor& x = std::get<Tensor>(one.of);
      names.push_back(writer_.give_name(x, name_for(x)));
    }
    const bool is_pair = e.function == "max" || e.function == "min";  // ValuesAndIndices
    const std::string all = fmt::format("{}", fmt::join(names, ", "));
    if (!is_cpp_) return line(fmt::format("{}{} = {}", all, names.size() == 1 ? "," : "", code));
    if (is_pair) return line(fmt::format("const auto [{}] = {}", all, code));
    const std::string parts = writer_.give_name({}, "parts");
    line(fmt::format("const Tensors {} = {}", parts, code));
    for (size_t i = 0; i < names.size(); ++i) define(names[i], fmt::format("{}[{}]", parts, i));
  }

  const Run& run_;
  bool is_cpp_;
  Writer writer_;
  std::string text_;
  int unnamed_ = 0;
};

}  // namespace

std::string source_of(const Request& request, Language language) {
  if (!request.mistake.empty())
    throw Fault("limit",
                "a program with a planted mistake cannot be saved: only the explorer has it", {});
  RunOptions options = options_of(request, request.dtype);
  options.keep_evaluated = true;
  const Run run = computed(request.program, options);
  try {
    run.loss.backward();  // a program that fails here is not written
  } catch (const Error& e) {
    throw Fault(kind_of(e), e.what(), run.loss_place);
  }
  return Source(run, language, request.dtype).write();
}

}  // namespace slope::explorer
