#include <slope/autograd/ops/product/einsum_equation.h>
#include <slope/core/error.h>

#include <algorithm>
#include <string_view>

namespace slope {

namespace {

constexpr int64_t max_unnamed = 20;  // dims of "...", named 1 … 20: below any letter's code

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_unnamed(char name) { return name <= max_unnamed; }

DimNames unnamed_dims(int64_t count) {
  DimNames names;
  for (int64_t d = count; d > 0; --d) names.push_back(static_cast<char>(d));
  return names;
}

// A term of the equation: letters, with "..." at most once.
struct Term {
  std::string_view before, after;  // the letters around "..."
  bool has_dots;

  Term(const std::string& equation, std::string_view text) {
    const size_t dots = text.find("...");
    has_dots = dots != text.npos;
    before = text.substr(0, dots);
    if (has_dots) after = text.substr(dots + 3);
    for (const std::string_view part : {before, after})
      for (const char c : part)
        SLOPE_CHECK_SHAPE(
            is_letter(c),
            "einsum: '{}' in \"{}\" is not a name; names are letters, unnamed dims \"...\"", c,
            equation);
  }
  int64_t letters() const { return static_cast<int64_t>(before.size() + after.size()); }
  // with `unnamed` dims in place of "..."
  DimNames names(int64_t unnamed) const {
    DimNames result(before);
    if (has_dots) result += unnamed_dims(unnamed);
    return result += after;
  }
};

using Parts = InlineVector<std::string_view, 4>;

Parts split_at_commas(std::string_view text) {
  Parts parts;
  for (size_t comma; (comma = text.find(',')) != text.npos; text.remove_prefix(comma + 1))
    parts.push_back(text.substr(0, comma));
  parts.push_back(text);
  return parts;
}

DimNames default_result(std::string_view inputs, int64_t unnamed) {
  DimNames result = unnamed_dims(unnamed);
  for (char name = 'A'; name <= 'z'; ++name)
    if (is_letter(name) && std::count(inputs.begin(), inputs.end(), name) == 1)
      result.push_back(name);
  return result;
}

}  // namespace

EinsumEquation parse_einsum(const std::string& given, const Dims& ranks) {
  std::string equation;
  std::copy_if(given.begin(), given.end(), std::back_inserter(equation),
               [](char c) { return c != ' '; });
  const size_t arrow = equation.find("->");
  const std::string_view inputs = std::string_view(equation).substr(0, arrow);
  const Parts terms = split_at_commas(inputs);
  SLOPE_CHECK_SHAPE(!ranks.empty() && terms.size() == ranks.size(),
                    "einsum: \"{}\" has {} terms for {} operands", given, terms.size(),
                    ranks.size());
  EinsumEquation result;
  result.operands.reserve(terms.size());
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
  result.result =
      arrow == std::string::npos
          ? default_result(inputs, most_unnamed)
          : Term(given, std::string_view(equation).substr(arrow + 2)).names(most_unnamed);
  for (const char name : result.result) {
    SLOPE_CHECK_SHAPE(std::count(result.result.begin(), result.result.end(), name) == 1,
                      "einsum: the result of \"{}\" names '{}' twice", given, name);
    SLOPE_CHECK_SHAPE(is_unnamed(name) || inputs.find(name) != std::string::npos,
                      "einsum: the result of \"{}\" names '{}', which no operand has", given, name);
  }
  return result;
}

}  // namespace slope
