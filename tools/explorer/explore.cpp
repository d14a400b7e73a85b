#include <slope/autograd/backward.h>
#include <slope/autograd/graph/trace.h>
#include <slope/autograd/graph/walk.h>
#include <slope/autograd/observer.h>
#include <slope/autograd/recompute.h>
#include <slope/tools/explorer/explore.h>
#include <slope/tools/explorer/write.h>

namespace slope::explorer {

RunOptions options_of(const Request& request, DType dtype) {
  return {
      .dtype = dtype, .seed = request.seed, .leaves = request.leaves, .mistake = request.mistake};
}

Run computed(const std::string& program, const RunOptions& options) {
  Run result = run(program, options);
  if (!result.loss.defined())
    throw Fault("name", "the program computes nothing; try x = [1, 2, 3], then sum(x ^ 2)", {});
  return result;
}

namespace {

constexpr int64_t most_values = 4096;  // of a tensor that is written in full
constexpr int64_t few_values = 64;     // the same where there are many tensors

NamedTensors all_of(const Run& run) {
  NamedTensors all = run.leaves;
  all.insert(all.end(), run.results.begin(), run.results.end());
  return all;
}

// Up to how many values a tensor is written in full: few if all together would be too many.
int64_t values_of_each(const NamedTensors& tensors) {
  int64_t numbers = 0;
  for (const NamedTensor& named : tensors)
    if (const int64_t n = named.tensor.numel(); n <= most_values)
      numbers += 3 * n;  // the value, a contribution, a sum
  return numbers <= 1'000'000 ? most_values : few_values;
}

// Each variable's tensor; undefined for one without a gradient, such as the indices of max.
Tensors tensors_of(const Trace& trace, const std::vector<Node*>& nodes, const Run& run) {
  std::map<std::pair<const Node*, uint32_t>, Tensor> made;
  for (const NamedTensor& result : run.results)
    if (const Edge edge = gradient_edge(result.tensor))
      made[{edge.node.get(), edge.output}] = result.tensor;
  Tensors tensors(trace.variables.size());
  for (size_t i = 0; i < nodes.size(); ++i)
    for (uint32_t k = 0; k < trace.operations[i].outputs.size(); ++k)
      tensors[static_cast<size_t>(trace.operations[i].outputs[k])] = made[{nodes[i], k}];
  for (size_t v = 0; v < tensors.size(); ++v)
    for (const NamedTensor& leaf : run.leaves)
      if (trace.variables[v].is_leaf && trace.variables[v].name == leaf.name)
        tensors[v] = leaf.tensor;
  return tensors;
}

// Each tensor's memory layout; those that share storage have the same storage number.
std::string layouts(const Tensors& tensors) {
  std::map<const void*, size_t> storages;
  return json_list(tensors, [&](const Tensor& x) -> std::string {
    if (!x.defined()) return "null";
    const size_t storage = storages.try_emplace(x.storage().get(), storages.size()).first->second;
    return fmt::format(R"({{"strides": {}, "offset": {}, "storage": {}}})", json(x.strides()),
                       x.layout().offset, storage);
  });
}

std::string json_gradient(const NamedTensor& leaf, int64_t most) {
  return fmt::format(R"({{"name": {}, "value": {}}})", json(leaf.name),
                     trace_json(trace_value(leaf.tensor.grad(), most)));
}

// A second backward through the same graph: the leaves' gradients after it, or the engine's error.
std::string second_backward(const Run& run, bool retain_graph, int64_t most) {
  try {
    run.loss.backward({}, retain_graph);
    NamedTensors leaves = run.leaves;
    std::erase_if(leaves, [](const NamedTensor& leaf) { return !leaf.tensor.grad().defined(); });
    return fmt::format(R"({{"gradients": {}}})", json_list(leaves, [&](const NamedTensor& leaf) {
                         return json_gradient(leaf, most);
                       }));
  } catch (const Error& e) {
    return fmt::format(R"({{"kind": "{}", "message": {}}})", kind_of(e), json(e.what()));
  }
}

}  // namespace

std::string explore(const Request& request) try {
  const Recompute mode(request.recompute);
  const Run run = computed(request.program, options_of(request, request.dtype));
  try {
    const std::vector<Node*> nodes = nodes_of({run.loss});
    const NamedTensors names = all_of(run);
    const int64_t most = values_of_each(names);
    const Trace trace = trace_backward({run.loss}, {.names = names,
                                                    .most_operations = Limits{}.nodes,
                                                    .most_values = most,
                                                    .retain_graph = request.retain_graph});
    const std::string places = json_list(nodes, [&](const Node* node) -> std::string {
      const auto place = run.places.find(node);
      return place == run.places.end() ? "null" : fmt::format("{{{}}}", json(place->second));
    });
    return fmt::format(
        "{{\"loss\": {},\n\"operations\": {},\n\"variables\": {},\n\"again\": {},\n\"trace\": "
        "{}}}\n",
        json(run.loss_name), places, layouts(tensors_of(trace, nodes, run)),
        request.again ? second_backward(run, request.retain_graph, most) : "null",
        trace_json(trace));
  } catch (const Error& e) {
    throw Fault(kind_of(e), e.what(), run.loss_place);
  }
} catch (const Fault& fault) {
  return json_error(fault);
}

namespace {

// What one operation's rule gives for one input.
struct Contribution : Observer {
  const Node* node;
  size_t input;
  Tensor g = {};
  Contribution(const Node* node, size_t input) : node(node), input(input) {}
  void contributed(const Node& of, size_t i, const Tensor& x) override {
    if (&of == node && i == input) g = x.clone();
  }
};

Tensor output_of(const Run& run, const Node* node, int64_t output) {
  for (const NamedTensor& result : run.results)
    if (const Edge edge = gradient_edge(result.tensor);
        edge.node.get() == node && edge.output == output)
      return result.tensor;
  return {};
}

}  // namespace

std::string jacobian(const Request& request) try {
  const Run run = explorer::run(request.program, options_of(request, request.dtype));
  const std::vector<Node*> nodes = run.loss.defined() ? nodes_of({run.loss}) : std::vector<Node*>();
  if (request.operation < 0 || request.operation >= static_cast<int64_t>(nodes.size()))
    throw Fault("IndexError", fmt::format("there is no operation {}", request.operation), {});
  const Node* node = nodes[static_cast<size_t>(request.operation)];
  const Tensor y = output_of(run, node, request.output);
  if (!y.defined() || request.input < 0 ||
      request.input >= static_cast<int64_t>(node->inputs.size()) ||
      !node->inputs[static_cast<size_t>(request.input)])
    throw Fault("IndexError",
                fmt::format("{} has no gradient from output {} to input {}", node->op->name,
                            request.output, request.input),
                {});
  const Dims& shape = node->inputs[static_cast<size_t>(request.input)].shape();
  if (y.numel() * numel(shape) > most_values)
    throw Fault("limit",
                fmt::format("the Jacobian has {} rows of {} numbers, more than {} in all",
                            y.numel(), numel(shape), most_values),
                {});
  const Tensors leaves = leaves_of({y});
  std::vector<std::string> rows;
  for (size_t k = 0; k < static_cast<size_t>(y.numel()); ++k) {
    std::vector<double> elements(static_cast<size_t>(y.numel()));
    elements[k] = 1;
    const Tensor unit = from_vector(elements, y.shape()).to(y.dtype());
    Contribution contribution(node, static_cast<size_t>(request.input));
    const Observe observe(contribution);
    (void)grad({y}, leaves, {.grad_outputs = {unit}, .retain_graph = true, .allow_unused = true});
    rows.push_back(json_elements(contribution.g));
  }
  return fmt::format("{{\"output\": {}, \"input\": {}, \"rows\": {}}}\n", json(y.shape()),
                     json(shape), json_list(rows, [](const std::string& row) { return row; }));
} catch (const Fault& fault) {
  return json_error(fault);
} catch (const Error& e) {
  return json_error(Fault(kind_of(e), e.what(), {}));
}

}  // namespace slope::explorer
