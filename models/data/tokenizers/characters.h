// Characters as tokens: the code points of the training text, composed (NFC).
#pragma once

#include <slope/models/data/tokenizer.h>

namespace slope::data {

class CharacterTokenizer final : public Tokenizer {
 public:
  explicit CharacterTokenizer(Vocab vocab, bool lowercase = false)
      : vocab_(std::move(vocab)), lowercase_(lowercase) {}
  static TokenizerPtr from(const std::vector<const std::vector<std::string>*>& texts,
                           const TokenizerOptions& options);
  static TokenizerPtr read(const std::string& stem, const TokenizerOptions& options);

  int64_t size() const override { return vocab_.size(); }
  // An unknown character is <unk>; without special tokens it is an InputError.
  Ids encode(std::string_view text) const override;
  std::string prepared(std::string_view text) const override;
  bool knows(std::string_view character) const override;
  using Tokenizer::decode;
  std::string decode(std::span<const int64_t> ids, const Tokens& for_unknown) const override;
  std::string token(int64_t id) const override { return vocab_.token(id); }
  Tokens tokens(std::string_view line) const override;
  std::vector<File> files() const override { return {{".vocab", vocab_.text()}}; }

 private:
  Vocab vocab_;
  bool has_unk_ = vocab_.contains("<unk>");
  bool lowercase_;
};

}  // namespace slope::data
