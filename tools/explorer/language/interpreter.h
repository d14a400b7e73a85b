// Runs a program of the explorer's language. The operations are the engine's own, recorded as in
// any program. In addition each result is kept, with the place in the text that it came from.
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/tools/explorer/language/value.h>

#include <map>
#include <unordered_map>

namespace slope::explorer {

struct Limits {
  int64_t nodes = 2000;      // recorded
  int64_t bytes = 64 << 20;  // that the tensors of the program hold
  int64_t steps = 20'000;    // evaluated expressions, so that nested repeats end
  size_t length = 1 << 16;   // of the program, in bytes
};

// An operator or a call that was evaluated: what is needed to write it in another language.
struct Evaluated {
  std::string function;                    // its name, or "+", "@", "negate", ".T", "[]"
  std::map<std::string, Value> arguments;  // by parameter; for "[]": "x" and "parts", a list
  Value result;
};

struct Claim {  // grad(NAME) = …
  std::string name;
  Tensor value;
  Place place;
};

struct Run {
  NamedTensors leaves;   // in the order of the program
  NamedTensors results;  // of operations: under the name assigned to them, else v1, v2, …
  std::unordered_map<const Node*, Place> places;
  std::vector<Claim> claims;
  std::vector<Evaluated> evaluated;  // with keep_evaluated: in order
  NamedTensors constants;            // assigned results that need no gradient
  int64_t work = 0;                  // elements that the operations read and wrote
  Tensor loss;                       // the last tensor that a statement gave
  std::string loss_name;
  Place loss_place;
};

struct RunOptions {
  DType dtype = f32;
  uint64_t seed = 0;
  // Values that replace leaves of the same name: for dragging a number, and for finite differences.
  NamedTensors leaves = {};
  std::string mistake = {};  // planted: see mistakes.h
  bool keep_evaluated = false;
  bool round_integers = false;  // round indices that finite differences have moved
  Limits limits = {};
};

// Throws Fault, which says what is wrong and where.
Run run(const std::string& program, const RunOptions& options);

}  // namespace slope::explorer
