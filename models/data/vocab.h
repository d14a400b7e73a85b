// Vocab: maps tokens to ids and back. Made from counts, or read from the text file of a run (one
// token per line; line i has token i-1). It starts with the four special tokens, except for a
// language model on characters, which has none.
#pragma once

#include <slope/models/data/tokenize.h>

#include <cstdint>
#include <unordered_map>

namespace slope::data {

inline constexpr int64_t pad_id = 0, unk_id = 1, sos_id = 2, eos_id = 3;

enum class Specials { none, sentence };  // sentence: <pad> <unk> <sos> <eos> are tokens 0 1 2 3

using Counts = std::unordered_map<std::string, int64_t>;
Counts count_words(const std::vector<std::string>& lines);
// counts code points, each as a string
Counts count_characters(std::string_view text);

class Vocab {
 public:
  Vocab() = default;
  // Tokens seen at least min_freq times: the most frequent first, equally frequent ones by code
  // point.
  static Vocab from_counts(const Counts& counts, Specials specials, int64_t min_freq = 1);

  // The file's text; newline, carriage return and backslash are written \n \r \\. InputError, with
  // the line, if a token is empty, occurs twice, is wrongly escaped, is not the expected special
  // token, or has no newline after it (the file was truncated).
  static Vocab parse(std::string_view text, const std::string& file, Specials specials);
  static Vocab load(const std::string& file, Specials specials);
  std::string text() const;
  void save(const std::string& file) const;

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  bool contains(const std::string& token) const { return ids_.contains(token); }
  // <unk> for an unknown token; InputError if the vocabulary has no <unk>
  int64_t id(const std::string& token) const;
  const std::string& token(int64_t id) const;  // IndexError outside [0, size)
  std::vector<int64_t> encode(const Tokens& tokens) const;
  std::vector<int64_t> encode_characters(std::string_view text) const;
  Tokens decode(const std::vector<int64_t>& ids) const;

  friend bool operator==(const Vocab& a, const Vocab& b) {
    return a.specials_ == b.specials_ && a.tokens_ == b.tokens_;
  }

 private:
  explicit Vocab(Specials specials);
  bool add(std::string token);  // false if it exists already

  Specials specials_ = Specials::none;
  Tokens tokens_;
  std::unordered_map<std::string, int64_t> ids_;
};

}  // namespace slope::data
