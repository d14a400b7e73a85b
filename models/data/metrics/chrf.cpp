#include <slope/core/error.h>
#include <slope/models/data/metrics/chrf.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace slope::data {
namespace {

constexpr size_t longest = 6;  // characters of an n-gram

struct Counts {
  int64_t hypothesis = 0, reference = 0, matches = 0;
};

using CharacterGrams = std::unordered_map<std::u32string_view, int64_t>;

CharacterGrams count_grams(std::u32string_view text, size_t n) {
  CharacterGrams grams;
  for (size_t i = 0; i + n <= text.size(); ++i) ++grams[text.substr(i, n)];
  return grams;
}

void add(Counts& counts, const CharacterGrams& hypothesis, const CharacterGrams& reference) {
  for (const auto& [gram, count] : reference) counts.reference += count;
  if (reference.empty()) return;  // the hypothesis has nothing to match and is not counted
  for (const auto& [gram, count] : hypothesis) {
    counts.hypothesis += count;
    const auto found = reference.find(gram);
    if (found != reference.end()) counts.matches += std::min(count, found->second);
  }
}

std::u32string characters(const std::string& line, bool lower_case) {
  std::u32string text = decode_utf8(line);
  if (lower_case) text = lower(text);
  std::erase_if(text, is_space);
  return text;
}

double f_score(const std::array<Counts, longest>& counts) {
  double precision = 0, recall = 0, orders = 0;
  for (const Counts& n : counts) {
    if (n.hypothesis == 0 || n.reference == 0) continue;
    precision += static_cast<double>(n.matches) / static_cast<double>(n.hypothesis);
    recall += static_cast<double>(n.matches) / static_cast<double>(n.reference);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  const double P = precision / orders, R = recall / orders;
  return 100 * 5 * P * R / (4 * P + R);
}

}  // namespace

double Chrf::operator()(const std::vector<std::string>& hypotheses,
                        const std::vector<std::string>& references) const {
  SLOPE_CHECK_INPUT(hypotheses.size() == references.size(), "chrf: {} hypotheses for {} references",
                    hypotheses.size(), references.size());
  std::array<Counts, longest> counts{};
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const std::u32string h = characters(hypotheses[i], lower_case),
                         r = characters(references[i], lower_case);
    for (size_t n = 1; n <= longest; ++n) add(counts[n - 1], count_grams(h, n), count_grams(r, n));
  }
  return f_score(counts);
}

std::string Chrf::signature() const {
  return fmt::format("nrefs:1|case:{}|eff:yes|nc:6|nw:0|space:no|version:2.6.0",
                     lower_case ? "lc" : "mixed");
}

}  // namespace slope::data
