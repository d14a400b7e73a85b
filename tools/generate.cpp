// slope generate: text from a character model, character by character.
#include <slope/models/train/generate.h>
#include <slope/models/train/language_model.h>
#include <slope/models/train/trainer.h>
#include <slope/tools/command.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <limits>

namespace slope::tools {

void add_generate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "generate",
      "Write text with a trained char-gpt.\nExample: slope generate runs/shakespeare --prompt 'ROMEO:' --tokens 300 --temperature 0.8");
  static std::string folder, prompt;
  static train::GenerateOptions options;
  static int64_t seed = 0;
  command->add_option("run", folder, "the run's folder")->required()->type_name("RUN");
  command->add_option("--prompt", prompt, "the text goes on from here")->type_name("TEXT");
  command->add_option("--tokens", options.tokens, "characters to write")
      ->check(CLI::Range(int64_t{0}, int64_t{100'000'000}))
      ->capture_default_str();
  command->add_option("--temperature", options.temperature, "0: the likeliest always; 1: as the model says")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command->add_option("--top-k", options.top_k, "draw among the k likeliest; 0: among all")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--seed", seed, "the same seed gives the same text")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  add_threads(*command);
  command->callback([&action] {
    action = [] {
      const train::LanguageModel m = train::load_language_model(train::checkpoint_folder(folder));
      options.seed = static_cast<uint64_t>(seed);
      options.on_start = [] { std::fputs(prompt.c_str(), stdout); };
      options.on_token = [](const std::string& character) {
        std::fputs(character.c_str(), stdout);
        std::fflush(stdout);
      };
      (void)train::generate(m.model, m.vocab, prompt, options);
      std::printf("\n");
      return 0;
    };
  });
}

}  // namespace slope::tools
