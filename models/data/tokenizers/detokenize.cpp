#include <slope/models/data/tokenizers/detokenize.h>

namespace slope::data {

std::string detokenize(const Tokens& tokens) {
  const auto is_one_of = [](const std::string& token, std::string_view list) {  // list: " a b c "
    return list.find(" " + token + " ") != std::string_view::npos;
  };
  std::string text;
  bool quoted = false, glue = true;  // glue: the next token is attached to the text so far
  for (const std::string& token : tokens) {
    const bool both = is_one_of(token, " - ' ’ / "), quote = token == "\"";
    const bool closes =
        both || is_one_of(token, " . , ; : ! ? … ) ] } % » ” ") || (quote && quoted);
    const bool opens = both || is_one_of(token, " ( [ { « „ “ ") || (quote && !quoted);
    if (!glue && !closes) text += ' ';
    text += token;
    glue = opens;
    if (quote) quoted = !quoted;
  }
  return text;
}

}  // namespace slope::data
