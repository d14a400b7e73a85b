// slope train KIND [--model NAME] | NAME: trains a model.
#include <slope/core/text/visible.h>
#include <slope/models/registry.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/settings.h>
#include <slope/models/train/trainer.h>
#include <slope/tools/commands/settings_flags.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace slope::tools {

namespace {

using models::Kind, models::ModelType;
using train::RunSettings;

struct Flags {
  SettingsFlags settings;
  std::string out;
  bool resume = false, quiet = false;
};

int run(const Flags& flags, const ModelType& type) {
  if (!flags.resume) train::refuse_run(flags.out);  // before anything is read
  const std::string resumed = flags.resume ? flags.out : "";
  RunSettings settings(type);
  gather(settings, flags.settings, resumed);
  const bool finds_none = flags.resume && train::state_to_resume(flags.out).empty();
  const auto make = [&] {
    auto task = make_task(settings, resumed);
    if (finds_none)
      std::fputs(fmt::format("slope: note: {} holds no run to go on with: a new one starts\n",
                             visible(flags.out))
                     .c_str(),
                 stderr);
    if (!flags.quiet) std::printf("%s\n", task->summary().c_str());
    std::fflush(stdout);  // training goes on even if nobody reads the output
    return task;
  };
  const train::RunResult result =
      train::train(make, settings.training, settings.all(),
                   {.folder = flags.out,
                    .resume = flags.resume,
                    .quiet = flags.quiet,
                    .values_before = train::values_before(RunSettings(type).all())});
  if (result.signal) return 128 + result.signal;
  if (!flags.quiet && settings.training.overfit_batch)
    std::printf("one batch: its loss fell to %.4f in %ld steps: %s\n", result.best_loss,
                static_cast<long>(result.steps),
                result.best_loss < 0.1 ? "the model can learn"
                                       : "not learned by heart; try more --steps, another --lr, "
                                         "--dropout 0, --label-smoothing 0");
  if (!flags.quiet && result.best_step > 0 && !result.as_before)
    std::printf("done: %ld steps, best validation loss %.4f at step %ld, in %s\n",
                static_cast<long>(result.steps), result.best_loss,
                static_cast<long>(result.best_step), visible(flags.out).c_str());
  return 0;
}

struct KindHelp {
  Kind kind;
  const char *about, *example;
};
constexpr KindHelp kinds[] = {
    {Kind::translation,
     "Train a translation model on parallel text: PREFIX.de and PREFIX.en, plain or .gz.\n"
     "Without --train it learns the bundled German-English corpus.",
     "slope train translation --train data/train --valid data/val --epochs 10 --out runs/de-en"},
    {Kind::language_model,
     "Train a language model on a text, by default on its characters.\n"
     "Without --text it learns the English side of the bundled corpus.",
     "slope train lm --text shakespeare.txt --steps 2000 --out runs/shakespeare"},
    {Kind::points, "Train a classifier of the points of two moons, and draw its decision boundary.",
     "slope train points --out runs/moons"},
};

}  // namespace

void add_train(Command& slope) {
  static Flags flags;
  Command command =
      slope.subcommand("train",
                       "Train a model: translation, lm or points.\n"
                       "Example: slope train translation --preset quickstart --out runs/first");
  const auto help = [](Kind kind) {
    const KindHelp& k = *std::find_if(std::begin(kinds), std::end(kinds),
                                      [&](const KindHelp& each) { return each.kind == kind; });
    return fmt::format("{}\nModels: {}.\nExample: {}", k.about,
                       fmt::join(models::model_names(kind), ", "), k.example);
  };
  const auto short_help = [](const ModelType& type) {
    return fmt::format(
        "Short for: slope train {0} --model {1}\nExample: slope train {1} --out runs/first",
        name(type.kind), type.name);
  };
  add_kinds_and_models(command, help, short_help, [](Command& sub, const ModelType& type) {
    sub.option("--out", flags.out, "the run's folder").required().takes_name("RUN");
    sub.flag("--resume", flags.resume,
             "continue from the run's last checkpoint, with its settings; where there is no run, "
             "start one with the settings given");
    sub.flag("--quiet", flags.quiet,
             "print nothing but errors, and a note if --resume finds no run");
    add_settings_flags(sub, flags.settings, type);
    sub.runs([&type] { return run(flags, type); });
  });
}

}  // namespace slope::tools
