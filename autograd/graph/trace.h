// Trace: one run of backward, step by step, as plain data: which operation is processed, its
// formula, the gradient that comes in, the gradients that go out, which sum grows, what is freed.
// Written as text for people and as JSON for a page that replays it.
//
//   const Tensor a = …, b = …, c = a * b, L = c + a;
//   std::puts(trace_text(trace_backward({L}, {.names = {{"a", a}, {"b", b}, {"c", c}}})).c_str());
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/op.h>

#include <cstdint>
#include <string>
#include <vector>

namespace slope {

struct TraceOptions {
  NamedTensors names = {};        // of leaves and results; other results are v1, v2, …
  Tensors gradients = {};         // grad_output of each output; optional for one element
  std::string module = {};        // only operations of this module and its submodules
  int64_t most_operations = 200;  // InputError if more would be shown
  int64_t most_values = 6;        // larger tensors are shown as shape and Euclidean norm
  bool retain_graph = false;
};

struct Trace {
  struct Value {
    Dims shape;
    DType dtype;
    std::vector<double> values;  // if there are few
    double norm = -1;            // -1: there is no gradient
  };
  // What a gradient belongs to: a leaf or a result.
  struct Variable {
    std::string name;
    bool is_leaf;
    Dims shape;
    DType dtype;
    std::vector<Value> value = {};  // one if known: of leaves and of named results
  };
  // A saved value; 0 bytes: an input that the operation that made it computes again.
  struct Saved {
    SavedValue::Kind kind;
    int64_t index, bytes;
  };
  struct Operation {
    const Op* op;
    std::string module;
    std::vector<int64_t> inputs;    // numbers of variables; -1: needs no gradient
    std::vector<int64_t> outputs;   // numbers of variables
    std::vector<Saved> saved = {};  // for backward
    // the plain values that its formula names, as text: {{"b", "2"}}
    std::vector<std::pair<std::string, std::string>> attributes = {};
  };
  struct Event {
    // What `values` holds. start: the grad_output of `variable`. operation: the gradients of its
    // outputs (norm -1: none). contribution: the gradient of input `input`, followed, if that input
    // was broadcast, by the gradient before the sum over the broadcast dims. sum: the sum before
    // and after the `count`-th contribution. leaf: what is added to its grad(). recomputed, freed:
    // nothing; `bytes` has the size.
    enum class Kind { start, operation, contribution, sum, recomputed, freed, leaf };
    Kind kind;
    int64_t operation = -1, input = -1, variable = -1;
    int64_t count = 0, bytes = 0;
    std::vector<Value> values = {};
  };
  std::vector<Variable> variables;
  std::vector<Operation> operations;  // in the order recorded; backward starts with the last
  std::vector<Event> events;
};

// Runs backward() of the outputs under an observer. InputError if more than most_operations would
// be shown: it says how many there are and how to show fewer.
Trace trace_backward(const Tensors& outputs, const TraceOptions& options = {});
// As a trace shows a tensor: shape and norm, and its numbers if there are at most most_values.
Trace::Value trace_value(const Tensor& x, int64_t most_values);
std::string trace_text(const Trace& trace);
// {"variables": […], "operations": […], "events": [{"event": "operation", …}, …]}
std::string trace_json(const Trace& trace);
std::string trace_json(const Trace::Value& value);

}  // namespace slope
