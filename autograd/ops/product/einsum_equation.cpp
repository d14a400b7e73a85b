#include <slope/autograd/ops/product/einsum_equation.h>
#include <slope/core/error.h>

#include <algorithm>

namespace slope {

namespace {

constexpr int64_t max_unnamed = 20;  // dims that "..." may stand for; below any letter's code

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_unnamed(char name) { return name <= max_unnamed; }

DimNames unnamed_dims(int64_t count) {
  DimNames names;
  for (int64_t d = count; d > 0; --d) names.push_back(static_cast<char>(d));
  return names;
}

// A term of the equation: letters, with "..." at most once.
struct Term {
  std::string before, after;  // the letters around "..."
  bool has_dots;

  Term(const std::string& equation, const std::string& text) {
    const size_t dots = text.find("...");
    has_dots = dots != std::string::npos;
    before = text.substr(0, dots);
    if (has_dots) after = text.substr(dots + 3);
    for (const char c : before + after)
      SLOPE_CHECK_SHAPE(
          is_letter(c),
          "einsum: '{}' in \"{}\" is not a name; names are letters, unnamed dims \"...\"", c,
          equation);
  }
  int64_t letters() const { return static_cast<int64_t>(before.size() + after.size()); }
  // with `unnamed` dims in place of "..."
  DimNames names(int64_t unnamed) const {
    return before + (has_dots ? unnamed_dims(unnamed) : "") + after;
  }
};

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back().push_back(c);
  return parts;
}

DimNames default_result(const std::string& inputs, int64_t unnamed) {
  DimNames result = unnamed_dims(unnamed);
  for (char name = 'A'; name <= 'z'; ++name)
    if (is_letter(name) && std::count(inputs.begin(), inputs.end(), name) == 1)
      result.push_back(name);
  return result;
}

}  // namespace

EinsumEquation parse_einsum(const std::string& given, const std::vector<int64_t>& ranks) {
  std::string equation;
  std::copy_if(given.begin(), given.end(), std::back_inserter(equation),
               [](char c) { return c != ' '; });
  const size_t arrow = equation.find("->");
  const std::string inputs = equation.substr(0, arrow);
  const std::vector<std::string> terms = split_at_commas(inputs);
  SLOPE_CHECK_SHAPE(!ranks.empty() && terms.size() == ranks.size(),
                    "einsum: \"{}\" has {} terms for {} operands", given, terms.size(),
                    ranks.size());
  EinsumEquation result;
  int64_t most_unnamed = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const Term term(given, terms[i]);
    const int64_t unnamed = ranks[i] - term.letters();
    SLOPE_CHECK_SHAPE(term.has_dots ? unnamed >= 0 && unnamed <= max_unnamed : unnamed == 0,
                      "einsum: '{}' in \"{}\" names {} dims, its operand has {}", terms[i], given,
                      term.letters(), ranks[i]);
    result.operands.push_back(term.names(unnamed));
    most_unnamed = std::max(most_unnamed, unnamed);
  }
  result.result = arrow == std::string::npos
                      ? default_result(inputs, most_unnamed)
                      : Term(given, equation.substr(arrow + 2)).names(most_unnamed);
  for (const char name : result.result) {
    SLOPE_CHECK_SHAPE(std::count(result.result.begin(), result.result.end(), name) == 1,
                      "einsum: the result of \"{}\" names '{}' twice", given, name);
    SLOPE_CHECK_SHAPE(is_unnamed(name) || inputs.find(name) != std::string::npos,
                      "einsum: the result of \"{}\" names '{}', which no operand has", given, name);
  }
  return result;
}

}  // namespace slope
