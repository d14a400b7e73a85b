// slope plot: curves of several runs in one picture.
#include <slope/core/files/file_sink.h>
#include <slope/core/text/items.h>
#include <slope/models/run/curves/plot_runs.h>
#include <slope/tools/command.h>

#include <fmt/ranges.h>

namespace slope::tools {

void add_plot(Command& slope) {
  Command command =
      slope.subcommand("plot",
                       "Draw the curves of runs, finished or still training, as one SVG.\n"
                       "Example: slope plot runs/first runs/second -o curves.svg --what loss,lr");
  static std::vector<std::string> runs;
  static const std::string usual = "loss,lr,gradient_norm,tokens_per_second";
  static std::string out, what = usual;
  command.option("runs", runs, "the runs' folders").required().takes("RUN");
  command.option("-o,--out", out, "the picture").required().takes_name("FILE.svg");
  command
      .option("--what", what,
              fmt::format("what to draw, comma-separated: {}", fmt::join(train::plottable(), ", ")))
      .takes_name("NAMES")
      .shows_default();
  command.runs([] {
    SLOPE_CHECK_AS(UsageError, out.ends_with(".svg"), "-o {}: expected a name that ends in .svg",
                   out);
    refuse_to_replace("-o", out);
    write_file(out, train::plot_runs(runs, items_of(what), what == usual));
    return 0;
  });
}

}  // namespace slope::tools
