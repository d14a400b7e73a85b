// chrF (Popović 2015) of a corpus, one reference per line, as sacreBLEU computes it by default: an
// F-score of character n-grams, without blanks; 0 to 100.
//   chrF2 = 100 (1 + 2²) P R / (2² P + R)
//   P, R  = precision and recall of n-grams of characters, means over n = 1 … 6
#pragma once

#include <string>
#include <vector>

namespace slope::data {

struct Chrf {
  bool lower_case = true;

  // InputError if the numbers of lines differ.
  double operator()(const std::vector<std::string>& hypotheses,
                    const std::vector<std::string>& references) const;
  std::string signature() const;  // sacreBLEU's, for the version that the tests compare with
};

}  // namespace slope::data
