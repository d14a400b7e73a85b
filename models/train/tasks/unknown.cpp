#include <slope/models/train/tasks/unknown.h>

#include <fmt/core.h>

#include <algorithm>

namespace slope::train {

static constexpr double many = 0.05;

void TokenCount::add(std::span<const int64_t> ids) {
  all += static_cast<int64_t>(ids.size());
  unknown += std::count(ids.begin(), ids.end(), data::unk_id);
}

double TokenCount::unknown_share() const {
  return static_cast<double>(unknown) / static_cast<double>(std::max<int64_t>(1, all));
}

TokenCount count_tokens(std::span<const data::Pair> pairs, const data::Ids data::Pair::*side) {
  TokenCount count;
  for (const data::Pair& pair : pairs) {
    const data::Ids& ids = pair.*side;
    count.add(std::span(ids).subspan(1, ids.size() - 2));
  }
  return count;
}

TokenCount count_tokens(const data::Documents& documents) {
  TokenCount count;
  for (const std::vector<int64_t>& document : documents) count.add(document);
  return count;
}

TokenCount count_tokens(std::span<const int64_t> ids) {
  TokenCount count;
  count.add(ids);
  return count;
}

std::string unknown_warning(const std::string& tokens, double share, const RunSettings& settings) {
  if (share < many) return "";
  const bool from = !settings.training.from.empty() && !settings.tokenizers_from.empty();
  const char* const advice = from ? "the vocabulary of --from lacks them"
                             : settings.tokenizer().kind == "subwords"
                                 ? "the subword model lacks them; let slope learn the subwords"
                                 : "try --tokenizer subwords or a smaller --min-freq";
  return fmt::format("\nmany {} are <unk>, and nothing is learned about them: {}", tokens, advice);
}

UnknownShare unknown_share(const TokenCount& count, const data::Tokenizer& tokenizer) {
  if (tokenizer.size() <= data::unk_id || tokenizer.token(data::unk_id) != "<unk>") return {};
  return count.unknown_share();
}

std::string unknown_lines(const UnknownShare& training, const UnknownShare& validation,
                          const RunSettings& settings) {
  std::string lines;
  if (training.value_or(0) > 0)
    lines = fmt::format("\n{:.3g} % of the training tokens are <unk>{}", 100 * *training,
                        unknown_warning("tokens", *training, settings));
  return lines + unknown_measured("validation tokens", validation);
}

std::vector<JsonField> unknown_facts(const UnknownShare& training, const UnknownShare& validation) {
  if (!training || !validation) return {};
  return {{"unknown", *training}, {"validation_unknown", *validation}};
}

std::string unknown_measured(const std::string& tokens, const UnknownShare& share) {
  if (share.value_or(0) == 0) return "";
  return fmt::format("\n{:.3g} % of the {} are <unk>{}", 100 * *share, tokens,
                     *share < many ? "" : ": loss and perplexity say nothing about these");
}

}  // namespace slope::train
