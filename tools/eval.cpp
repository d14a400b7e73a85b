// slope eval: loss, perplexity and BLEU of a run on other data.
#include <slope/models/data/read_text.h>
#include <slope/models/train/evaluate.h>
#include <slope/models/train/trainer.h>
#include <slope/tools/command.h>

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>

namespace slope::tools {

namespace {

struct Flags {
  std::string run, data;
  train::DecodeOptions decode;
  bool json = false;
};

train::EvalResult evaluate(const Flags& flags) {
  const std::string folder = train::checkpoint_folder(flags.run);
  const nlohmann::json config = train::read_json(folder + "/config.json");
  if (config.is_object() && config.value("model", nlohmann::json()) == "char-gpt") {
    const train::LanguageModel model = train::load_language_model(folder);
    const std::string text = data::read_text(flags.data);
    return with_file(flags.data, [&] { return evaluate_language_model(model, text); });
  }
  const train::Translator translator = train::load_translator(folder);
  return evaluate_translator(translator, data::read_parallel(flags.data, translator.settings.source, translator.settings.target),
                             flags.decode);
}

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("eval",
                         "Loss, perplexity and BLEU of a run: a translation on PREFIX.de and PREFIX.en, a char-gpt on a text.\n"
                         "Example: slope eval runs/de-en --data data/test --json");
  static Flags flags;
  command->add_option("run", flags.run, "the run's folder")->required()->type_name("RUN");
  command->add_option("--data", flags.data, "prefix of the parallel text, or the text")->required()->type_name("PREFIX|FILE");
  command->add_option("--beam", flags.decode.beam, "prefixes that are followed; 1 is greedy")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--length-penalty", flags.decode.length_penalty, "alpha of score = log p / length^alpha")->capture_default_str();
  command->add_flag("--json", flags.json, "as one line of JSON");
  add_threads(*command);
  command->callback([&action] {
    action = [] {
      const train::EvalResult r = evaluate(flags);
      if (flags.json) {
        std::printf("%s\n", r.json().c_str());
        return 0;
      }
      std::printf("tokens      %ld\nloss        %.4f\nperplexity  %.4f\n", static_cast<long>(r.tokens), r.loss, r.ppl);
      if (r.bleu) std::printf("BLEU        %.2f  (the model's own tokens)\n", *r.bleu);
      if (r.sacrebleu) std::printf("sacreBLEU   %.2f  (13a, lower-cased)\n", *r.sacrebleu);
      if (r.skipped) std::printf("skipped     %ld pairs: empty, or longer than the model's positions\n", static_cast<long>(r.skipped));
      return 0;
    };
  });
}

}  // namespace slope::tools
