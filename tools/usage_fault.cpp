#include <slope/core/error.h>
#include <slope/core/text/spelling.h>
#include <slope/core/text/visible.h>
#include <slope/tools/usage_fault.h>

#include <CLI/CLI.hpp>

#include <algorithm>

namespace slope::tools {

namespace {

// The command and subcommands down to the last one given, whose --help applies.
std::string command_path(const CLI::App& app) {
  const auto reached = app.get_subcommands();
  return app.get_name() + (reached.empty() ? "" : " " + command_path(*reached.front()));
}

}  // namespace

void refuse_what_stands_before(const CLI::App& app) {
  if (!app.get_parent()) return;
  const CLI::App* root = &app;
  while (root->get_parent()) root = root->get_parent();
  for (const CLI::Option* option : app.get_parent()->get_options())
    if (option->count() > 0)
      throw UsageError(fmt::format(
          "{}: stands before {}, which does not see it there; see {} --help",
          option->get_positional() ? visible(option->results().front()) : option->get_name(),
          app.get_name(), command_path(*root)));
}

namespace {

// The names of a command's subcommands and flags.
std::vector<std::string> known_to(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(sub->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return known;
}

// Words that CLI11 could not place; it counts `--` among them.
std::vector<std::string> unplaced(const CLI::App& app, bool with_subcommands) {
  std::vector<std::string> words = app.remaining(with_subcommands);
  std::erase(words, "--");
  return words;
}

// UsageError for a word that stands before a subcommand and belongs to neither, as in `slope foo
// train lm`, or to one of the two only.
void refuse_what_stands_between(const CLI::App& app, const std::vector<Word>& given) {
  std::string path;
  for (const CLI::App* level = &app; !level->get_subcommands().empty();) {
    const CLI::App& next = *level->get_subcommands().front();
    path += (path.empty() ? "" : " ") + level->get_name();
    const auto stands_here = [&](const std::string& word) {  // not after `--`, in a subcommand
      return std::any_of(given.begin(), given.end(), [&](const Word& w) {
        return w.app == level && (w.text == word || w.text.starts_with(word + "="));
      });
    };
    const std::vector<std::string> unknown = unplaced(*level, false);
    if (const auto at = std::find_if(unknown.begin(), unknown.end(), stands_here);
        at != unknown.end()) {
      const std::string &word = *at, name = word.substr(0, word.find('='));
      const bool is_flag = word.starts_with('-');
      SLOPE_CHECK_AS(UsageError, !is_flag || !next.get_option_no_throw(name),
                     "{}: stands before {}, which does not see it there; see {} --help", name,
                     next.get_name(), command_path(app));
      throw UsageError(fmt::format("{} is {} {}{}; see {} --help",
                                   word.empty() ? "an empty word" : word,
                                   is_flag ? "unknown to" : "no command of", path,
                                   did_you_mean(name, known_to(*level)), path));
    }
    refuse_what_stands_before(next);
    level = &next;
  }
}

// The first subcommand of `app` that has a subcommand called `word`; none: nullptr.
const CLI::App* owner_of(const CLI::App& app, const std::string& word) {
  const auto is_called = [&](const CLI::App* sub) { return sub->get_name() == word; };
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_subcommands(is_called).empty()) return sub;
  return nullptr;
}

bool takes_words(const CLI::App& app) {
  const auto options = app.get_options();
  return std::any_of(options.begin(), options.end(), [](auto* o) { return o->get_positional(); });
}

// What was meant by a word that `app`, called `path`, does not know, as " (did you mean …?)"; "" if
// nothing is near.
std::string meant_by(const std::string& word, const CLI::App& app, const std::string& path) {
  if (const CLI::App* above = owner_of(app, word))  // `slope points` for `slope train points`
    return fmt::format(" (did you mean {} {} {}?)", path, above->get_name(), word);
  if (word.starts_with("--"))  // `slope translate --run runs/first`
    for (const CLI::Option* option : app.get_options())
      if (option->get_positional() && option->get_name(true) == word.substr(2))
        return fmt::format(" (its value stands alone: {} {})", path, option->get_type_name());
  const std::string near = did_you_mean(word, known_to(app));
  if (!near.empty() || word.empty() || word.starts_with('-') || takes_words(app)) return near;
  // `slope museum swapped-masks` for `slope museum run swapped-masks`
  if (app.remaining().size() > 1) return "";
  const auto takers = app.get_subcommands([](const CLI::App* sub) { return takes_words(*sub); });
  return takers.size() == 1
             ? fmt::format(" (did you mean {} {} {}?)", path, takers[0]->get_name(), word)
             : "";
}

}  // namespace

std::string usage_fault(const CLI::App& app, const CLI::ParseError& error,
                        const std::vector<Word>& given) {
  refuse_what_stands_between(app, given);
  const std::string help = command_path(app) + " --help";
  const CLI::App* reached = &app;
  while (!reached->get_subcommands().empty()) reached = reached->get_subcommands().front();
  const std::vector<std::string> unknown = unplaced(app, true);
  const std::string what = error.what();
  const size_t lacks = what.find(": 1 required "), at = what.find(" excludes ");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && lacks != what.npos)
    return fmt::format("{} needs a value; see {}", what.substr(0, lacks), help);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) && at != what.npos)
    return fmt::format("{} and {} exclude each other; see {}", what.substr(0, at),
                       what.substr(at + 10), help);
  if (unknown.empty()) return fmt::format("{}; see {}", what, help);
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  return fmt::format("{} is unknown to {}{}; see {}",
                     unknown.front().empty() ? "an empty word" : unknown.front(), command_path(app),
                     meant_by(word, *reached, command_path(app)), help);
}

}  // namespace slope::tools
