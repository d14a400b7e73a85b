// slope graph: the tape of a loss, as a picture, as data, or as the steps of backward.
#include <slope/autograd/graph/graph.h>
#include <slope/autograd/graph/trace.h>
#include <slope/core/files/file_sink.h>
#include <slope/models/draw/graph_svg.h>
#include <slope/models/infer/sample.h>
#include <slope/tools/command.h>

namespace slope::tools {

namespace {

struct Flags {
  std::string model, out, module;
  int64_t depth = 0, values = 6;
  bool trace = false;
};

int draw_graph(const Flags& flags) {
  const auto ends = [&](const char* suffix) { return flags.out.ends_with(suffix); };
  SLOPE_CHECK_AS(UsageError, ends(".svg") || ends(".dot") || ends(".json"),
                 "-o {}: the ending says what to write: .svg, .dot or .json", flags.out);
  refuse_to_replace("-o", flags.out);
  const train::Sample sample = train::sample_named(flags.model);
  const Graph graph =
      graph_of({sample.loss()},
               {.names = sample.parameters(), .outputs = {"loss"}, .module_depth = flags.depth});
  write_file(flags.out, ends(".svg")   ? draw::to_svg(graph, flags.model)
                        : ends(".dot") ? to_dot(graph)
                                       : to_json(graph));
  return 0;
}

int trace_backward_of(const Flags& flags) {
  SLOPE_CHECK_AS(UsageError, flags.out.empty() || flags.out.ends_with(".json"),
                 "-o {}: a trace is written as .json; without -o it is printed", flags.out);
  if (!flags.out.empty()) refuse_to_replace("-o", flags.out);
  const train::Sample sample = train::sample_named(flags.model);
  const Tensor loss = sample.loss();
  NamedTensors names = sample.parameters();
  names.push_back({"loss", loss});
  const Trace trace =
      trace_backward({loss}, {.names = names, .module = flags.module, .most_values = flags.values});
  if (flags.out.empty())
    print(trace_text(trace));
  else
    write_file(flags.out, trace_json(trace) + "\n");
  return 0;
}

int run(const Flags& flags) {
  SLOPE_CHECK_AS(UsageError, flags.trace || !flags.out.empty(),
                 "graph: give -o FILE to write, or --trace to print backward step by step");
  return flags.trace ? trace_backward_of(flags) : draw_graph(flags);
}

}  // namespace

void add_graph(Command& slope) {
  Command command = slope.subcommand(
      "graph",
      "Draw the autograd graph of the loss of a small model or of a run's model, or print its "
      "backward pass step by step.\nExample: slope graph runs/first -o graph.svg");
  static Flags flags;
  command.option("model", flags.model, "a model of the zoo, or a run's folder")
      .required()
      .takes_name("MODEL|RUN");
  command.option("-o,--out", flags.out, "output file: a picture, Graphviz's DOT, or JSON")
      .takes_name("FILE.svg|.dot|.json");
  command
      .option("--depth", flags.depth,
              "merge the operations of each module down to this depth into one box; 0: merge none")
      .between(0, 100)
      .shows_default();
  command.flag("--trace", flags.trace,
               "print backward step by step: formulas, gradients in and out, sums, what is freed");
  command.option("--module", flags.module, "with --trace: only this module and its submodules")
      .takes("PATH");
  command
      .option("--values", flags.values,
              "with --trace: show tensors of at most this many elements in full")
      .between(1, 1000)
      .shows_default();
  command.excludes("--trace", {"--depth"});
  command.needs("--module", "--trace");
  command.needs("--values", "--trace");
  command.runs([] { return run(flags); });
}

}  // namespace slope::tools
