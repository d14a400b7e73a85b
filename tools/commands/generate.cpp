// slope generate: text from a language model, token by token.
#include <slope/models/data/documents.h>
#include <slope/models/infer/generate.h>
#include <slope/models/infer/known_text.h>
#include <slope/models/infer/load.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/train/tasks/unknown.h>
#include <slope/tools/command.h>
#include <slope/tools/commands/decoding_flags.h>
#include <slope/tools/commands/text_flags.h>

#include <cstdio>
#include <limits>

namespace slope::tools {

namespace {

void tell_unknown(const train::TokenCount& prompt, const data::Tokenizer& tokenizer) {
  if (train::unknown_share(prompt, tokenizer).value_or(0) > 0)
    std::fputs(
        fmt::format("slope: the prompt: {} of {} tokens are <unk>\n", prompt.unknown, prompt.all)
            .c_str(),
        stderr);
}

}  // namespace

void add_generate(Command& slope) {
  Command command =
      slope.subcommand("generate",
                       "Write text with a trained language model.\nExample: slope generate "
                       "runs/shakespeare --prompt 'ROMEO:' --tokens 300 --temperature 0.8");
  static std::string folder, prompt, unknown = "refuse";
  static train::GenerateOptions options;
  static int64_t seed = 0, samples = 1;
  static DType weights = f32;
  train::Sampling& sampling = options.sampling;
  command.option("run", folder, "the run's folder").required().takes_name("RUN");
  command.option("--prompt", prompt, "the text to continue").takes("TEXT");
  command.option("--tokens", options.tokens, "tokens to write: characters, words or subwords")
      .between(0, 100'000'000)
      .shows_default();
  command
      .option("--temperature", sampling.temperature,
              "0: always the likeliest token, whatever --top-k, --top-p, --min-p and --seed say; "
              "1: the model's probabilities")
      .between_reals(0.0, 1e6)
      .shows_default();
  command.option("--top-k", sampling.top_k, "sample from the k likeliest tokens; 0: from all")
      .between(0, 1'000'000)
      .shows_default();
  command
      .option("--top-p", sampling.top_p,
              "sample from the fewest tokens that together reach this probability; "
              "1: from all")
      .between_reals(1e-9, 1.0)
      .shows_default();
  command
      .option("--min-p", sampling.min_p,
              "sample from tokens with at least this share of the likeliest one's probability")
      .between_reals(0.0, 1.0)
      .shows_default();
  command
      .option("--repetition-penalty", sampling.repetition_penalty,
              "for tokens that the text contains, positive logits are divided by it and negative "
              "ones multiplied by it; 1: none")
      .between_reals(1e-3, 1e6)
      .shows_default();
  command.option("--stop", options.stop, "end before the first occurrence of this text")
      .takes("TEXT");
  command
      .option("--samples", samples,
              "number of texts, each from its own random numbers, with a line --- between them")
      .between(1, 1'000'000)
      .shows_default();
  command.option("--seed", seed, "the same seed gives the same text")
      .between(0, std::numeric_limits<int64_t>::max())
      .shows_default();
  add_precision(command, weights);
  add_unknown_characters(command, unknown);
  command.threads();
  command.runs([] {
    check_flag_utf8("--prompt", prompt);
    check_flag_utf8("--stop", options.stop);
    const train::UnknownCharacters how = train::unknown_characters(unknown);
    const train::TextModel m =
        train::load_language_model(train::checkpoint_folder(folder), weights);
    const train::KnownText known =
        naming("the prompt", [&] { return train::known_text(prompt, *m.tokenizer, how); });
    tell_left_out("the prompt", "skipped", known.skipped, "unknown character");
    tell_unknown(train::count_tokens(m.tokenizer->encode(known.text)), *m.tokenizer);
    if (m.settings.data<train::TextSettings>().documents == "lines")
      options.separator = std::string(data::separator);
    options.sampling.seed = static_cast<uint64_t>(seed);
    options.on_start = [&] { print_text(known.text); };
    options.on_text = [](const std::string& text) {
      print_text(text);
      flush();
    };
    for (int64_t n = 0; n < samples; ++n) {
      if (n > 0) print("---\n");
      options.sampling.text_number = static_cast<uint32_t>(n);
      (void)train::generate(*m.model, *m.tokenizer, known.text, options);
      print("\n");
    }
    return 0;
  });
}

}  // namespace slope::tools
