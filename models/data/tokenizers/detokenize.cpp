#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/tokenizers/detokenize.h>

#include <algorithm>

namespace slope::data {
namespace {

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }

bool is_one_of(const std::string& token, std::string_view list) {  // list: " a b c "
  const size_t at = list.find(" " + token + " ");
  return !token.empty() && at != list.npos;
}

constexpr std::string_view
    closes =
        " . , : ; ! ? … ) ] } % » ” ’ 。 ، ؛ ؟ । ։ ። 、 ， "
        "！ ？ ： ； （ ） 「 」 『 』 《 》 · ",
    opens = " ( [ { « „ ‚ “ ‘ ¿ ¡ 。 、 ， ！ ？ ： ； （ ） 「 」 『 』 《 》 · ",
    both = " - / @ ", dashes = " × – — ", money = " $ € £ ¥ ", contractions = " s t d m ll re ve ",
    elided = " c d j l m n o C D J L M N O ",
    words_of_a_letter = " a e i u y A E I U Y а и і о у я А И І О У Я ";

// Goes through a line from its start, to tell opening quotation marks from closing ones.
class Rules {
 public:
  explicit Rules(const Tokens& tokens) : tokens_(tokens) {
    for (const std::string& token : tokens) shapes_.push_back(shape_of(token));
    closes_later_.resize(tokens.size());
    for (size_t i = tokens.size(); i-- > 1;)
      closes_later_[i - 1] = closes_later_[i] != (is(i, "'") && !is_in_word(i) && !follows_s(i));
  }

  // Whether token i is attached to the one before it, and to the one after it.
  struct Attached {
    bool before = false, after = false;
  };
  Attached next(size_t i) {
    const std::string& t = tokens_[i];
    const Shape s = shape(i);
    in_address_ = t == "@" || (in_address_ && (s != Shape::symbol || t == "." || t == "-"));
    if (s != Shape::symbol) return {};
    if (t == "\"") return in_turn(quoted_);
    if (t == "'") return apostrophe(i);
    if (t == "’") return {.before = true, .after = !ends_word(i)};
    if (t == "„" || t == "‚") return low_ = t, Attached{.after = true};
    if ((t == "“" && low_ == "„") || (t == "‘" && low_ == "‚"))
      return low_.clear(), Attached{.before = true};
    if (t == "‘") return high_ = true, Attached{.after = true};
    if (t == "«" || t == "»") return guillemet(t);
    const bool in_number = follows_digit(i) && begins_with_digit(i + 1);
    if (is_one_of(t, both)) return {true, true};
    if (is_one_of(t, dashes)) return {in_number, in_number};
    if (is_one_of(t, money)) return {.after = begins_with_digit(i + 1)};
    if (t == "°") return {follows_digit(i), shape(i + 1) == Shape::letter};
    if (t == "+") return {plus(i), false};
    if (t == "(" && is_argument(i)) return {true, true};
    Attached a{is_one_of(t, closes), is_one_of(t, opens)};
    if (t == "." || t == "," || t == ":") a.after = in_number;
    if (t == ".") a.after = a.after || is_initial(i) || (in_address_ && is_word(i + 1));
    return a;
  }

 private:
  Shape shape(size_t i) const { return i < shapes_.size() ? shapes_[i] : Shape::nothing; }
  bool is_word(size_t i) const { return shape(i) != Shape::symbol && shape(i) != Shape::nothing; }
  bool is(size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i] == text;
  }
  Shape before(size_t i) const { return i > 0 ? shapes_[i - 1] : Shape::nothing; }
  bool follows_digit(size_t i) const {
    const Shape s = before(i);
    return s == Shape::digits || s == Shape::letters_digit;
  }
  bool begins_with_digit(size_t i) const {
    return shape(i) == Shape::digits || shape(i) == Shape::digit_letters;
  }

  static Attached in_turn(bool& open) {
    open = !open;
    return {.before = !open, .after = open};
  }
  Attached guillemet(const std::string& t) {
    if (guillemets_.empty() || guillemets_ == t) return guillemets_ = t, Attached{.after = true};
    guillemets_.clear();
    return {.before = true};
  }

  // Whether ’ ends a word, and with it maybe a quotation: ‘nested’ quotes, the boys’ ball; not in
  // don’t, qu’il.
  bool ends_word(size_t i) {
    if (is_in_word(i)) return false;
    const bool closes = !is_word(i + 1) || before(i) == Shape::symbol || high_ || follows_s(i);
    if (closes) high_ = false;
    return closes;
  }

  // don't, o'clock, l'homme; the boys' ball; a 'quoted' word
  Attached apostrophe(size_t i) {
    if (is_in_word(i)) return {true, true};
    if (follows_s(i) && single_ == closes_later_[i]) return {.before = true};
    single_ = !single_;
    return {.before = !single_, .after = single_};
  }
  bool is_in_word(size_t i) const {
    const bool contracts = is_word(i + 1) && is_one_of(tokens_[i + 1], contractions);
    return i > 0 && before(i) != Shape::symbol && (contracts || elides(i));
  }
  bool follows_s(size_t i) const {
    return i > 0 && is_word(i - 1) && tokens_[i - 1].ends_with('s');
  }
  // l'homme, o'clock, п'ять; but a 'quoted' word, the letter 'b', Jane's 'ball'
  bool elides(size_t i) const {
    if (before(i) != Shape::letter) return false;
    const std::string& letter = tokens_[i - 1];
    const bool follows_mark = i > 1 && (is(i - 2, "'") || is(i - 2, "‘"));
    if (!follows_mark) return !is_one_of(letter, words_of_a_letter);
    return is_one_of(letter, elided) && (i < 3 || !is_word(i - 3));  // ('l'homme')
  }

  // c++
  bool plus(size_t i) const {
    return i > 0 && (is(i - 1, "+") || (before(i) == Shape::letter && is(i + 1, "+")));
  }
  // f(x)
  bool is_argument(size_t i) const {
    return before(i) == Shape::letter && is_word(i + 1) && is(i + 2, ")") &&
           shape(i + 1) != Shape::letters;
  }
  // the first dot of U.S.
  bool is_initial(size_t i) const {
    return before(i) == Shape::letter && shape(i + 1) == Shape::letter && is(i + 2, ".");
  }

  const Tokens& tokens_;
  std::vector<Shape> shapes_;
  // by token: whether an odd number of the marks ' after it are neither in a word nor after an s
  std::vector<bool> closes_later_;
  bool quoted_ = false, single_ = false, high_ = false, in_address_ = false;
  std::string low_, guillemets_;  // „ or ‚, and « or », that opened and is open; or empty
};

}  // namespace

Shape shape_of(const std::string& token) {
  if (token.size() > 1 && token.front() == '<' && token.back() == '>')
    return Shape::letters;  // <unk>
  const std::u32string text = decode_utf8(token);
  const auto word = std::find_if(text.begin(), text.end(), is_word);
  if (word == text.end() || !(is_word(text[0]) || is_mark_or_joiner(text[0]))) return Shape::symbol;
  const bool first = is_digit(text.front()), last = is_digit(text.back());
  if (std::all_of(text.begin(), text.end(), is_digit)) return Shape::digits;
  if (text.size() == 1) return Shape::letter;
  return first ? Shape::digit_letters : last ? Shape::letters_digit : Shape::letters;
}

std::vector<bool> blanks_by_rule(const Tokens& tokens) {
  Rules rules(tokens);
  std::vector<bool> blanks;
  bool attached = true;  // whether the next token is attached to the text so far
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto a = rules.next(i);
    blanks.push_back(!attached && !a.before);
    attached = a.after;
  }
  return blanks;
}

std::string join_with_blanks(const Tokens& tokens, const std::vector<bool>& blank_before) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (blank_before[i] && i > 0) text += ' ';
    text += tokens[i];
  }
  return text;
}

}  // namespace slope::data
