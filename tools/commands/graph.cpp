// slope graph: the tape of a model's loss, as a picture or as data.
#include <slope/autograd/graph/graph.h>
#include <slope/core/files/file_sink.h>
#include <slope/models/draw/graph_svg.h>
#include <slope/models/infer/sample.h>
#include <slope/tools/command.h>

namespace slope::tools {

namespace {

int run(const std::string& model, const std::string& out, int64_t depth) {
  const auto ends = [&](const char* suffix) { return out.ends_with(suffix); };
  SLOPE_CHECK_AS(UsageError, ends(".svg") || ends(".dot") || ends(".json"),
                 "-o {}: the ending says what to write: .svg, .dot or .json", out);
  const train::Sample sample = train::sample_named(model);
  const Graph graph = graph_of(
      {sample.loss()}, {.names = sample.parameters(), .outputs = {"loss"}, .module_depth = depth});
  write_file(out, ends(".svg")   ? draw::to_svg(graph, model)
                  : ends(".dot") ? to_dot(graph)
                                 : to_json(graph));
  return 0;
}

}  // namespace

void add_graph(Command& slope) {
  Command command =
      slope.subcommand("graph",
                       "Draw the graph that backward walks through: of a small model's "
                       "loss, or of a run's.\nExample: slope graph runs/first -o graph.svg");
  static std::string model, out;
  static int64_t depth = 0;
  command.option("model", model, "a model of the zoo, or a run's folder")
      .required()
      .takes("MODEL|RUN");
  command.option("-o,--out", out, "what to write: a picture, graphviz's language, or JSON")
      .required()
      .takes("FILE.svg|.dot|.json");
  command
      .option("--depth", depth,
              "operations of a module down to this depth of its path are one box; 0: none are")
      .between(0, 100)
      .shows_default();
  command.runs([] { return run(model, out, depth); });
}

}  // namespace slope::tools
