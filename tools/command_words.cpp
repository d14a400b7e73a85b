#include <slope/core/error.h>
#include <slope/tools/command_words.h>

#include <CLI/CLI.hpp>

namespace slope::tools {

namespace {

// The option that a word writes, as --name, --name=value or -n; none: nullptr.
const CLI::Option* option_of(const CLI::App& app, const std::string& word) {
  return word.starts_with('-') ? app.get_option_no_throw(word.substr(0, word.find('='))) : nullptr;
}

}  // namespace

std::vector<Word> words_of(const CLI::App& app, const std::vector<std::string>& given) {
  std::vector<Word> words;
  const CLI::App* reached = &app;
  std::string path = app.get_name();
  bool needs_value = false, is_after_dashes = false;
  std::string before;
  for (const std::string& text : given) {
    const bool is_value = needs_value || is_after_dashes;
    SLOPE_CHECK_AS(UsageError, !needs_value || !option_of(*reached, text),
                   "{0} needs a value; if {1} is meant as one, write {0}={1}; see {2} --help",
                   before, text, path);
    if (!is_value)
      for (const CLI::App* sub : reached->get_subcommands(
               [&](const CLI::App* each) { return each->get_name() == text; })) {
        reached = sub;
        path += " " + text;
      }
    words.push_back({text, is_value, reached, path});
    is_after_dashes |= !is_value && text == "--";
    const CLI::Option* option =
        !is_value && text.starts_with('-') ? reached->get_option_no_throw(text) : nullptr;
    needs_value = option && option->get_expected_min() > 0;
    before = text;
  }
  return words;
}

std::vector<std::string> with_values_apart(const std::vector<Word>& given) {
  std::vector<std::string> words;
  for (const auto& [word, is_value, app, path] : given) {
    const bool is_long = word.starts_with("--"), is_short = !is_long && word.starts_with('-');
    const size_t equals = is_value ? word.npos : word.find('=');
    if ((is_long && equals == word.size() - 1) || (is_short && equals == 2)) {
      words.push_back(word.substr(0, equals));
      words.push_back(word.substr(equals + 1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

void refuse_empty_answers(const std::vector<Word>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const auto& [word, is_value, app, path] = words[i];
    const bool ends_empty = word.ends_with('=');
    const std::string name = word.substr(0, word.size() - (ends_empty ? 1 : 0));
    const CLI::Option* option =
        !is_value && name.starts_with('-') ? app->get_option_no_throw(name) : nullptr;
    if (!option || option->get_expected_min() > 0) continue;
    const bool may_have_value = option->get_expected_max() > 0,
               next_is_empty = i + 1 < words.size() && words[i + 1].text.empty();
    SLOPE_CHECK_AS(UsageError, !ends_empty && !(may_have_value && next_is_empty),
                   "{}: expected true, false or no value, got an empty one; see {} --help", name,
                   path);
  }
}

}  // namespace slope::tools
