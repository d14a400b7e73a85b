#include <slope/core/error.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/text/parse_number.h>
#include <slope/core/text/spelling.h>
#include <slope/core/text/visible.h>
#include <slope/tools/command.h>
#include <slope/tools/command_line.h>
#include <slope/tools/commands/train_choice.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace slope::tools {

// "N (1 to 1000, default 1)"
void Option::describe() {
  std::string text = range_;
  if (!default_.empty()) text += (text.empty() ? "default " : ", default ") + default_;
  option_->type_name(word_ + (text.empty() ? "" : " (" + text + ")"));
}

Option& Option::required() { return option_->required(), *this; }
Option& Option::value_may_be_left_out() { return option_->expected(0, 1), *this; }
Option& Option::takes(const std::string& word) {
  word_ = word;
  describe();
  return *this;
}
Option& Option::takes_name(const std::string& word) {
  const auto fault = [](const std::string& text) {
    return text.empty() ? "expected a name, got an empty one" : "";
  };
  option_->check(fault);
  return takes(word);
}
Option& Option::between(int64_t least, int64_t most) {
  range_ = fmt::format("{} to {}", least, most);
  const auto fault = [least, most, range = range_](const std::string& text) {
    int64_t value = 0;
    const bool fits = parse_number(text, value) && least <= value && value <= most;
    return fits ? "" : fmt::format("expected an integer from {}, got '{}'", range, text);
  };
  // unlike a check, a transform comes before decimal(), which does not know the range
  option_->transform(CLI::Validator(fault, ""));
  describe();
  return *this;
}
Option& Option::between_reals(double least, double most) {
  range_ = fmt::format("{} to {}", least, most);
  option_->check([least, most, range = range_](const std::string& text) {
    double value = 0;
    const bool fits = parse_number(text, value) && least <= value && value <= most;
    return fits ? "" : fmt::format("expected a number from {}, got {}", range, text);
  });
  describe();
  return *this;
}
Option& Option::shows_default() {
  option_->capture_default_str();
  default_ = option_->get_default_str();
  option_->default_str("");
  describe();
  return *this;
}
Option& Option::in_group(const std::string& title) { return option_->group(title), *this; }

namespace {

// What is wrong with a number; "" if nothing. CLI11 would accept octal and hexadecimal numbers,
// numbers that do not fit, and empty text.
template <class T>
std::string decimal(std::string& text) {
  T value{};
  if (is_out_of_range<T>(text)) return fmt::format("{} {}", text, out_of_range_text<T>);
  if (!parse_number(text, value))
    return fmt::format("expected {}, got '{}'", std::is_integral_v<T> ? "an integer" : "a number",
                       text);
  text = fmt::format("{}", value);
  return "";
}

}  // namespace

Command Command::subcommand(const std::string& name, const std::string& help) {
  return {app_->add_subcommand(name, help), action_};
}
void Command::chooses_subcommand() { app_->require_subcommand(1); }
void Command::may_choose_subcommand() { app_->require_subcommand(0, 1); }

Option Command::option(const std::string& names, std::string& place, const std::string& help) {
  return Option(app_->add_option(names, place, help));
}
Option Command::option(const std::string& names, int64_t& place, const std::string& help) {
  return Option(
             app_->add_option(names, place, help)->transform(CLI::Validator(decimal<int64_t>, "")))
      .takes("N");
}
Option Command::option(const std::string& names, double& place, const std::string& help) {
  return Option(
             app_->add_option(names, place, help)->transform(CLI::Validator(decimal<double>, "")))
      .takes("X");
}
Option Command::option(const std::string& names, std::vector<std::string>& place,
                       const std::string& help) {
  return Option(app_->add_option(names, place, help)->take_all());
}
Option Command::option(const std::string& names, std::function<void(const std::string&)> keep,
                       const std::string& help) {
  return Option(app_->add_option_function<std::string>(names, keep, help));
}
Option Command::flag(const std::string& names, bool& place, const std::string& help) {
  const auto fault = [](const std::string& text) {  // CLI11 would take numbers too
    return text == "true" || text == "false"
               ? ""
               : fmt::format("expected true, false or no value, got {}", text);
  };
  return Option(app_->add_flag(names, place, help)->check(fault));
}
void Command::footer(std::function<std::string()> text) { app_->footer(std::move(text)); }

void Command::excludes(const std::string& option, const std::vector<std::string>& others) {
  for (const std::string& other : others) app_->get_option(option)->excludes(other);
}

void Command::needs(const std::string& option, const std::string& other) {
  app_->get_option(option)->needs(other);
}

namespace {

// The command and subcommands down to the last one given, whose --help applies.
std::string command_path(const CLI::App& app) {
  const auto reached = app.get_subcommands();
  return app.get_name() + (reached.empty() ? "" : " " + command_path(*reached.front()));
}

// `slope bench --json node`: the subcommand would not see what belongs to its parent.
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

}  // namespace

void Command::runs(Action action) {
  app_->callback([app = app_, to = action_, action = std::move(action)] {
    refuse_what_stands_before(*app);
    if (!*to) *to = action;  // a subcommand's callback comes before its parent's
  });
}

void Command::threads() {
  const auto set = [](const std::string& text) {
    int n = 0;
    SLOPE_CHECK_AS(UsageError, parse_number(text, n) && n >= 1 && n <= 1024,
                   "--threads {}: expected a number from 1 to 1024", quoted_if_empty(text));
    set_num_threads(n);
  };
  option("--threads", set,
         "number of threads; the results do not depend on it (default: all cores)")
      .takes("N (1 to 1024)");
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

struct Word {
  const std::string& text;
  bool is_value;             // the option before it takes it, or it stands after `--`
  const CLI::App* app;       // the subcommand that sees it
  std::string command_path;  // "slope train lm"
};

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

// An error of CLI11 as one line that names the offending word.
std::string usage_fault(const CLI::App& app, const CLI::ParseError& e,
                        const std::vector<Word>& given) {
  refuse_what_stands_between(app, given);
  const std::string help = command_path(app) + " --help";
  const CLI::App* reached = &app;
  while (!reached->get_subcommands().empty()) reached = reached->get_subcommands().front();
  const std::vector<std::string> known = known_to(*reached), unknown = unplaced(app, true);
  const std::string what = e.what();
  const size_t lacks = what.find(": 1 required "), at = what.find(" excludes ");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) && lacks != what.npos)
    return fmt::format("{} needs a value; see {}", what.substr(0, lacks), help);
  if (dynamic_cast<const CLI::ExcludesError*>(&e) && at != what.npos)
    return fmt::format("{} and {} exclude each other; see {}", what.substr(0, at),
                       what.substr(at + 10), help);
  if (unknown.empty()) return fmt::format("{}; see {}", what, help);
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  if (const CLI::App* above = owner_of(*reached, word))  // `slope points` for `slope train points`
    return fmt::format("{0} is unknown to {1} (did you mean {1} {2} {0}?); see {3}", word,
                       command_path(app), above->get_name(), help);
  return fmt::format("{} is unknown to {}{}; see {}",
                     unknown.front().empty() ? "an empty word" : unknown.front(), command_path(app),
                     did_you_mean(word, known), help);
}

// The option that a word writes, as --name, --name=value or -n; none: nullptr.
const CLI::Option* option_of(const CLI::App& app, const std::string& word) {
  return word.starts_with('-') ? app.get_option_no_throw(word.substr(0, word.find('='))) : nullptr;
}

// UsageError if an option that needs a value has another option after it: `--out --quiet`.
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

// `--name=` becomes `--name ""`, and `-n=x` becomes `-n x`; CLI11 would take the equals sign for a
// part of the value.
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

// Refuses `--quiet=`, and `--bias ""` where the value may be left out: CLI11 would read both as the
// option without a value.
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

}  // namespace

Action parse_command_line(int argc, char** argv) {
  const auto app = std::make_shared<CLI::App>(
      "Reverse-mode autodiff and Transformers on a CPU.\nExample: slope train translation --out "
      "runs/first");
  app->name("slope");
  app->set_version_flag("--version", version_text,
                        "print version, kernels, units of matrix products and threads");
  app->require_subcommand(1);
  app->option_defaults()->take_last();
  const std::vector<std::string> given(argv + std::min(argc, 1), argv + argc);
  choose_training(given);
  Action action;
  Command slope(app.get(), &action);
  for (auto add :
       {add_train, add_sweep, add_translate, add_generate, add_eval, add_gradcheck, add_export,
        add_inspect, add_graph, add_plot, add_explore, add_lint, add_museum, add_zoo, add_bench})
    add(slope);
  const std::vector<Word> known = words_of(*app, given);
  refuse_empty_answers(known);
  std::vector<std::string> words = with_values_apart(known);
  std::reverse(words.begin(), words.end());  // the last one first, as CLI11 expects
  try {
    app->parse(words);
  } catch (const CLI::Success& e) {  // --help, --version
    return [app, e] { return app->exit(e); };
  } catch (const CLI::ParseError& e) {
    throw UsageError(usage_fault(*app, e, known));
  }
  return action ? action : [] { return 0; };
}

}  // namespace slope::tools
