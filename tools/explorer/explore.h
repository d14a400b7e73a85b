// Runs a program in the explorer's language; returns its tape, backward pass and check as JSON. The
// command `slope explore` and the page's module call only this, so both give the same answers.
#pragma once

#include <slope/tools/explorer/language/interpreter.h>

#include <string>

namespace slope::explorer {

struct Request {
  std::string program;
  DType dtype = f32;
  uint64_t seed = 0;
  NamedTensors leaves = {};  // replace the program's own numbers
  std::string mistake = {};  // to plant (mistakes.h)
  bool again = false;        // backward a second time
  bool retain_graph = false;
  bool recompute = true;                         // recompute cheap outputs instead of saving them
  int64_t operation = 0, output = 0, input = 0;  // of a Jacobian
};

RunOptions options_of(const Request& request, DType dtype);
// A run that has a last value; Fault if the program computes nothing.
Run computed(const std::string& program, const RunOptions& options);

// {"loss", "trace": as `slope graph --trace -o FILE.json`, "operations": the place of each in the
// text, "variables": the memory layout of each, "again"}; {"error"} if the program is wrong.
std::string explore(const Request& request);

// Checks all leaves' gradients by central differences in f64, and the program's own claims: {"ok",
// "checked", "failed", "unchecked", "text", "failures", "culprits", "problems", "notes", "claims"}.
std::string check(const Request& request);

// d output / d input of one operation, computed by its rule, a row for each output element:
// {"output", "input", "rows"}.
std::string jacobian(const Request& request);

// The answer to a question in JSON: {"ask": "explore", "program": …, "dtype": "f64", "seed": 3,
// "leaves": {"x": "1 2 3"}, …}.
std::string answer(const std::string& question);

}  // namespace slope::explorer
