// Every model that has a file in tests/golden/zoo against its definition in PyTorch: logits, loss
// and all gradients of the small one, names, shapes, printed text and parameter count at full size.
#include <doctest/doctest.h>
#include <slope/nn/nn.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "../golden_cases.h"
#include "each_model.h"
#include "zoo.h"

using namespace slope;
using namespace slope::test;
using namespace slope::models;

namespace {

// golden_models_test.cpp tests the others, whose files hold more.
const std::set<std::string> elsewhere{"postnorm", "char-gpt", "mlp"};

struct Golden {
  std::string name;
  TensorFile file;
  Tensor at(const std::string& key) const {
    for (const auto& [k, x] : file.tensors)
      if (k == key) return x;
    FAIL(name << " has no " << key);
    return {};
  }
  NamedTensors under(const std::string& prefix) const {
    NamedTensors found;
    for (const auto& [k, x] : file.tensors)
      if (k.starts_with(prefix)) found.push_back({k.substr(prefix.size()), x});
    return found;
  }
  std::map<std::string, double> settings() const {
    std::map<std::string, double> values{{"dropout", 0}};
    std::istringstream words(file.metadata.at("settings"));
    for (std::string word; words >> word;) {
      const size_t at = word.find('=');
      values[word.substr(0, at)] = std::stod(word.substr(at + 1));
    }
    return values;
  }
};

void each_golden(const std::function<void(const ModelType&, const Golden&)>& f) {
  int64_t files = 0;
  for (const ModelTypePtr& type : zoo()) {
    if (elsewhere.contains(type->name) || !is_bundled(*type)) continue;
    const std::string file = "zoo/" + type->name + ".safetensors";
    f(*type, {type->name, parse_safetensors(golden_text(file), file)});
    ++files;
  }
  CHECK(files >= 6);
}

// A loaded model with its logits and its training loss.
struct Loaded {
  std::unique_ptr<Model> model;
  std::function<Tensor()> logits, loss;
};

Loaded load(const ModelType& type, const Golden& golden, DType dtype) {
  Loaded l;
  const auto config = small_config(type, golden.settings());
  if (const auto* t = dynamic_cast<const TranslationType*>(&type)) {
    auto model = t->make(*config, {11, 13}, Weights::drawn);
    const Tensor source = golden.at("source"), target = golden.at("target");
    const TranslationModel* m = model.get();
    l.logits = [=] { return m->logits(source, target.narrow(1, 0, target.size(1) - 1)); };
    l.loss = [=] { return m->loss(source, target, 0); };
    l.model = std::move(model);
  } else {
    auto model = dynamic_cast<const LanguageModelType&>(type).make(*config, 13, Weights::drawn);
    const Tensor tokens = golden.at("tokens");
    const int64_t T = tokens.size(1) - 1;
    const LanguageModel* m = model.get();
    l.logits = [=] { return m->logits(tokens.narrow(1, 0, T)); };
    l.loss = [=] { return m->loss(tokens.narrow(1, 0, T), tokens.narrow(1, 1, T), 0); };
    l.model = std::move(model);
  }
  nn::to(l.model->module(), dtype);
  NamedTensors values;
  for (const auto& [key, x] : golden.under("parameter/")) values.push_back({key, x.to(dtype)});
  for (const auto& [key, x] : nn::named_buffers(l.model->module()))
    if (key.ends_with(".pe")) values.push_back({key, x});  // computed by a formula, not loaded
  CHECK_MESSAGE(nn::load(l.model->module(), values).ok(), type.name);
  return l;
}

void check(DType dtype, double bound) {
  each_golden([&](const ModelType& type, const Golden& golden) {
    const auto close = [&](const std::string& what, const Tensor& ours, const Tensor& theirs,
                           double scale) {
      REQUIRE_MESSAGE(ours.shape() == theirs.shape(), type.name << ", " << what);
      const double error = difference(ours.to(f64), theirs) / scale;
      CHECK_MESSAGE(error <= bound, type.name << ", " << what << ": off by " << error);
    };
    const Loaded l = load(type, golden, dtype);
    close("logits", l.logits(), golden.at("logits"), largest(golden.at("logits")));
    const Tensor loss = l.loss();
    close("loss", loss, golden.at("loss"), golden.at("loss").item());
    nn::zero_grad(l.model->module());
    loss.backward();
    const NamedTensors parameters = nn::named_parameters(l.model->module()),
                       theirs = golden.under("gradient/");
    CHECK(parameters.size() == theirs.size());
    double whole = 0;
    for (const auto& [key, g] : theirs) whole = std::max(whole, largest(g));
    for (const auto& [key, p] : parameters) {
      const Tensor g = golden.at("gradient/" + key);
      // A key's bias adds the same to all scores of a row, so its derivative is 0 but for rounding.
      close("gradient of " + key, p.grad(), g, key.ends_with("wk.bias") ? whole : largest(g));
    }
  });
}

std::unique_ptr<Model> full_size(const ModelType& type) {
  if (const auto* t = dynamic_cast<const TranslationType*>(&type))
    return t->make(*t->config(), {7853, 5893}, Weights::unset);
  const auto& l = dynamic_cast<const LanguageModelType&>(type);
  return l.make(*l.config(), 65, Weights::unset);
}

}  // namespace

TEST_CASE("golden zoo: every model has PyTorch's logits, loss and gradients, f64") {
  check(f64, 1e-11);
}
TEST_CASE("golden zoo: every model has PyTorch's logits, loss and gradients, f32") {
  check(f32, 1e-5);
}

TEST_CASE("golden zoo: names, shapes, printed text and size are PyTorch's") {
  each_golden([](const ModelType& type, const Golden& golden) {
    const auto model = full_size(type);
    std::string keys;
    for (const auto& [key, x] : nn::state_entries(model->module())) {
      keys += key;
      for (const int64_t size : x.shape()) keys += " " + std::to_string(size);
      keys += "\n";
    }
    CHECK_MESSAGE(keys == golden.file.metadata.at("keys"), type.name);
    CHECK_MESSAGE(nn::to_string(model->module()) + "\n" == golden.file.metadata.at("print"),
                  type.name);
    CHECK_MESSAGE(
        nn::count_parameters(model->module()) == std::stoll(golden.file.metadata.at("parameters")),
        type.name);
  });
}
