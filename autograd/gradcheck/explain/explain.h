// An operation's derivative as it is written down, with numbers put in, beside what its rule and
// differences give.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope {

struct Explanation {
  struct Line {                   // of one input
    std::string name;             // "dx"
    std::string formula;          // "g (1 - y^2)"; empty if the definition does not name the input
    std::vector<double> written;  // `formula` evaluated; empty if it is in words or has indices
    std::vector<double> rule, differences;
    bool is_held() const;  // the rule agrees with differences and, unless empty, with `written`
  };
  std::string name, signature, forward, derivative, domain;
  std::string inputs;  // "x = [0.5, 2], g = [1, -0.5]", y too
  std::vector<Line> lines;
  bool is_written() const;  // every text was evaluated
  bool is_held() const;
  std::string text() const;
};

// For the smallest case of the op in which it is the only call. UsageError if the name is no
// operation, or there is no such case.
Explanation explain(const std::string& op);

}  // namespace slope
