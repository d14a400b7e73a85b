// slope eval: loss, perplexity, BLEU and chrF2 of a run on other data.
#include <slope/models/infer/evaluate.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/train/tasks/unknown.h>
#include <slope/tools/command.h>
#include <slope/tools/commands/decoding_flags.h>
#include <slope/tools/commands/text_flags.h>

#include <cstdio>

namespace slope::tools {

namespace {

struct Flags {
  std::string run, data, unknown = "refuse";
  train::DecodeOptions decode;
  DType weights = f32;
  bool json = false;
};

void print_unknown(const train::EvalResult& r) {
  const bool translates = r.unknown_source.has_value();
  for (const std::string& line :
       {train::unknown_measured(translates ? "target tokens" : "tokens", r.unknown),
        train::unknown_measured("source tokens", r.unknown_source)})
    if (!line.empty()) std::printf("unknown     %s\n", line.substr(1).c_str());
}

}  // namespace

void add_eval(Command& slope) {
  Command command = slope.subcommand("eval",
                                     "Loss, perplexity, BLEU and chrF2 of a run, on PREFIX.de and "
                                     "PREFIX.en (translation) or a text (language model).\n"
                                     "Example: slope eval runs/de-en --data data/test --json");
  static Flags flags;
  command.option("run", flags.run, "the run's folder").required().takes_name("RUN");
  command
      .option(
          "--data", flags.data,
          "prefix of the parallel text, the text, or points as lines x,y,label (-: standard input)")
      .required()
      .takes_name("PREFIX|FILE");
  add_decoding_flags(command, flags.decode);
  add_precision(command, flags.weights);
  add_unknown_characters(command, flags.unknown);
  command.flag("--json", flags.json, "as one line of JSON");
  command.threads();
  command.runs([] {
    check_length_penalty(flags.decode);
    const train::EvalResult r =
        train::evaluate_run(train::checkpoint_folder(flags.run), flags.data, flags.decode,
                            train::unknown_characters(flags.unknown), flags.weights);
    if (flags.json) {
      std::printf("%s\n", r.json().c_str());
      return 0;
    }
    std::printf("tokens      %ld\nloss        %.4f\nperplexity  %.4f\n",
                static_cast<long>(r.tokens), r.loss, r.ppl);
    print_unknown(r);
    if (r.bleu) std::printf("BLEU        %.2f  (lower-cased words, without smoothing)\n", *r.bleu);
    if (r.lines) std::printf("%s", r.lines->text().c_str());
    if (r.accuracy) std::printf("accuracy    %.4f\n", *r.accuracy);
    if (r.skipped)
      std::printf("skipped     %ld %s%s%s\n", static_cast<long>(r.skipped),
                  r.bleu ? "pair" : "character", r.skipped == 1 ? "" : "s",
                  r.bleu ? ": empty, or longer than the model's positions"
                         : " that the model has not learned");
    return 0;
  });
}

}  // namespace slope::tools
