// The score of the trial: whether the diagnosis's first guess, or one of three, names the class.
#pragma once

#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>
#include <slope/autograd/gradcheck/gradcheck.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace slope {

// What a sentence about a mistake of the class says; one of these words is enough.
inline const std::map<std::string, std::vector<std::string>> words{
    {"sign", {"wrong sign"}},
    {"constant", {"factor", "constant"}},
    {"n", {"1/n", "n - 1"}},
    {"sqrt d", {"sqrt(d)"}},
    {"dropout", {"dropout's scale"}},
    {"operand", {"power or operand", "in place of"}},
    {"swapped", {"swapped operands", "swapped"}},
    {"mask", {"mask"}},
    {"transposition", {"transposition", "order of factors"}},
    {"order", {"in reverse", "shifted", "order of"}},
    {"term", {"a term"}},
    {"accumulation", {"accumulation", "use is lost", "one use"}},
    {"broadcast", {"broadcast"}},
    {"contraction", {"contracted"}},
    {"zero", {"gives 0", "no gradient"}},
    {"should be zero", {"should give 0", "missing mask"}},
    {"guard", {"guard"}},
    {"edge", {"edge", "loop leaves out"}},
    {"kernel", {"the kernel, not"}},
    {"formula", {"the formula or reference, not"}},
    {"detached", {"detached"}},
    {"detached value", {"detached", "detach()"}},
    {"stride", {"stride"}},
    {"f32", {"float32"}},
    {"not repeatable", {"not deterministic", "not repeatable"}},
    {"state", {"not deterministic", "no state"}},
    {"shape", {"shape must not depend"}},
    {"nan", {"is nan", "0/0"}},
    {"ties", {"tie"}},
    {"overwritten", {"overwrit", "writes into", "was written"}},
};

// The words of a class, or of two that cannot be told apart: "mask|swapped".
inline std::vector<std::string> words_of(const std::string& kind) {
  const size_t bar = kind.find('|');
  std::vector<std::string> result = words.at(kind.substr(0, bar));
  if (bar != std::string::npos)
    for (const std::string& word : words.at(kind.substr(bar + 1))) result.push_back(word);
  return result;
}

struct Score {
  int planted = 0, first = 0, among_three = 0, operation = 0, leaves = 0;

  void add(const std::string& place, const std::string& kind, const Guesses& guesses) {
    ++planted;
    size_t rank = guesses.size();
    for (size_t i = guesses.size(); i-- > 0;)
      for (const std::string& word : words_of(kind))
        if (guesses[i].mistake.find(word) != std::string::npos) rank = i;
    first += rank == 0 && !guesses.empty();
    among_three += rank < guesses.size();
    if (rank > 0 || guesses.empty())
      std::printf("%s (%s): %s\n", place.c_str(), kind.c_str(), text_of(guesses).c_str());
  }
  bool print(const char* what) const {
    std::printf(
        "%s: %d mistakes, right class first %.1f %%, among three %.1f %%, operation %d, "
        "leaves %d\n",
        what, planted, 100.0 * first / planted, 100.0 * among_three / planted, operation, leaves);
    return first >= 0.85 * planted && among_three >= 0.95 * planted && operation == planted &&
           leaves == planted;
  }
};

// The guesses; if there are none, the check's first problem, with which the report begins.
inline Guesses seen_in(const GradcheckReport& report, const Guesses& guesses) {
  const bool is_guess = !guesses.empty() || report.problems.empty();
  return is_guess ? guesses : Guesses{{1, report.problems[0], ""}};
}

inline void show_if_wanted(const std::string& mistake, const std::string& report) {
  const char* wanted = std::getenv("TRIAL");
  if (wanted && mistake.starts_with(wanted)) std::puts(report.c_str());
}

}  // namespace slope
