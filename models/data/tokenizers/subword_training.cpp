#include <slope/core/error.h>
#include <slope/core/loops/thread_error.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/tokenizers/subword_text.h>
#include <slope/models/data/tokenizers/subword_training.h>

#include <sentencepiece_trainer.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

namespace slope::data {
namespace {

namespace sp = sentencepiece;

// Memory and time of the trainer grow with the text; more text would not improve the subwords.
constexpr size_t most_bytes = size_t{64} << 20;
constexpr size_t longest_sentence = 4000;  // the trainer leaves out longer ones

class Sentences : public sp::SentenceIterator {
 public:
  Sentences(const std::vector<const std::vector<std::string>*>& texts, bool lowercase) {
    size_t all = 0;
    for (const auto* lines : texts)
      for (const std::string& line : *lines) all += line.size() + 1;
    const size_t every = all / most_bytes + 1;  // one of this many lines is used
    for (const auto* lines : texts)
      for (size_t i = 0; i < lines->size(); i += every) add((*lines)[i], lowercase);
  }

  bool done() const override { return next_ >= sentences_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return sentences_[next_]; }
  sp::util::Status status() const override { return {}; }

  // The trainer of SentencePiece 0.1.97 needs two adjacent characters that may be merged.
  void add_a_pair() {
    sentences_.emplace_back(" a");
    characters_.insert({U' ', U'a'});
  }
  size_t bytes() const { return bytes_; }
  const std::set<char32_t>& characters() const { return characters_; }

 private:
  void add(const std::string& line, bool lowercase) {
    const std::string text = to_subword_text(line, lowercase);
    for (char32_t c : decode_utf8(text)) characters_.insert(c);
    // Line breaks never reach a model inside a line, and the trainer reserves U+0009 and U+2585: it
    // leaves out sentences that have them.
    constexpr std::array<std::string_view, 3> left_out = {"\n", "\t", "\xE2\x96\x85"};
    std::array<size_t, 3> found = {};  // where each occurs next; searched anew only once passed
    for (size_t at = 0; at < text.size();) {
      for (size_t i = 0; i < 3; ++i)
        if (at == 0 || found[i] < at) found[i] = text.find(left_out[i], at);
      const size_t which =
          static_cast<size_t>(std::min_element(found.begin(), found.end()) - found.begin());
      const size_t end = std::min(found[which], text.size());
      for_each_part(std::string_view(text).substr(at, end - at), longest_sentence,
                    [&](std::string_view part) {
                      if (bytes_ + part.size() > most_bytes) return;
                      bytes_ += part.size();
                      sentences_.emplace_back(part);
                    });
      at = end + left_out[which].size();
    }
  }

  std::vector<std::string> sentences_;
  std::set<char32_t> characters_;
  size_t bytes_ = 0, next_ = 0;
};

sp::util::Status train(const std::unordered_map<std::string, std::string>& options,
                       Sentences& sentences, std::string& model) {
  try {
    return sp::SentencePieceTrainer::Train(options, &sentences, &model);
  } catch (const std::system_error& e) {  // it starts a thread
    throw no_further_thread(e);
  }
}

int64_t count_pieces(const std::string& model) {
  sp::SentencePieceProcessor processor;
  const auto status = processor.LoadFromSerializedProto(model);
  SLOPE_CHECK_INPUT(status.ok(), "subwords: {}", status.ToString());
  return processor.GetPieceSize();
}

}  // namespace

std::string train_subwords(const std::vector<const std::vector<std::string>*>& texts,
                           const TokenizerOptions& options) {
  Sentences sentences(texts, options.lowercase);
  SLOPE_CHECK_INPUT(!sentences.characters().empty(), "subwords: the training text is empty");
  sentences.add_a_pair();
  constexpr int64_t needed = 4 + 256;  // special tokens and bytes
  const auto characters = static_cast<int64_t>(sentences.characters().size());
  const int64_t wanted =
      options.vocab_size > 0
          ? options.vocab_size
          : needed + characters +
                std::min<int64_t>(32'000, std::llround(4 * std::sqrt(sentences.bytes())));
  std::string model;
  const auto status = train({{"model_type", options.algorithm},
                             {"vocab_size", std::to_string(wanted)},
                             {"hard_vocab_limit", "false"},
                             {"required_chars", "a"},
                             {"byte_fallback", "true"},
                             {"normalization_rule_name", "identity"},
                             {"add_dummy_prefix", "false"},
                             {"remove_extra_whitespaces", "false"},
                             {"pad_id", std::to_string(pad_id)},
                             {"unk_id", std::to_string(unk_id)},
                             {"bos_id", std::to_string(sos_id)},
                             {"eos_id", std::to_string(eos_id)},
                             {"pad_piece", "<pad>"},
                             {"bos_piece", "<sos>"},
                             {"eos_piece", "<eos>"},
                             {"num_threads", "1"},
                             {"minloglevel", "2"}},
                            sentences, model);
  if (!status.ok()) {
    const std::string reason = status.ToString();
    SLOPE_CHECK_AS(UsageError, wanted >= needed && reason.find("required_chars") == reason.npos,
                   "vocab_size {}: the text has {} characters, which with {} bytes and special "
                   "tokens need up to {}; give more, or 0 for a size that suits the text",
                   wanted, characters, needed, needed + characters);
    throw InputError(fmt::format("subwords: SentencePiece cannot learn from this text: {}",
                                 reason.substr(reason.rfind(']') + 1)));
  }
  if (const int64_t pieces = count_pieces(model); options.vocab_size > pieces)
    throw UsageError(fmt::format(
        "vocab_size {}: the text fills at most {}; give that or less, or 0 for a size that suits "
        "the text",
        wanted, pieces));
  return model;
}

}  // namespace slope::data
