// Trace: backward as it happens, recorded once as plain data: which operation's turn it is, its
// formula, the gradient that comes in, the gradients that go out, where a sum grows, what is freed.
// As text for people, as JSON for a page that replays it.
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
  Tensors gradients = {};         // dL/dL of the outputs; may be left out for one element
  std::string module = {};        // only operations of this module and those below it
  int64_t most_operations = 200;  // with more to show: InputError
  int64_t most_values = 6;        // of a tensor; of larger ones there are shape and Euclidean norm
  bool retain_graph = false;
};

struct Trace {
  struct Value {
    Dims shape;
    DType dtype;
    std::vector<double> values;  // where there are few
    double norm = -1;            // -1: there is no gradient
  };
  // What gradients go to: a leaf, or a result.
  struct Variable {
    std::string name;
    bool is_leaf;
    Dims shape;
    DType dtype;
    std::vector<Value> value = {};  // one where it is known: of leaves, and of results with a name
  };
  // A value that an operation saves; 0 bytes: an input that the operation before recomputes.
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
  };
  struct Event {
    // start: dL/dL, into `variable`. operation: its turn, with the gradients of its outputs (empty:
    // none). contribution: what its derivative gave for input `input`, and behind it, where the
    // input was broadcast, what that was before it was summed over the broadcast dims. sum: the
    // `count`-th contribution was added, before and after. freed: what it saved. leaf: its grad()
    // grows.
    enum class Kind { start, operation, contribution, sum, recomputed, freed, leaf };
    Kind kind;
    int64_t operation = -1, input = -1, variable = -1;
    int64_t count = 0, bytes = 0;
    std::vector<Value> values = {};
  };
  std::vector<Variable> variables;
  std::vector<Operation> operations;  // as they were recorded; backward goes from the last
  std::vector<Event> events;
};

// Runs backward() of the outputs under an observer. InputError where more than most_operations are
// to be shown: it says how many there are, and how to narrow it.
Trace trace_backward(const Tensors& outputs, const TraceOptions& options = {});
std::string trace_text(const Trace& trace);
// {"variables": […], "operations": […], "events": [{"event": "operation", …}, …]}
std::string trace_json(const Trace& trace);

}  // namespace slope
