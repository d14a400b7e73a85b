// slope translate: a line in, a line out.
#include <slope/core/file_sink.h>
#include <slope/models/data/read_text.h>
#include <slope/models/draw/terminal_map.h>
#include <slope/models/train/attention_figure.h>
#include <slope/models/train/trainer.h>
#include <slope/tools/command.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace slope::tools {

namespace {

struct Flags {
  std::string run, file, attention, kind = "cross";
  int64_t layer = -1;
  train::DecodeOptions decode;
  bool uncached = false, show = false;
};

std::vector<std::string> lines_of(const Flags& flags) {
  if (!flags.file.empty()) return data::read_lines(flags.file);
  const std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  return data::split_lines(data::clean_text(text, "standard input"));
}

int run(Flags& flags) {
  flags.decode.cached = !flags.uncached;
  const train::Translator translator = train::load_translator(train::checkpoint_folder(flags.run));
  const std::vector<std::string> lines = lines_of(flags);
  for (const std::string& line : train::translate_lines(translator, lines, flags.decode)) std::printf("%s\n", line.c_str());
  if (flags.attention.empty() && !flags.show) return 0;
  SLOPE_CHECK_INPUT(!lines.empty() && !lines[0].empty(), "--attention: there is no sentence to draw; the first line is the one that is drawn");
  const draw::HeatMaps maps = train::attention_figure(translator, lines[0], {.kind = train::attention_kind(flags.kind), .layer = flags.layer});
  if (!flags.attention.empty()) write_file(flags.attention, draw::to_svg(maps));
  if (flags.show) std::printf("%s", draw::to_text(maps, {.color = isatty(STDOUT_FILENO) != 0}).c_str());
  return 0;
}

}  // namespace

void add_translate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("translate",
                                         "Translate lines of text with a trained model. An empty line stays empty.\n"
                                         "Example: echo 'Ein Hund läuft.' | slope translate runs/first --attention map.svg");
  static Flags flags;
  command->add_option("run", flags.run, "the run's folder")->required()->type_name("RUN");
  command->add_option("file", flags.file, "the text; standard input without it")->type_name("FILE");
  command->add_option("--beam", flags.decode.beam, "prefixes that are followed; 1 is greedy")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--length-penalty", flags.decode.length_penalty, "alpha of score = log p / length^alpha")->capture_default_str();
  command->add_option("--attention", flags.attention, "draw what the first line's translation attends to, all heads of a layer")->type_name("FILE.svg");
  command->add_flag("--show-attention", flags.show, "the same as text, on standard output");
  command->add_option("--kind", flags.kind, "which attention is drawn: cross, encoder or decoder")->capture_default_str();
  command->add_option("--layer", flags.layer, "which layer is drawn, from 0; -1: the last")->capture_default_str();
  command->add_flag("--uncached", flags.uncached, "compute every step anew, for comparison");
  add_threads(*command);
  command->callback([&action] { action = [] { return run(flags); }; });
}

}  // namespace slope::tools
