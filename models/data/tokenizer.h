// Tokenizer: converts a text to the ids that a model reads, and ids to a text. There are three
// kinds (models/data/tokenizers/): words, characters and subwords. A tokenizer is made from the
// training text, or read from a run, which stores it next to the weights.
//
// Another kind (GPT-2's byte-level BPE, say) is a class in that folder and a line in each of the
// two functions at the end.
#pragma once

#include <slope/core/tensor/random.h>
#include <slope/models/data/vocab.h>

#include <memory>
#include <span>

namespace slope::data {

using Ids = std::vector<int64_t>;

class Tokenizer {
 public:
  struct File {
    std::string ending, bytes;  // ".vocab", ".model"
  };

  virtual ~Tokenizer() = default;
  virtual int64_t size() const = 0;  // ids are 0 … size - 1

  // Without <sos> and <eos>; the same for a text in composed and in decomposed characters (NFC,
  // NFD). InputError if the text is not UTF-8, or has a character that the
  // tokenizer lacks and cannot replace by <unk>.
  virtual Ids encode(std::string_view text) const = 0;
  // The same for many lines, perhaps faster than one by one.
  virtual std::vector<Ids> encode_lines(const std::vector<std::string>& lines) const;
  // One of the ways to split a text, drawn from `site` (bpe_dropout.h); UsageError if there is only
  // one.
  virtual Ids sample(std::string_view text, double dropout, const RandomSite& site) const;

  // The text as a tokenizer that refuses characters splits it: composed (NFC), perhaps in lower
  // case; and whether encode() takes a character of such a text.
  virtual std::string prepared(std::string_view text) const;
  virtual bool knows(std::string_view) const { return true; }

  // `for_unknown`: words to write for the first, second, … <unk>; any further ones stay <unk>.
  virtual std::string decode(std::span<const int64_t> ids, const Tokens& for_unknown) const = 0;
  std::string decode(std::span<const int64_t> ids) const { return decode(ids, {}); }
  // How many tokens after a token may influence its text and the blank before it.
  virtual size_t looks_ahead() const { return 0; }
  // The words of the decoded line in lower case, on which token_bleu is computed.
  virtual Tokens words(std::span<const int64_t> ids) const;

  virtual std::string token(int64_t id) const = 0;  // for display; IndexError outside [0, size)
  // for display: the tokens of a line, one for each id; unknown words appear as themselves
  virtual Tokens tokens(std::string_view line) const;

  virtual std::vector<File> files() const = 0;  // what read_tokenizer() reads
};
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

Ids as_sentence(Ids ids);  // <sos> ids <eos>
// <sos> ids of the line <eos>.
Ids encode_sentence(std::string_view line, const Tokenizer& tokenizer);

// A checksum of what the tokenizers' files() contain.
std::string fingerprint(const std::vector<const Tokenizer*>& tokenizers);

struct TokenizerOptions {
  std::string kind = "subwords";  // or words, characters
  bool lowercase = false;
  int64_t min_freq = 1;           // of words: how often each must occur
  std::string algorithm = "bpe";  // of subwords: bpe or unigram
  int64_t vocab_size = 0;         // of subwords; 0: from the size of the text
  std::string model_file;         // of subwords: SentencePiece's .model; empty: train one
  // whether <pad>, <unk>, <sos> and <eos> are wanted; subwords have them in any case
  Specials specials = Specials::sentence;
};

// From the lines of the training text; several lists for a vocabulary of several languages.
// InputError or UsageError if no tokenizer can be made.
TokenizerPtr make_tokenizer(const TokenizerOptions& options,
                            const std::vector<const std::vector<std::string>*>& texts);

// From the file STEM.vocab or STEM.model. An InputError names the file if it is invalid.
TokenizerPtr read_tokenizer(const TokenizerOptions& options, const std::string& stem);

}  // namespace slope::data
