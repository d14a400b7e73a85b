// slope export: a run's model for other programs.
#include <slope/models/infer/export.h>
#include <slope/tools/command.h>

#include <cstdio>

namespace slope::tools {

void add_export(Command& slope) {
  Command command =
      slope.subcommand("export",
                       "Write a run's model for PyTorch's load_state_dict with strict=True: "
                       "weights under every name, settings, tokenizers.\n"
                       "Example: slope export runs/first --to pytorch -o first");
  static std::string run, to, folder;
  command.option("run", run, "the run's folder").required().takes_name("RUN");
  command.option("--to", to, "the format to write").required().takes_name("pytorch");
  command.option("-o,--out", folder, "a new folder").required().takes_name("FOLDER");
  command.runs([] {
    SLOPE_CHECK_AS(UsageError, to == "pytorch", "--to {}: only pytorch is known", to);
    train::export_to_pytorch(run, folder);
    std::printf("%s: the model as PyTorch loads it\n", visible(folder).c_str());
    return 0;
  });
}

}  // namespace slope::tools
