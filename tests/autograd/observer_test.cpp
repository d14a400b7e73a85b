// Observers see every contribution to every gradient, and change none of its bits.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/autograd/observer.h>
#include <slope/autograd/ops.h>
#include <slope/tests/autograd/same_bits.h>
#include <slope/tests/leaf.h>

#include <map>

#include <cmath>

using namespace slope;
using slope::test::leaf;

namespace {

// Records every event in words, with copies of the tensors.
struct Recorder : Observer {
  std::vector<std::string> words;
  std::vector<Tensors> tensors;
  int depth = 0;

  void add(std::string text, Tensors told = {}) {
    words.push_back(std::move(text));
    for (Tensor& x : told) x = x.defined() ? contiguous_copy(x) : x;
    tensors.push_back(std::move(told));
  }
  void recorded(const Recorded& made) override {
    if (made.node)
      add(fmt::format("{} recorded", made.op.name));  // without a node: called by a rule
  }
  void pass_begins() override { ++depth; }
  void pass_ends() noexcept override { --depth; }
  void node_begins(const Node& node, std::span<const Tensor> grads) override {
    add(fmt::format("{} begins", node.op->name), {grads.begin(), grads.end()});
  }
  void rule_ended(const Node& node) override { add(fmt::format("{} ended", node.op->name)); }
  void returned(const Node& node, size_t i, const Tensor& g) override {
    add(fmt::format("{} returned {}", node.op->name, i), {g});
  }
  void contributed(const Node& node, size_t i, const Tensor& g) override {
    add(fmt::format("{} contributed {}", node.op->name, i), {g});
  }
  void summed(const Edge& edge, const Tensor& before, const Tensor& after) override {
    add(fmt::format("sum of {}", edge.leaf ? "leaf" : edge.node->op->name), {before, after});
  }
  void handed_over(const Tensor& x, const Tensor& g) override { add("handed over", {x, g}); }
  void recomputed(const Node& node, const SavedValue& value) override {
    add(fmt::format("{} recomputed, {} bytes", node.op->name, value.bytes()));
  }
  void freeing(const Node& node) override {
    int64_t bytes = 0;
    for (const SavedValue& value : node.saved) bytes += value.bytes();
    add(fmt::format("{} frees {}", node.op->name, bytes));
  }

  std::vector<Tensors> of(const std::string& text) const {
    std::vector<Tensors> found;
    for (size_t i = 0; i < words.size(); ++i)
      if (words[i] == text) found.push_back(tensors[i]);
    return found;
  }
  int64_t count(const std::string& text) const { return static_cast<int64_t>(of(text).size()); }
};

// Gradients of a case's inputs, f32; of a sum in which every output has its own weights.
Tensors gradients(const Case& c, InputLayout layout, Observer* observer) {
  const Generator before = generator();
  generator() = Generator{.seed = 3};
  Tensors leaves, views;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const LaidOut laid = lay_out(c.inputs[i], layout, f32, 100 + i);
    leaves.push_back(laid.leaf);
    views.push_back(laid.view(laid.leaf));
  }
  Tensors outputs, weights;
  for (const Tensor& y : c.f(views))
    if (y.requires_grad()) {
      outputs.push_back(y);
      weights.push_back(randn(y.shape(), y.dtype()));
    }
  std::optional<Observe> observe;
  if (observer) observe.emplace(*observer);
  if (!outputs.empty()) backward(outputs, weights);
  generator() = before;
  Tensors grads;
  for (const Tensor& x : leaves)
    grads.push_back(x.grad().defined() ? x.grad() : zeros(x.shape(), x.dtype()));
  return grads;
}

}  // namespace

TEST_CASE("observer: every check case has the same bits, observed or not, over every layout") {
  for (const Case& c : all_cases())
    for (const InputLayout layout : all_layouts) {
      CAPTURE(c.name);
      CAPTURE(c.label);
      CAPTURE(name(layout));
      Recorder recorder;
      CHECK(same_bits(gradients(c, layout, nullptr), gradients(c, layout, &recorder)));
    }
}

TEST_CASE("observer: y = x * x + tanh(x), event by event") {
  const Tensor x = leaf(0.5);
  Recorder recorder;
  {
    const Observe observe(recorder);
    const Tensor square = x * x;
    (square + tanh(x)).backward();
  }
  const std::vector<std::string> expected = {
      "mul recorded",       "tanh recorded",     "add recorded",      "sum of add",
      "add begins",         "add ended",         "add returned 0",    "add contributed 0",
      "sum of mul",         "add returned 1",    "add contributed 1", "sum of tanh",
      "tanh begins",        "tanh ended",        "tanh frees 8",      "tanh returned 0",
      "tanh contributed 0", "sum of leaf",       "mul begins",        "mul ended",
      "mul frees 16",       "mul returned 0",    "mul contributed 0", "sum of leaf",
      "mul returned 1",     "mul contributed 1", "sum of leaf",       "handed over"};
  CHECK(recorder.words == expected);
  CHECK(recorder.depth == 0);
  const std::vector<Tensors> sums = recorder.of("sum of leaf");
  CHECK_FALSE(sums[0][0].defined());
  CHECK(sums[1][0].item() == sums[0][1].item());
  CHECK(sums[1][1].item() == sums[0][1].item() + 0.5);
  CHECK(sums[2][1].item() == x.grad().item());
  const size_t told = recorder.words.size();
  (x * x).backward();  // without an observer
  CHECK(recorder.words.size() == told);
}

TEST_CASE("observer: a kernel that adds twice to one sum is seen to add twice") {
  const Tensor x = tensor({{0.5, -1}, {2, 0.25}}, f64).set_requires_grad();
  Recorder recorder;
  {
    const Observe observe(recorder);
    const Tensor product = linear(x, x);
    (sum(product) + sum(tanh(x))).backward();
  }
  const std::vector<Tensors> sums = recorder.of("sum of leaf"),
                             added[] = {recorder.of("linear contributed 0"),
                                        recorder.of("linear contributed 1")};
  REQUIRE(sums.size() == 3);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(same_bits({sums[i + 1][0]}, {sums[i][1]}));
    CHECK(allclose(sums[i + 1][0] + added[i].at(0)[0], sums[i + 1][1]));
  }
  CHECK(same_bits({sums[2][1]}, {x.grad()}));
}

TEST_CASE("observer: what a kernel adds into a sum is seen alone, and gives the same bits") {
  constexpr int64_t C = 16;
  const Tensor index = tensor({3, 1, 3, 3, 0});
  const auto losses = [&](const Tensor& table, const Tensor& w, const Tensor& v) {
    const Tensor h = layer_norm(embedding(index, table), ones({C}), zeros({C}));
    const Tensor y = linear(h, w) + linear(h, v) + linear(h, w);
    return mean(linear(layer_norm(y, Tensor(), Tensor()) + h, table));  // tied
  };
  const auto run = [&](Observer* observer) {
    generator() = Generator{.seed = 9};
    const Tensor table = randn({7, C}).set_requires_grad(), w = randn({C, C}).set_requires_grad(),
                 v = randn({C, C}).set_requires_grad();
    const Tensor loss = losses(table, w, v);
    std::optional<Observe> observe;
    if (observer) observe.emplace(*observer);
    loss.backward();
    return Tensors{table.grad(), w.grad(), v.grad()};
  };
  Recorder recorder;
  CHECK(same_bits(run(nullptr), run(&recorder)));
  CHECK(recorder.count("embedding contributed 1") == 1);
  CHECK(recorder.count("linear contributed 0") == 4);
  CHECK(recorder.count("linear contributed 1") == 4);
  // each sum is the value before plus the contribution
  std::map<std::string, int> seen;
  for (size_t i = 0; i < recorder.words.size(); ++i) {
    if (!recorder.words[i].starts_with("sum of ") || !recorder.tensors[i][0].defined()) continue;
    REQUIRE(recorder.words[i - 1].find("contributed") != std::string::npos);
    const Tensor sum = recorder.tensors[i][0] + recorder.tensors[i - 1][0];
    CHECK(allclose(sum, recorder.tensors[i][1], 1e-5, 1e-6));
    ++seen[recorder.words[i]];
  }
  CHECK(seen["sum of leaf"] == 2);        // of w, and of the table
  CHECK(seen["sum of layer_norm"] == 3);  // of h
}

TEST_CASE("observer: a derivative writes over nothing that an observer was shown") {
  const Tensor x = leaf({1., 2.});
  struct Keeper : Observer {
    Tensor g, copy;
    void node_begins(const Node& node, std::span<const Tensor> grads) override {
      if (std::string_view(node.op->name) == "tanh") g = grads[0], copy = contiguous_copy(g);
    }
  } keeper;
  const Observe observe(keeper);
  sum(tanh(x * 2) * 3).backward();
  CHECK(same_bits(keeper.g, keeper.copy));
}

TEST_CASE("observer: a recomputed value, with its bytes") {
  const Tensor x = ones({8, 4}).set_requires_grad(), w = ones({4, 4}).set_requires_grad();
  Recorder recorder;
  const Observe observe(recorder);
  sum(linear(gelu(x), w)).backward();
  CHECK(recorder.count("gelu recomputed, 128 bytes") == 1);
  CHECK(recorder.count("linear frees 64") == 1);  // w; gelu holds the rest
  CHECK(recorder.count("gelu frees 256") == 1);   // its input, and its recomputed output
}

TEST_CASE("observer: broadcast dims: what the rule returned, and what it contributes") {
  const Tensor x = leaf({{1., 2.}, {3., 4.}}), b = leaf({5., 6.});
  Recorder recorder;
  const Observe observe(recorder);
  sum(x + b).backward();
  CHECK(recorder.of("add returned 1")[0][0].shape() == Dims{2, 2});
  CHECK(recorder.of("add contributed 1")[0][0].shape() == Dims{2});
}

TEST_CASE("observer: the innermost is told first; passes inside rules nest") {
  static std::vector<std::string> told;
  struct Named : Observer {
    std::string name;
    explicit Named(std::string n) : name(std::move(n)) {}
    void pass_begins() override { told.push_back(name); }
    bool sees_contributions() const override { return false; }
  } outer("outer"), inner("inner");
  told.clear();
  const Tensor x = ones({2, 3}).set_requires_grad();
  {
    const Observe a(outer);
    {
      const Observe b(inner);
      sum(x * x).backward();
    }
    (void)grad({sum(layer_norm(x, Tensor(), Tensor()))}, {x}, {.create_graph = true});
  }
  CHECK(told == std::vector<std::string>{"inner", "outer", "outer", "outer"});
}

TEST_CASE("observer: one that throws ends the pass, and no leaf's gradient has changed") {
  struct Thrower : Observer {
    void contributed(const Node&, size_t, const Tensor&) override {
      throw std::runtime_error("seen enough");
    }
  } thrower;
  const Tensor x = leaf({1., 2.}), y = sum(x * x);
  {
    const Observe observe(thrower);
    CHECK_THROWS_AS(y.backward({}, true), std::runtime_error);
  }
  CHECK_FALSE(x.grad().defined());
  y.backward();
  CHECK(equal(x.grad(), tensor({2., 4.}, f64)));
}

TEST_CASE("anomaly mode: changes no bits, also where a kernel would have added") {
  const Tensor index = tensor({3, 1, 3, 3, 0});
  const auto run = [&](bool anomaly) {
    generator() = Generator{.seed = 9};
    const Tensor table = randn({7, 16}).set_requires_grad();
    const DetectAnomaly detect(anomaly);
    sum(linear(tanh(embedding(index, table)), table)).backward();
    return Tensors{table.grad()};
  };
  CHECK(same_bits(run(false), run(true)));
  const DetectAnomaly outer;
  {
    const DetectAnomaly off(false);
    CHECK_FALSE(anomaly_enabled());
    const Tensor x = leaf(0.0);
    sqrt(x).backward();
    CHECK(std::isinf(x.grad().item()));
    const DetectAnomaly on;
    CHECK_THROWS_AS(sqrt(leaf(0.0)).backward(), NumericError);
  }
  CHECK(anomaly_enabled());
}

TEST_CASE("steps: a pass runs node by node, and hands gradients over at its end") {
  const Tensor x = leaf(3.0), y = tanh(x * x) * 2;
  y.backward({}, true);
  const double expected = x.grad().item();
  x.set_grad({});
  std::vector<std::string> names;
  BackwardSteps steps({y});
  while (const Node* node = steps.next()) {
    names.emplace_back(node->op->name);
    CHECK_FALSE(x.grad().defined());
  }
  CHECK(names == std::vector<std::string>{"mul_scalar", "tanh", "mul"});
  CHECK(x.grad().item() == expected);
  CHECK(steps.next() == nullptr);
  CHECK(x.grad().item() == expected);  // once
}

TEST_CASE("steps: abandoned, they hand nothing over; another pass may run in between") {
  const Tensor x = leaf(3.0), y = exp(x * x);
  {
    BackwardSteps steps({y}, {}, {.retain_graph = true});
    CHECK(std::string(steps.next()->op->name) == "exp");
    (x * 5).backward();
    CHECK(x.grad().item() == 5);
    CHECK(grad({y}, {x}, {.retain_graph = true})[0].item() == 6 * std::exp(9.0));
    CHECK(std::string(steps.next()->op->name) == "mul");
  }
  CHECK(x.grad().item() == 5);
  y.backward();
  CHECK(x.grad().item() == 5 + 6 * std::exp(9.0));
}

TEST_CASE("steps: while a later pass has not ended, an earlier one cannot go on") {
  const Tensor x = leaf(0.0), h = exp(x), z = h * 2 * 3;
  BackwardSteps first({h}, {}, {.retain_graph = true}), second({z}, {}, {.retain_graph = true});
  CHECK_THROWS_WITH_AS((void)first.next(), doctest::Contains("began later has not ended"),
                       AutogradError);
  while (second.next()) {
  }
  CHECK(x.grad().item() == 6);
  CHECK(std::string(first.next()->op->name) == "exp");
  CHECK(first.next() == nullptr);
  CHECK(x.grad().item() == 7);
}
