#include <slope/core/error.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/text/parse_number.h>
#include <slope/core/text/visible.h>
#include <slope/tools/command.h>
#include <slope/tools/command_line.h>
#include <slope/tools/commands/train_choice.h>
#include <slope/tools/usage_fault.h>

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
