// What became of the derivatives of one output with respect to one leaf: counted, with the first of
// each kind as an example, so that a thousand kinks are one line of the report.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/gradcheck/numeric/differences.h>

namespace slope {

struct Tally {
  struct Kind {
    int64_t count = 0, element = 0;  // the first
    Derivative derivative = {};
    void add(int64_t e, const Derivative& d) {
      if (count++ == 0) element = e, derivative = d;
    }
  };
  int64_t elements = 0, judged = 0, failed = 0;
  bool is_noisy = false;     // too much for differences of the usual step
  Kind kinks, edges, noisy;  // not checked
  Kind coarse;               // checked with larger steps
  Kind cut;                  // failed: the tape does not reach the leaf

  int64_t unchecked() const { return kinks.count + edges.count + noisy.count; }
  // Adds what it has to say to the report's problems and notes.
  void tell(const std::string& leaf, size_t output, double most_unchecked,
            const std::function<std::string()>& where_cut, GradcheckReport& report) const;
};

}  // namespace slope
