// slope sweep KIND --grid KEY=VALUE,VALUE …: trains a run for each combination of values, one by
// one or side by side, and prints a table. The same command continues an interrupted sweep.
#include <slope/core/files/input_stream.h>
#include <slope/core/files/system_call.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/loops/thread_error.h>
#include <slope/core/text/items.h>
#include <slope/core/text/visible.h>
#include <slope/models/registry.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_state.h>
#include <slope/models/run/settings.h>
#include <slope/models/run/tokenizer_settings.h>
#include <slope/models/train/signals.h>
#include <slope/models/train/trainer.h>
#include <slope/tools/commands/settings_flags.h>
#include <slope/tools/commands/sweep/check.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <latch>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include <unistd.h>

namespace slope::tools {

namespace {

using models::Kind, models::ModelType;
using train::RunSettings;

struct Flags {
  SettingsFlags settings;
  std::vector<std::string> grid;
  std::string out;
  int64_t jobs = 1;
};

struct Axis {
  std::string key;
  std::vector<std::string> values;
};

std::vector<Axis> axes_of(const std::vector<std::string>& grid) {
  std::vector<Axis> axes;
  for (const std::string& text : grid) {
    const size_t equals = text.find('=');
    SLOPE_CHECK_AS(UsageError, equals != text.npos && equals > 0 && equals + 1 < text.size(),
                   "--grid {}: expected KEY=VALUE,VALUE, such as lr=1e-3,3e-3",
                   quoted_if_empty(text));
    Axis axis{text.substr(0, equals), items_of(text.substr(equals + 1))};
    std::replace(axis.key.begin(), axis.key.end(), '-', '_');
    SLOPE_CHECK_AS(UsageError, axis.key != "model",
                   "--grid {}: a sweep trains one model; name it with --model, and run a sweep for "
                   "each",
                   text);
    for (const Axis& other : axes)
      SLOPE_CHECK_AS(UsageError, other.key != axis.key,
                     "--grid {}: {} has its values already; name them all at once", text, axis.key);
    axes.push_back(axis);
  }
  return axes;
}

struct Point {                      // of the grid
  std::vector<std::string> values;  // one for each axis
  std::string name;                 // "lr=0.001 dropout=0.1"
  std::string failure;              // why the run ended without a result
  std::exception_ptr error;         // if that is no NumericError
  train::RunResult result;
};

// Counts the runs before any is made.
void refuse_too_many(const std::vector<Axis>& axes) {
  constexpr size_t most = 10'000;
  size_t runs = 1;
  for (const Axis& axis : axes) {
    SLOPE_CHECK_AS(UsageError, axis.values.size() <= most / runs,
                   "--grid: has more than {} combinations of values; give fewer", most);
    runs *= axis.values.size();
  }
}

std::vector<Point> points_of(const std::vector<Axis>& axes) {
  std::vector<Point> points(1);
  for (const Axis& axis : axes) {
    std::vector<Point> longer;
    for (const Point& p : points)
      for (const std::string& value : axis.values) {
        longer.push_back(p);
        longer.back().values.push_back(value);
        longer.back().name += fmt::format("{}{}={}", p.name.empty() ? "" : " ", axis.key, value);
      }
    points = std::move(longer);
  }
  return points;
}

std::string folder_of(const Flags& flags, const Point& point) {
  std::string name = point.name;
  std::replace(name.begin(), name.end(), '/', '_');
  std::replace(name.begin(), name.end(), ' ', ',');
  return flags.out + "/" + name;
}

// Gathers the settings of the point's run as `slope train` does, with its values as flags.
void gather(RunSettings& settings, SettingsFlags flags, const std::vector<Axis>& axes,
            const Point& point) {
  for (size_t i = 0; i < axes.size(); ++i) flags.values[axes[i].key] = point.values[i];
  gather(settings, flags, "");
}

void refuse_shared_folder(const Flags& flags, const std::vector<Point>& points) {
  std::map<std::string, std::string> names;
  for (const Point& point : points) {
    const auto [at, is_new] = names.emplace(folder_of(flags, point), point.name);
    SLOPE_CHECK_AS(UsageError, is_new, "--grid: {} {}: both would be the run {}", point.name,
                   at->second == point.name ? "twice" : "and " + at->second, at->first);
  }
}

// Standard input, a FIFO or <(zcat f.gz): the first run would leave nothing for the next.
void refuse_text_read_once(const RunSettings& settings) {
  for (const InputArgument& input : text_inputs(settings))
    SLOPE_CHECK_AS(UsageError, !is_read_once(input),
                   "sweep: {}: can be read only once, but each run reads it; name a file",
                   InputStream::name_of(input.path));
}

// A resume may change some settings, but the table must show what the values made.
void refuse_other_settings(RunSettings& settings, const std::string& folder) {
  const std::string state = train::state_to_resume(folder);
  if (state.empty()) return;
  const std::string before =
      train::completed(train::RunState::read(state).settings,
                       train::values_before(RunSettings(settings.type()).all()));
  std::vector<std::string> other = train::differences(settings.all(), before);
  for (const std::string& change : train::changes(settings.all(), before)) other.push_back(change);
  SLOPE_CHECK_AS(UsageError, other.empty(),
                 "sweep: {} holds a run of other settings: {}; move it away, or choose another "
                 "--out",
                 folder, fmt::join(other, "; "));
}

// A wrong value, or a combination of values, is refused before anything is trained.
void refuse_what_cannot_run(const Flags& flags, const ModelType& type,
                            const std::vector<Axis>& axes, const std::vector<Point>& points) {
  std::map<std::string, std::string> names;  // by settings
  std::vector<PlannedRun> runs;
  for (const Point& point : points) {
    const auto gather_point = [&](RunSettings& settings) {
      gather(settings, flags.settings, axes, point);
    };
    RunSettings settings(type);
    naming_run("sweep: " + point.name, [&] { gather_point(settings); });
    const auto [at, is_new] = names.emplace(train::to_json(settings.all()), point.name);
    SLOPE_CHECK_AS(UsageError, is_new,
                   "--grid: {} and {}: both are the same settings; leave out one", at->second,
                   point.name);
    if (points.size() > 1) refuse_text_read_once(settings);
    refuse_other_settings(settings, folder_of(flags, point));
    runs.push_back({point.name, folder_of(flags, point), gather_point});
  }
  if (points.size() > 1) check_runs(type, runs);  // a single one says by itself what is wrong
}

void run_point(const Flags& flags, const ModelType& type, const std::vector<Axis>& axes,
               Point& point) {
  const std::string folder = folder_of(flags, point);
  try {
    RunSettings settings(type);
    gather(settings, flags.settings, axes, point);
    point.result =
        train::train([&] { return make_task(settings, folder); }, settings.training, settings.all(),
                     {.folder = folder,
                      .resume = true,
                      .quiet = true,
                      .values_before = train::values_before(RunSettings(type).all())});
  } catch (const NumericError& e) {  // training failed with these values; others may do well
    point.failure = e.what();
  } catch (const Error& e) {
    point.failure = e.what();
    point.error = std::current_exception();
  }
}

// After the table, which has all rows.
void rethrow_first_error(const std::vector<Point>& points) {
  const auto is_error = [](const Point& p) { return p.error != nullptr; };
  const auto failed = std::count_if(points.begin(), points.end(), is_error);
  if (failed == 0) return;
  const Point& first = *std::find_if(points.begin(), points.end(), is_error);
  const std::string others =
      failed == 1 ? "" : fmt::format("{} of {} runs failed; the first: ", failed, points.size());
  naming_run("sweep: " + others + first.name, [&] { std::rethrow_exception(first.error); });
}

// The best first; those without a result last.
std::string table(std::vector<Point> points, const std::vector<Axis>& axes) {
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.failure.empty() != b.failure.empty() ? a.failure.empty()
                                                  : a.result.best_loss < b.result.best_loss;
  });
  for (Point& p : points)
    for (std::string& value : p.values) value = visible(value);
  std::vector<size_t> widths;
  std::string text;
  for (size_t i = 0; i < axes.size(); ++i) {
    widths.push_back(axes[i].key.size());
    for (const Point& p : points) widths[i] = std::max(widths[i], p.values[i].size());
    text += fmt::format("{:<{}}  ", axes[i].key, widths[i]);
  }
  text += "validation loss  at step\n";
  for (const Point& p : points) {
    for (size_t i = 0; i < axes.size(); ++i)
      text += fmt::format("{:<{}}  ", p.values[i], widths[i]);
    text += p.failure.empty()
                ? fmt::format("{:<15.4f}  {}\n", p.result.best_loss, p.result.best_step)
                : visible(p.failure) + "\n";
  }
  return text;
}

// A line that names a setting with which the losses do not compare; empty if there is none.
std::string comparison(const Flags& flags, const ModelType& type, const std::vector<Axis>& axes,
                       const Point& point) {
  RunSettings settings(type);
  gather(settings, flags.settings, axes, point);
  for (const Axis& axis : axes)
    if (const bool tokens = train::decides_tokens(axis.key);
        tokens || train::decides_data(settings, axis.key))
      return fmt::format("losses of runs with another {} are of other {}: they do not compare\n",
                         axis.key, tokens ? "tokens" : "data");
  return "";
}

std::string outcome(const Point& p) {
  return visible(p.failure.empty() ? fmt::format("{}: validation loss {:.4f} at step {}", p.name,
                                                 p.result.best_loss, p.result.best_step)
                                   : fmt::format("{}: {}", p.name, p.failure)) +
         "\n";
}

// When a signal has ended the last run that trained. Others may still read their texts, which
// nothing interrupts, and have nothing to save.
[[noreturn]] void end_interrupted(const Flags& flags) {
  print(fmt::format("interrupted: the same command goes on; its runs are in {}\n",
                    visible(flags.out)));
  flush();
  _exit(128 + train::SignalGuard::received());
}

// Lets the threads that wait for `latch` go, also if their owner fails.
struct Start {
  std::latch& latch;
  ~Start() { latch.count_down(); }
};

int run(const Flags& flags, const ModelType& type) {
  const std::vector<Axis> axes = axes_of(flags.grid);
  for (const Axis& axis : axes)
    if (const auto flag = flags.settings.values.find(axis.key); flag != flags.settings.values.end())
      throw UsageError(
          fmt::format("--grid: {} has its values here and in its flag, {}; leave out one of them",
                      axis.key, quoted_if_empty(flag->second)));
  refuse_too_many(axes);
  std::vector<Point> points = points_of(axes);
  refuse_shared_folder(flags, points);
  refuse_what_cannot_run(flags, type, axes, points);
  const auto jobs = std::min(points.size(), static_cast<size_t>(flags.jobs));
  int threads = std::max(1, num_threads() / static_cast<int>(jobs));
  const train::KeepSignal keep;  // ends all runs
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;           // guards `failure` and the output
  std::latch all_started(1);  // before the first run needs threads of its own
  const auto work = [&] {
    all_started.wait();
    set_num_threads(threads);
    for (size_t i; (i = next++) < points.size() && !train::SignalGuard::received();) try {
        run_point(flags, type, axes, points[i]);
        const std::lock_guard lock(mutex);
        if (!points[i].result.signal) print(outcome(points[i]));
        flush();
        if (!failure && train::SignalGuard::received() && !train::SignalGuard::exists())
          end_interrupted(flags);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = points.size();
      }
  };
  std::vector<std::jthread> others;
  {
    const Start start{all_started};
    try {
      while (others.size() + 1 < jobs) others.emplace_back(work);
    } catch (const std::system_error& e) {  // the threads that were started go on
      threads = 1;
      print(fmt::format("{} instead of {} runs side by side, each on one thread: {}\n",
                        others.size() + 1, jobs, no_further_thread(e).what()));
    }
  }
  work();
  others.clear();  // waits until they have ended
  if (failure) std::rethrow_exception(failure);
  print("\n" + table(points, axes) + comparison(flags, type, axes, points[0]));
  flush();
  rethrow_first_error(points);
  const bool all_failed =
      std::all_of(points.begin(), points.end(), [](const Point& p) { return !p.failure.empty(); });
  return all_failed ? 5 : 0;  // 5: train's exit code for numbers that are not finite
}

}  // namespace

void add_sweep(Command& slope) {
  static Flags flags;
  Command command = slope.subcommand(
      "sweep",
      "Train a model with every combination of the given values of settings. The same command "
      "continues an interrupted sweep.\n"
      "Example: slope sweep translation --grid lr=1e-3,3e-3 dropout=0.1,0.2 --steps 500 --out "
      "runs/sweep");
  const auto help = [](Kind kind) {
    return fmt::format(
        "Train a run for each combination, as slope train {0} does, and print a table.\n"
        "Example: slope sweep {0} --grid lr=1e-3,3e-3 --steps 500 --out runs/sweep",
        name(kind));
  };
  add_kinds_and_models(
      command, help, [&](const ModelType& type) { return help(type.kind); },
      [](Command& sub, const ModelType& type) {
        sub.option("--out", flags.out, "the folder of the runs").required().takes_name("FOLDER");
        sub.option("--grid", flags.grid, "settings, each with its values")
            .required()
            .takes("KEY=V,V…");
        sub.option("--jobs", flags.jobs, "number of runs side by side; they share the threads")
            .between(1, 1024)
            .shows_default();
        add_settings_flags(sub, flags.settings, type);
        sub.runs([&type] { return run(flags, type); });
      });
}

}  // namespace slope::tools
