// Subwords as tokens, split and joined by SentencePiece (Kudo and Richardson, 2018). Models made by
// train_subwords() lose nothing: decode(encode(x)) = NFC(x), unless `lowercase` is set.
#pragma once

#include <slope/models/data/tokenizer.h>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace slope::data {

class SubwordTokenizer final : public Tokenizer {
 public:
  // `model`: the bytes of any SentencePiece .model whose pieces are UTF-8, else an InputError.
  // `file`: its name in errors. Ids are <pad> <unk> <sos> <eos>, then the model's pieces in their
  // order, except its special ones.
  SubwordTokenizer(std::string model, const std::string& file, bool lowercase = false);
  ~SubwordTokenizer() override;

  int64_t size() const override { return static_cast<int64_t>(pieces_.size()); }
  Ids encode(std::string_view text) const override;
  std::vector<Ids> encode_lines(const std::vector<std::string>& lines) const override;
  // BPE-dropout (Provilkov et al., 2020): each merge is skipped with probability `dropout`.
  Ids sample(std::string_view text, double dropout, const RandomSite& site) const override;
  using Tokenizer::decode;
  std::string decode(std::span<const int64_t> ids, const Tokens& for_unknown) const override;
  std::string token(int64_t id) const override;
  std::vector<File> files() const override { return {{".model", model_}}; }

 private:
  int64_t id_of(int piece) const { return ids_[static_cast<size_t>(piece)]; }
  // The ids of a text. A line is one part or, if it is long, several: append(part, ids) adds the
  // ids of one part; every line break adds its own id.
  template <class Append>
  Ids cut(std::string_view text, const Append& append) const;
  void append_ids(std::string_view part, Ids& ids) const;

  const std::string model_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  std::vector<int> pieces_;  // of each id; -1 for a special token
  Ids ids_;                  // of each piece
  int64_t line_break_ = unk_id;
  const bool lowercase_;
  bool whole_lines_ = false;  // the model adds or removes blanks at the ends of a text
  bool is_bpe_ = false;
  bool word_by_word_ = true;  // no piece crosses a blank, and every character has a piece
};

}  // namespace slope::data
