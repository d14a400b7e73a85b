// slope translate: translates text, line by line.
#include <slope/core/files/file_sink.h>
#include <slope/models/data/text/line_stream.h>
#include <slope/models/draw/terminal_map.h>
#include <slope/models/infer/attention_figure.h>
#include <slope/models/infer/score.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/train/report/progress.h>
#include <slope/tools/command.h>
#include <slope/tools/commands/decoding_flags.h>
#include <slope/tools/commands/text_flags.h>

#include <unistd.h>
#include <algorithm>
#include <cstdio>

namespace slope::tools {

namespace {

struct Flags {
  std::string run, file = "-", attention, kind = "cross", long_lines = "refuse";
  std::string prefix, given;
  int64_t layer = -1, n_best = 0;
  train::DecodeOptions decode;
  DType weights = f32;
  bool uncached = false, show = false;
};

std::string scores(double score, double log_p) {
  return fmt::format("{:.6f}\t{:.6f}", score, log_p);
}

// [number of the line TAB] [score TAB log-probability TAB] translation
void print(const train::Translation& t, size_t number, const Flags& flags) {
  if (flags.n_best > 0) tools::print(fmt::format("{}\t", number));
  if (flags.decode.scores) tools::print(scores(t.score, t.log_p) + "\t");
  print_text(t.text + "\n");
}

// Translates lines and prints them; counts those that were too long.
void print(const train::Translator& translator, const std::vector<std::string>& lines,
           const std::string& from, const Flags& flags, train::LineOptions options,
           int64_t& longs) {
  options.on_long_line = [&] { ++longs; };
  naming(from, [&] {
    train::translate_in_parts(translator, lines, flags.decode, options,
                              [&](size_t i, const train::Translations& best) {
                                for (const train::Translation& t : best)
                                  print(t, options.lines_before + i + 1, flags);
                                flush();  // for a program that waits for the answer
                              });
  });
}

// Draws the first sentence's attention; prints the translations of all lines, then the picture.
void draw_and_print(const train::Translator& translator, const std::vector<std::string>& lines,
                    const std::string& from, const train::AttentionChoice& choice,
                    const Flags& flags, const train::LineOptions& options, int64_t& longs) {
  const train::LineOptions never_refuses{.long_lines = options.long_lines == train::LongLines::skip
                                                           ? train::LongLines::skip
                                                           : train::LongLines::crop};
  const auto first = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return train::fitting_source(translator, line, never_refuses, from).size() > 2;
  });
  SLOPE_CHECK_INPUT(first != lines.end(), "{}: holds no sentence whose attention could be drawn",
                    from);
  const std::string place = fmt::format("{}: line {}", from, first - lines.begin() + 1);
  const draw::HeatMaps maps = naming(place, [&] {
    return train::attention_figure(translator, *first, choice, flags.decode, options);
  });
  if (!flags.attention.empty()) write_file(flags.attention, draw::to_svg(maps));
  print(translator, lines, from, flags, options, longs);
  if (flags.show) tools::print(draw::to_text(maps, {.color = train::draws_escapes(STDOUT_FILENO)}));
}

std::vector<std::string> all_lines(data::LineStream& text) {
  std::vector<std::string> lines;
  while (const auto some = text.next()) lines.insert(lines.end(), some->begin(), some->end());
  return lines;
}

// Prints score and log-probability of each line of `given` as the translation of its source.
int score(const Flags& flags) {
  refuse_shared_input({{"FILE", flags.file}, {"--score", flags.given}});
  const train::Translator translator =
      train::load_translator(train::checkpoint_folder(flags.run), flags.weights);
  data::LineStream text(flags.file), given(flags.given);
  const auto sources = all_lines(text), targets = all_lines(given);
  const std::string both = given.name() + " for " + text.name();
  for (const train::PairScore& s : naming(both, [&] {
         return train::score_pairs(translator, sources, targets, flags.decode.length_penalty);
       }))
    tools::print(scores(s.score, s.log_p) + "\n");
  return 0;
}

int run(Flags& flags) {
  flags.decode.cached = !flags.uncached;
  if (flags.n_best > 0) flags.decode.n_best = flags.n_best;
  SLOPE_CHECK_AS(UsageError, flags.decode.n_best <= flags.decode.beam,
                 "--n-best {}: needs a --beam at least as large, but --beam is {}", flags.n_best,
                 flags.decode.beam);
  if (!flags.given.empty()) return score(flags);
  if (!flags.decode.scores) check_length_penalty(flags.decode, ", --scores or --score");
  const train::AttentionChoice choice{.kind = train::attention_kind(flags.kind),
                                      .layer = flags.layer};
  SLOPE_CHECK_AS(UsageError, flags.attention.empty() || flags.attention.ends_with(".svg"),
                 "--attention {}: expected a name that ends in .svg", flags.attention);
  if (!flags.attention.empty()) refuse_to_replace("--attention", flags.attention, {flags.file});
  const bool draws = !flags.attention.empty() || flags.show;
  SLOPE_CHECK_AS(
      UsageError, draws || (flags.layer == -1 && flags.kind == Flags().kind),
      "--kind and --layer select what is drawn; give --attention or --show-attention too");
  train::LineOptions options{.long_lines = train::long_lines(flags.long_lines)};
  const train::Translator translator =
      train::load_translator(train::checkpoint_folder(flags.run), flags.weights);
  if (!flags.prefix.empty()) flags.decode.prefix = train::forced_prefix(translator, flags.prefix);
  int64_t longs = 0;
  data::LineStream text(flags.file);
  if (draws) {
    draw_and_print(translator, all_lines(text), text.name(), choice, flags, options, longs);
  } else {
    while (const auto lines = text.next()) {
      options.lines_before = text.lines_before();
      print(translator, *lines, text.name(), flags, options, longs);
    }
  }
  tell_left_out(
      text.name(), options.long_lines == train::LongLines::crop ? "cropped" : "skipped", longs,
      "line", fmt::format(" longer than the model's {} positions", translator.model->positions()));
  return 0;
}

}  // namespace

void add_translate(Command& slope) {
  Command command = slope.subcommand(
      "translate",
      "Translate lines of text with a trained model, each as soon as it arrives. An empty line "
      "stays empty.\n"
      "Example: echo 'Ein Hund läuft.' | slope translate runs/first --attention map.svg");
  static Flags flags;
  command.option("run", flags.run, "the run's folder").required().takes_name("RUN");
  command.option("file", flags.file, "the text, plain or .gz; standard input if - or left out")
      .takes_name("FILE");
  add_decoding_flags(command, flags.decode);
  add_precision(command, flags.weights);
  command
      .option("--n-best", flags.n_best,
              "print the N best translations of each line (fewer if some read the same), each "
              "after the line's number and a tab; N is at most --beam")
      .between(1, 1000);
  command.flag("--scores", flags.decode.scores,
               "print score and log-probability before each translation, separated by tabs; nan "
               "where a line is empty or skipped");
  command
      .option("--score", flags.given,
              "do not translate; print score and log-probability of each line of FILE, taken as "
              "the translation; <unk> in it is the unknown token, as slope writes it")
      .takes_name("FILE");
  command.option("--prefix", flags.prefix, "every translation begins with this text").takes("TEXT");
  add_long_lines(command, flags.long_lines);
  command
      .option("--attention", flags.attention,
              "draw what the first sentence's translation attends to, in all heads of a layer")
      .takes_name("FILE.svg");
  command.flag("--show-attention", flags.show, "draw the same as text, on standard output");
  command.option("--kind", flags.kind, "which attention is drawn: cross, encoder or decoder")
      .shows_default();
  command.option("--layer", flags.layer, "which layer is drawn, from 0; -1: the last")
      .between(-1, 999)
      .shows_default();
  command.flag("--uncached", flags.uncached, "decode without the cache, for comparison");
  command.threads();
  command.excludes("--score",
                   {"--beam", "--unk", "--n-best", "--scores", "--prefix", "--long-lines",
                    "--attention", "--show-attention", "--kind", "--layer", "--uncached"});
  command.runs([] { return run(flags); });
}

}  // namespace slope::tools
