// slope translate: one line in, one line out.
#include <slope/core/files/file_sink.h>
#include <slope/models/data/read_text.h>
#include <slope/models/draw/terminal_map.h>
#include <slope/models/infer/attention_figure.h>
#include <slope/models/run/run_folder.h>
#include <slope/tools/command.h>
#include <slope/tools/commands/decoding_flags.h>

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <iostream>

namespace slope::tools {

namespace {

struct Flags {
  std::string run, file, attention, kind = "cross";
  int64_t layer = -1;
  train::DecodeOptions decode;
  bool uncached = false, show = false;
};

constexpr const char* standard_input = "standard input";

std::string read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) text.append(buffer, n);
  SLOPE_CHECK_AS(IoError, !std::ferror(stdin), "standard input could not be read; name a FILE");
  return text;
}

void print(const train::Translator& translator, const std::vector<std::string>& lines,
           const std::string& from, const Flags& flags) {
  for (const std::string& line :
       with_file(from, [&] { return train::translate_lines(translator, lines, flags.decode); }))
    tools::print(line + "\n");
}

// Interactive input: each line is answered at once.
int converse(const train::Translator& translator, const Flags& flags) {
  for (std::string line; std::getline(std::cin, line);) {
    print(translator, {data::clean_text(line, standard_input)}, standard_input, flags);
    flush();
  }
  return 0;
}

int run(Flags& flags) {
  flags.decode.cached = !flags.uncached;
  const train::AttentionKind kind = train::attention_kind(flags.kind);
  SLOPE_CHECK_AS(UsageError, flags.attention.empty() || flags.attention.ends_with(".svg"),
                 "--attention {}: expected a name that ends in .svg", flags.attention);
  const bool draws = !flags.attention.empty() || flags.show;
  SLOPE_CHECK_AS(
      UsageError, draws || (flags.layer == -1 && flags.kind == Flags().kind),
      "--kind and --layer select what is drawn; give --attention or --show-attention too");
  const train::Translator translator = train::load_translator(train::checkpoint_folder(flags.run));
  if (flags.file.empty() && !draws && isatty(STDIN_FILENO)) return converse(translator, flags);
  const std::string from = flags.file.empty() ? standard_input : flags.file;
  const std::vector<std::string> lines =
      flags.file.empty() ? data::split_lines(data::clean_text(read_standard_input(), from))
                         : data::read_lines(flags.file);
  if (!draws) return print(translator, lines, from, flags), 0;
  const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return !data::split_words(line).empty();
  });
  SLOPE_CHECK_INPUT(first != lines.end(), "{}: holds no sentence whose attention could be drawn",
                    from);
  const std::string place = fmt::format("{}: line {}", from, first - lines.begin() + 1);
  const draw::HeatMaps maps = with_file(place, [&] {
    return train::attention_figure(translator, *first, {.kind = kind, .layer = flags.layer},
                                   flags.decode);
  });
  if (!flags.attention.empty()) write_file(flags.attention, draw::to_svg(maps));
  print(translator, lines, from, flags);
  if (flags.show)
    std::printf("%s", draw::to_text(maps, {.color = isatty(STDOUT_FILENO) != 0}).c_str());
  return 0;
}

}  // namespace

void add_translate(Command& slope) {
  Command command = slope.subcommand(
      "translate",
      "Translate lines of text with a trained model. An empty line stays empty.\n"
      "Example: echo 'Ein Hund läuft.' | slope translate runs/first --attention map.svg");
  static Flags flags;
  command.option("run", flags.run, "the run's folder").required().takes("RUN");
  command.option("file", flags.file, "the text; standard input without it").takes("FILE");
  add_decoding_flags(command, flags.decode);
  command
      .option("--attention", flags.attention,
              "draw what the first sentence's translation attends to, all heads of a layer")
      .takes("FILE.svg")
      .not_empty();
  command.flag("--show-attention", flags.show, "the same as text, on standard output");
  command.option("--kind", flags.kind, "which attention is drawn: cross, encoder or decoder")
      .shows_default();
  command.option("--layer", flags.layer, "which layer is drawn, from 0; -1: the last")
      .shows_default();
  command.flag("--uncached", flags.uncached, "recompute every step, for comparison");
  command.threads();
  command.runs([] { return run(flags); });
}

}  // namespace slope::tools
