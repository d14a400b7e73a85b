#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/vocab.h>

#include <algorithm>

namespace slope::data {
namespace {

constexpr const char* special_tokens[] = {"<pad>", "<unk>", "<sos>", "<eos>"};

std::string escape(const std::string& token) {
  std::string escaped;
  for (char c : token) {
    if (c == '\n')
      escaped += "\\n";
    else if (c == '\r')
      escaped += "\\r";
    else if (c == '\\')
      escaped += "\\\\";
    else
      escaped += c;
  }
  return escaped;
}

std::string unescape(const std::string& line, const std::string& file, size_t number) {
  std::string token;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      token += line[i];
      continue;
    }
    const char code = ++i < line.size() ? line[i] : '\0';
    SLOPE_CHECK_INPUT(code == 'n' || code == 'r' || code == '\\',
                      "{}: line {}: a backslash must be followed by n, r or a backslash", file,
                      number);
    token += code == 'n' ? '\n' : code == 'r' ? '\r' : '\\';
  }
  return token;
}

}  // namespace

Counts count_words(const std::vector<std::string>& lines) {
  Counts counts;
  for (const auto& line : lines)
    for (auto& word : split_words(line)) ++counts[std::move(word)];
  return counts;
}

Counts count_characters(std::string_view text) {
  std::unordered_map<char32_t, int64_t> seen;
  for (char32_t c : decode_utf8(text)) ++seen[c];
  Counts counts;
  for (const auto& [c, count] : seen) counts[encode_utf8({&c, 1})] = count;
  return counts;
}

Vocab::Vocab(Specials specials) : specials_(specials) {
  if (specials == Specials::sentence)
    for (const char* token : special_tokens) add(token);
}

bool Vocab::add(std::string token) {
  const bool is_new = ids_.emplace(token, size()).second;
  if (is_new) tokens_.push_back(std::move(token));
  return is_new;
}

Vocab Vocab::from_counts(const Counts& counts, Specials specials, int64_t min_freq) {
  std::vector<std::pair<std::string, int64_t>> kept;
  for (const auto& [token, count] : counts)
    if (count >= min_freq) kept.emplace_back(token, count);
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    // bytes of UTF-8 sort as code points do
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Vocab vocab(specials);
  for (auto& [token, count] : kept) vocab.add(std::move(token));
  return vocab;
}

Vocab Vocab::parse(std::string_view text, const std::string& file, Specials specials) {
  SLOPE_CHECK_INPUT(!text.empty(), "{}: the vocabulary is empty", file);
  const auto lines = split_lines(text);
  SLOPE_CHECK_INPUT(text.ends_with('\n'),
                    "{}: line {}: no newline at the end; the vocabulary was cut off", file,
                    lines.size());
  Vocab vocab;
  vocab.specials_ = specials;
  for (size_t i = 0; i < lines.size(); ++i) {
    SLOPE_CHECK_INPUT(!lines[i].empty(), "{}: line {}: an empty token", file, i + 1);
    SLOPE_CHECK_INPUT(vocab.add(unescape(lines[i], file, i + 1)), "{}: line {}: '{}' appears twice",
                      file, i + 1, lines[i]);
  }
  if (specials == Specials::sentence)
    for (size_t i = 0; i < 4; ++i)
      SLOPE_CHECK_INPUT(i < lines.size() && lines[i] == special_tokens[i],
                        "{}: line {}: {} must be here, not '{}'", file, i + 1, special_tokens[i],
                        i < lines.size() ? lines[i] : "");
  return vocab;
}

Vocab Vocab::load(const std::string& file, Specials specials) {
  // U+FEFF: a token if alone on the first line, otherwise an editor's byte order mark
  const std::string mark(byte_order_mark);
  std::string text = read_file(file);
  const bool is_token = text.starts_with(mark + "\n");
  text = clean_text(std::move(text), file);
  return parse(is_token ? mark + text : text, file, specials);
}

std::string Vocab::text() const {
  std::string text;
  for (const auto& token : tokens_) text += escape(token) + "\n";
  return text;
}

void Vocab::save(const std::string& file) const { write_file(file, text()); }

int64_t Vocab::id(const std::string& token) const {
  const auto found = ids_.find(token);
  if (found != ids_.end()) return found->second;
  SLOPE_CHECK_INPUT(specials_ == Specials::sentence,
                    "vocabulary: '{}' is not one of its {} tokens, and it has no <unk>",
                    escape(token), size());
  return unk_id;
}

const std::string& Vocab::token(int64_t id) const {
  SLOPE_CHECK_INDEX(id >= 0 && id < size(), "vocabulary: token {} is outside [0, {})", id, size());
  return tokens_[static_cast<size_t>(id)];
}

std::vector<int64_t> Vocab::encode(const Tokens& tokens) const {
  std::vector<int64_t> ids;
  ids.reserve(tokens.size());
  for (const auto& token : tokens) ids.push_back(id(token));
  return ids;
}

std::vector<int64_t> Vocab::encode_characters(std::string_view text) const {
  const std::u32string characters = decode_utf8(text);
  std::unordered_map<char32_t, int64_t> found;
  std::vector<int64_t> ids;
  ids.reserve(characters.size());
  for (char32_t c : characters) {
    const auto [at, is_new] = found.emplace(c, 0);
    if (is_new) at->second = id(encode_utf8({&c, 1}));
    ids.push_back(at->second);
  }
  return ids;
}

Tokens Vocab::decode(const std::vector<int64_t>& ids) const {
  Tokens tokens;
  for (int64_t id : ids) tokens.push_back(token(id));
  return tokens;
}

}  // namespace slope::data
