// The exported tape: each leaf, operation and output once, the arrows of the computation, names and
// modules if known.
#include <doctest/doctest.h>
#include <slope/autograd/graph/graph.h>
#include <slope/autograd/ops.h>
#include <slope/core/module_path.h>
#include <slope/core/tensor/factories.h>

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace slope;
using Kind = GraphNode::Kind;

namespace {

Tensor ones_leaf(const Dims& shape) { return ones(shape).set_requires_grad(); }

std::vector<std::string> labels(const Graph& graph) {
  std::vector<std::string> all;
  for (const GraphNode& node : graph.nodes) all.push_back(node.label());
  return all;
}

bool in_order(const Graph& graph) {
  return std::all_of(graph.edges.begin(), graph.edges.end(),
                     [](const GraphEdge& e) { return e.from < e.to; });
}

struct InModule {
  const char* before = current_module();
  explicit InModule(const std::string& path) { set_current_module(intern_path(path)); }
  ~InModule() { set_current_module(before); }
};

}  // namespace

TEST_CASE("export: y = tanh(x W + b): boxes and arrows") {
  const Tensor x = ones({2, 3}), w = ones_leaf({3, 4}), b = ones_leaf({4});
  const Tensor y = tanh(matmul(x, w) + b);
  const Graph graph = graph_of({y}, {.names = {{"W", w}, {"b", b}}, .outputs = {"y"}});
  // x needs no gradient: it is not on the tape
  CHECK(labels(graph) == std::vector<std::string>{"W", "matmul", "b", "add", "tanh", "y"});
  REQUIRE(graph.edges.size() == 5);
  const std::vector<std::array<int64_t, 3>> expected = {
      {0, 1, 1}, {1, 3, 0}, {2, 3, 1}, {3, 4, 0}, {4, 5, 0}};
  for (size_t i = 0; i < 5; ++i)
    CHECK(std::array<int64_t, 3>{graph.edges[i].from, graph.edges[i].to, graph.edges[i].input} ==
          expected[i]);
  CHECK(graph.nodes[0].kind == Kind::leaf);
  CHECK(graph.nodes[0].detail() == "(3, 4)");
  CHECK(graph.nodes[1].kind == Kind::operation);
  CHECK(graph.nodes[5].kind == Kind::output);
  CHECK(graph.nodes[5].detail() == "(2, 4)");
  CHECK(graph.nodes[4].saved_bytes == 2 * 4 * 4);  // tanh keeps its output
}

TEST_CASE("export: a leaf read twice is one box, an input used twice two arrows") {
  const Tensor x = ones_leaf({3});
  const Graph graph = graph_of({(x * x) + exp(x)});
  CHECK(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                      [](const GraphNode& n) { return n.kind == Kind::leaf; }) == 1);
  CHECK(graph.nodes[0].name == "leaf");
  CHECK(graph.edges.size() == 3 + 2 + 1);
  CHECK(in_order(graph));
}

TEST_CASE("export: leaves and constants as results, no results") {
  CHECK(graph_of({}).nodes.empty());
  CHECK(labels(graph_of({ones({2})})) == std::vector<std::string>{"output"});
  const Graph graph = graph_of({ones_leaf({2}).to(f64)});
  CHECK(graph.nodes.back().detail() == "float64 (2,)");
  const Tensor x = ones_leaf({2});
  CHECK(labels(graph_of({x, exp(x)}, {.outputs = {"x itself"}})) ==
        std::vector<std::string>{"leaf", "exp", "x itself", "output"});
}

TEST_CASE("export: values, gradients and names of results, of small tensors") {
  const Tensor a = tensor(-4.0, f64).set_requires_grad(), b = tensor(2.0, f64).set_requires_grad(),
               large = ones({5}, f64).set_requires_grad();
  const Tensor c = a * b, d = c + 1;
  c.retain_grad();
  const Tensor L = d * sum(large);
  L.backward({}, true);
  const Graph graph = graph_of(
      {L}, {.names = {{"a", a}, {"layer.0 bias", b}, {"c", c}, {"d", d}}, .outputs = {"L"}});
  const auto box = [&](const std::string& label) {
    for (const GraphNode& node : graph.nodes)
      if (node.label() == label) return node;
    FAIL("no box " << label);
    return graph.nodes[0];
  };
  CHECK(box("a").numbers() == "value -4, grad 10");
  CHECK(box("layer.0 bias").numbers() == "value 2, grad -20");
  CHECK(box("c = mul").numbers() == "value -8, grad 5");
  CHECK(box("d = add_scalar").numbers() == "value -7");
  CHECK(box("leaf").numbers().empty());  // large
  CHECK(box("L").numbers() == "value -35");
  CHECK(to_dot(graph).find("c = mul\\nfloat64 ()\\nvalue -8, grad 5") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(graph));
  for (const auto& node : json["nodes"])
    if (node.value("result", "") == "c") {
      CHECK(node["value"] == "-8");
      CHECK(node["grad"] == "5");
    }
}

TEST_CASE("export: DOT and JSON hold the same graph; names are escaped") {
  const Tensor x = ones_leaf({2}), w = ones_leaf({2});
  const Graph graph = graph_of({sum(x * w)}, {.names = {{"a \"quoted\"\nname", x}}});
  const std::string dot = to_dot(graph);
  CHECK(dot.starts_with("digraph {"));
  CHECK(dot.find("a \\\"quoted\\\"\\nname") != std::string::npos);
  CHECK(dot.find("fillcolor=lightblue") != std::string::npos);
  CHECK(dot.find("fillcolor=darkolivegreen1") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(graph));
  REQUIRE(json["nodes"].size() == graph.nodes.size());
  REQUIRE(json["edges"].size() == graph.edges.size());
  CHECK(json["nodes"][0]["name"] == "a \"quoted\"\nname");
  CHECK(json["nodes"][0]["kind"] == "leaf");
  CHECK(json["nodes"][0]["tensors"][0]["shape"] == nlohmann::json({2}));
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    CHECK(json["edges"][i]["from"] == graph.edges[i].from);
    CHECK(json["edges"][i]["to"] == graph.edges[i].to);
  }
  CHECK(nlohmann::json::parse(to_json(graph_of({})))["nodes"].empty());
}

TEST_CASE("export: a name that is no printable text stays in one DOT label, and JSON stays UTF-8") {
  const Tensor x = ones_leaf({2});
  const Graph graph = graph_of({exp(x)}, {.names = {{"tab\tback\\slash\x1b \xff", x}}});
  CHECK(to_dot(graph).find("label=\"tab\\\\x09back\\\\slash\\\\x1b \\\\xff\\n") !=
        std::string::npos);
  CHECK(nlohmann::json::parse(to_json(graph))["nodes"][0]["name"] ==
        "tab\tback\\slash\x1b \xEF\xBF\xBD");
}

TEST_CASE(
    "export: operations of one module become one box, with the parameters that only it reads") {
  const Tensor x = ones_leaf({2, 3}), w = ones_leaf({3, 3}), shared = ones_leaf({3});
  Tensor h;
  {
    const InModule module("layers.0.mlp.up");
    h = relu(matmul(x, w) + shared);
  }
  {
    const InModule module("layers.0.mlp.down");
    h = exp(h) * shared;
  }
  {
    const InModule module("layers.0.norm");
    h = tanh(h);
  }
  const Tensor y = h + x;
  const NamedTensors leaves = {{"x", x}, {"w", w}, {"shared", shared}};
  const Graph all = graph_of({y}, {.names = leaves});
  CHECK(all.nodes.size() == 3 + 7 + 1);
  CHECK(all.nodes[2].module == "layers.0.mlp.up");

  const Graph fine = graph_of({y}, {.names = leaves, .module_depth = 9});
  CHECK(labels(fine) == std::vector<std::string>{"x", "shared", "layers.0.mlp.up (3 operations)",
                                                 "layers.0.mlp.down (2 operations)",
                                                 "layers.0.norm", "add", "output"});
  CHECK(fine.nodes[2].parameters == 9);
  CHECK(fine.nodes[2].detail() == "(2, 3) · 9 parameters");
  const Graph coarse = graph_of({y}, {.names = leaves, .module_depth = 3});
  CHECK(labels(coarse) == std::vector<std::string>{"x", "layers.0.mlp (5 operations)",
                                                   "layers.0.norm", "add", "output"});
  CHECK(coarse.nodes[1].parameters == 12);
  for (const Graph& graph : {all, fine, coarse}) CHECK(in_order(graph));
}

TEST_CASE("export: an input used twice is two arrows outside modules, at any depth") {
  const Tensor x = ones_leaf({2});
  for (const int64_t depth : {0, 1}) {
    const Graph graph = graph_of({x * x}, {.module_depth = depth});
    REQUIRE(graph.edges.size() == 3);
    CHECK(graph.edges[0].input == 0);
    CHECK(graph.edges[1].input == 1);
  }
}

TEST_CASE("export: a module left and entered again is two boxes, so the graph has no cycle") {
  const Tensor x = ones_leaf({2});
  Tensor h;
  {
    const InModule outer("block");
    h = exp(x);
    {
      const InModule inner("block.norm");
      h = tanh(h);
    }
    set_current_module(intern_path("block"));
    h = h + x;
  }
  const Graph graph = graph_of({h}, {.module_depth = 2});
  CHECK(labels(graph) ==
        std::vector<std::string>{"leaf", "block", "block.norm", "block", "output"});
  CHECK(in_order(graph));
}

TEST_CASE("export: 100,000 operations") {
  const Tensor x = ones_leaf({1});
  Tensor y = x;
  for (int i = 0; i < 100000; ++i) y = -y;
  const Graph graph = graph_of({y});
  CHECK(graph.nodes.size() == 100002);
  CHECK(graph.edges.size() == 100001);
  CHECK(in_order(graph));
  CHECK(to_dot(graph).size() > 1000000);
}
