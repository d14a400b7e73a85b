// Counts the results for one output and one leaf. The first of each kind is an example, so that a
// thousand kinks are one line of the report.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/gradcheck/numeric/differences.h>

namespace slope {

struct Tally {
  struct Kind {
    int64_t count = 0, element = 0;  // element: the first one
    Derivative derivative = {};
    void add(int64_t e, const Derivative& d) {
      if (count++ == 0) element = e, derivative = d;
    }
  };
  int64_t elements = 0, judged = 0, failed = 0;
  double largest = 0;               // magnitude among the known derivatives
  DType coarsest = f64;             // to which the function rounds values
  bool is_noisy = false;            // too noisy for differences with the usual step
  Kind kinks, jumps, edges, noisy;  // not checked
  Kind coarse;                      // checked with other steps
  Kind cut;                         // failed: the tape does not reach the leaf

  int64_t unchecked() const { return kinks.count + jumps.count + edges.count + noisy.count; }
  // Adds its lines to the report's problems and notes.
  void tell(const std::string& leaf, size_t output, double most_unchecked,
            const std::function<std::string()>& where_cut, GradcheckReport& report) const;
  // of these, the problem that the tape is cut
  void tell_cut(const std::string& leaf, size_t output,
                const std::function<std::string()>& where_cut, GradcheckReport& report) const;
};

}  // namespace slope
