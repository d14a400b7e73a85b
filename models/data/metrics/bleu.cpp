#include <slope/core/error.h>
#include <slope/models/data/metrics/bleu.h>
#include <slope/models/data/text/unicode.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace slope::data {
namespace {

using Grams = std::map<std::vector<std::string_view>, int64_t>;

Grams count_grams(const Tokens& tokens, size_t n) {
  Grams grams;
  for (size_t i = 0; i + n <= tokens.size(); ++i)
    ++grams[{tokens.begin() + static_cast<std::ptrdiff_t>(i),
             tokens.begin() + static_cast<std::ptrdiff_t>(i + n)}];
  return grams;
}

// matches, totals and lengths: all that BLEU needs from a corpus.
Bleu count_matches(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references) {
  SLOPE_CHECK_INPUT(hypotheses.size() == references.size(), "bleu: {} hypotheses for {} references",
                    hypotheses.size(), references.size());
  Bleu bleu;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Tokens &h = hypotheses[i], &r = references[i];
    bleu.hypothesis_length += static_cast<int64_t>(h.size());
    bleu.reference_length += static_cast<int64_t>(r.size());
    for (size_t n = 1; n <= 4; ++n) {
      const Grams of_reference = count_grams(r, n);
      for (const auto& [gram, count] : count_grams(h, n)) {
        bleu.totals[n - 1] += count;
        const auto found = of_reference.find(gram);
        // clipped: at most as many as in the reference
        if (found != of_reference.end()) bleu.matches[n - 1] += std::min(count, found->second);
      }
    }
  }
  return bleu;
}

enum class Smoothing { none, exponential };

void compute_score(Bleu& bleu, Smoothing smoothing) {
  const double h = static_cast<double>(bleu.hypothesis_length),
               r = static_cast<double>(bleu.reference_length);
  bleu.brevity_penalty = h >= r ? 1 : h > 0 ? std::exp(1 - r / h) : 0;
  if (bleu.matches == std::array<int64_t, 4>{}) return;  // no word matches: 0 even with smoothing
  double log_sum = 0, unseen = 1;
  for (size_t n = 0; n < 4; ++n) {
    double& p = bleu.precisions[n];
    if (bleu.totals[n] > 0 && bleu.matches[n] > 0) {
      p = 100.0 * static_cast<double>(bleu.matches[n]) / static_cast<double>(bleu.totals[n]);
    } else if (bleu.totals[n] > 0 && smoothing == Smoothing::exponential) {
      p = 100 / ((unseen *= 2) * static_cast<double>(bleu.totals[n]));
    }
    log_sum += std::log(p);  // -inf where p = 0: the score is 0
  }
  bleu.score = bleu.brevity_penalty * std::exp(log_sum / 4);
}

}  // namespace

std::string Bleu::text() const {
  const double h = static_cast<double>(hypothesis_length),
               r = static_cast<double>(reference_length);
  const auto& p = precisions;
  return fmt::format(
      "{:.2f} {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
      score, p[0], p[1], p[2], p[3], brevity_penalty, r > 0 ? h / r : 0, hypothesis_length,
      reference_length);
}

Bleu token_bleu(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references) {
  Bleu bleu = count_matches(hypotheses, references);
  compute_score(bleu, Smoothing::none);
  return bleu;
}

Bleu SacreBleu::operator()(const std::vector<std::string>& hypotheses,
                           const std::vector<std::string>& references) const {
  const auto split = [&](const std::vector<std::string>& lines) {
    std::vector<Tokens> tokens;
    for (const auto& line : lines) tokens.push_back(split_13a(lower_case ? lower(line) : line));
    return tokens;
  };
  Bleu bleu = count_matches(split(hypotheses), split(references));
  compute_score(bleu, Smoothing::exponential);
  return bleu;
}

std::string SacreBleu::signature() const {
  return fmt::format("nrefs:1|case:{}|eff:no|tok:13a|smooth:exp|version:2.6.0",
                     lower_case ? "lc" : "mixed");
}

}  // namespace slope::data
