// Finds indices of an einsum that are in one operand and nowhere else. Such an index is summed by
// itself, not in a product. A softmax's weights then sum to 1 and no longer weigh anything.
#include <slope/nn/lint/lint.h>

#include <algorithm>
#include <cctype>

namespace slope::nn::lint {

Findings lonely_indices(const std::string& equation) {
  std::vector<std::string> terms(1);
  const size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return {};  // names that appear once are then the result's
  for (const char c : equation.substr(0, arrow)) {
    if (c == ',')
      terms.emplace_back();
    else if (std::isalpha(static_cast<unsigned char>(c)))
      terms.back().push_back(c);
  }
  Findings found;
  for (const std::string& term : terms)
    for (size_t i = 0; i < term.size(); ++i) {
      const char name = term[i];
      const auto has = [&](const std::string& t) { return t.find(name) != std::string::npos; };
      if (term.find(name) != i || equation.find(name, arrow) != std::string::npos ||
          std::count_if(terms.begin(), terms.end(), has) > 1)
        continue;
      found.push_back(
          {"einsum",
           fmt::format("\"{}\" sums {} over {}, which no other operand has", equation, term, name),
           terms.size() == 1 ? "the only operand: a sum is what was asked for" : ""});
    }
  return found;
}

}  // namespace slope::nn::lint
