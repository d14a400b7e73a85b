#include <slope/models/infer/text_stream.h>

#include <algorithm>

namespace slope::train {
namespace {

constexpr size_t longest = 1024, kept = 256;  // tokens
constexpr size_t longest_line = 4096;         // a longer line may swap opening and closing quotes

// What another token may still replace: an incomplete character, or the mark that subwords write
// before a literal underscore.
bool is_open_end(std::string_view text) {
  return text.ends_with("\xEF\xBF\xBD") || text.ends_with("\xEE\x80\x80");
}

size_t common(const std::string& a, const std::string& b) {
  const size_t n = std::min(a.size(), b.size());
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin()).first -
      a.begin());
}

std::string rest(const std::string& text, size_t given) {
  return given < text.size() ? text.substr(given) : "";
}

}  // namespace

TextStream::TextStream(const data::Tokenizer& tokenizer, std::span<const int64_t> before)
    : tokenizer_(tokenizer), ids_(before.begin(), before.end()) {
  shorten();
  text_ = tokenizer_.decode(ids_);
  given_ = text_.size();
}

std::string TextStream::push(int64_t token) {
  before_.push_back(std::move(text_));
  ids_.push_back(token);
  text_ = tokenizer_.decode(ids_);
  const size_t ahead = tokenizer_.looks_ahead();
  if (before_.size() > ahead) before_.pop_front();
  size_t certain = ahead > 0 ? common(before_.front(), text_) : text_.size();
  while (is_open_end(std::string_view(text_).substr(0, certain))) certain -= 3;
  if (certain <= given_) return "";
  const std::string piece = text_.substr(given_, certain - given_);
  given_ = certain;
  if (ids_.size() > longest) shorten();
  return piece;
}

std::string TextStream::finish() const { return rest(text_, given_); }

void TextStream::shorten() {
  if (ids_.size() <= kept) return;
  size_t cut = ids_.size() - kept;
  if (tokenizer_.looks_ahead() > 0) {  // the line decides whether a quote opens or closes
    const size_t most = cut;
    while (cut > 0 && tokenizer_.token(ids_[cut - 1]) != "\n") --cut;
    if (cut == 0 && ids_.size() > longest_line) cut = most;
  }
  if (cut == 0) return;
  const size_t pending = text_.size() - std::min(given_, text_.size());
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(cut));
  text_ = tokenizer_.decode(ids_);
  given_ = text_.size() - std::min(pending, text_.size());
  for (size_t j = 0; j < before_.size(); ++j)
    before_[j] = tokenizer_.decode(std::span(ids_).first(ids_.size() - (before_.size() - j)));
}

}  // namespace slope::train
