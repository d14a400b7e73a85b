// A program of the explorer's language, run once: its tape, its backward, its check, as JSON. The
// command `slope explore` and the module in the page call this alone, and give the same.
#pragma once

#include <slope/tools/explorer/language/interpreter.h>

#include <string>

namespace slope::explorer {

struct Request {
  std::string program;
  DType dtype = f32;
  uint64_t seed = 0;
  NamedTensors leaves = {};  // numbers in place of the program's own
  std::string mistake = {};  // planted
  bool again = false;        // backward a second time
  bool retain_graph = false;
  int64_t operation = 0, input = 0;  // of a Jacobian
};

RunOptions options_of(const Request& request, DType dtype);

// {"loss", "trace": as `slope graph --trace -o FILE.json`, "operations": where each stands in the
// text, "variables": how each lies in memory, "again"}; {"error"} where the program is wrong.
std::string explore(const Request& request);

// Central differences in f64 over every element of every leaf, and what the program claims:
// {"ok", "checked", "failed", "failures", "culprits", "notes", "claims"}.
std::string check(const Request& request);

// d output / d input of one operation, a row for each element of its output, by the rule itself:
// {"output", "input", "rows"}.
std::string jacobian(const Request& request);

// One of these, as asked in JSON: {"ask": "explore", "program": …, "dtype": "f64", "seed": 3,
// "leaves": {"x": "1 2 3"}, …}.
std::string answer(const std::string& question);

}  // namespace slope::explorer
