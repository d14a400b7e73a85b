#include <slope/core/text/json.h>
#include <slope/core/text/parse_number.h>
#include <slope/tools/explorer/language/token.h>

#include <algorithm>
#include <string_view>

namespace slope::explorer {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The length of the number that the text begins with: digits, point and exponent.
size_t number_length(std::string_view text) {
  size_t n = 0;
  const auto digits = [&] {
    while (n < text.size() && is_digit(text[n])) ++n;
  };
  digits();
  if (n < text.size() && text[n] == '.') {
    ++n;
    digits();
  }
  if (n < text.size() && (text[n] == 'e' || text[n] == 'E')) {
    const size_t sign = n + 1 < text.size() && (text[n + 1] == '-' || text[n + 1] == '+') ? 2 : 1;
    if (n + sign < text.size() && is_digit(text[n + sign])) {
      n += sign;
      digits();
    }
  }
  return n;
}

class Lexer {
 public:
  explicit Lexer(std::string_view program) : text_(program) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) next();
    depth_ = 0;
    end_line();
    return std::move(tokens_);
  }

 private:
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }
  void add(Token::Kind kind, size_t length, double number = 0) {
    const int begin = column();
    tokens_.push_back({kind,
                       std::string(text_.substr(at_, length)),
                       number,
                       {line_, begin, begin + static_cast<int>(length)}});
    at_ += length;
  }
  void end_line() {
    const int here = column();
    if (!tokens_.empty() && tokens_.back().kind != Token::Kind::end && depth_ <= 0)
      tokens_.push_back({Token::Kind::end, "", 0, {line_, here, here}});
  }

  void next() {
    const char c = text_[at_];
    const std::string_view rest = text_.substr(at_);
    if (c == '\n') {
      end_line();
      ++at_, ++line_;
      line_start_ = at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
      number();
    } else if (is_letter(c)) {
      size_t n = 0;
      while (n < rest.size() && (is_letter(rest[n]) || is_digit(rest[n]))) ++n;
      add(Token::Kind::name, n);
    } else if (c == '"' || c == '\'') {
      string(c);
    } else {
      sign();
    }
  }

  void number() {
    const std::string_view rest = text_.substr(at_);
    const size_t n = number_length(rest);
    double value = 0;
    if (!parse_number(rest.substr(0, n), value))
      throw Fault("syntax",
                  fmt::format("{} is outside the range of 64-bit numbers", rest.substr(0, n)),
                  {line_, column(), column() + static_cast<int>(n)});
    add(Token::Kind::number, n, value);
  }
  void string(char quote) {
    const size_t close = text_.find_first_of(std::string{quote, '\n'}, at_ + 1);
    if (close == text_.npos || text_[close] != quote)
      throw Fault("syntax", fmt::format("the text lacks its closing {}", quote),
                  {line_, column(), column() + 1});
    add(Token::Kind::text, close + 1 - at_);
    std::string& text = tokens_.back().text;
    text = text.substr(1, text.size() - 2);
  }
  void sign() {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view two : {"==", "!=", "<=", ">="})
      if (rest.starts_with(two)) return add(Token::Kind::sign, 2);
    if (std::string_view("+-*/^@()[],=<>:.;").find(rest[0]) == std::string_view::npos) {
      const size_t n = std::max<size_t>(utf8_length(rest), 1);
      throw Fault("syntax",
                  fmt::format("{} means nothing here", JsonReader::quoted(rest.substr(0, n))),
                  {line_, column(), column() + 1});
    }
    depth_ += rest[0] == '(' || rest[0] == '[' ? 1 : rest[0] == ')' || rest[0] == ']' ? -1 : 0;
    add(Token::Kind::sign, 1);
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0, line_start_ = 0;
  int line_ = 1, depth_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(const std::string& program) { return Lexer(program).run(); }

}  // namespace slope::explorer
