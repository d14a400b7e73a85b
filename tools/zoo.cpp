// slope zoo: the models, from a table, so that listing them builds none. tests/tools hold the numbers against the models.
#include <slope/tools/command.h>
#include <slope/tools/zoo.h>

#include <CLI/CLI.hpp>

#include <cstdio>

namespace slope::tools {

void add_zoo(CLI::App& app, Action& action) {
  CLI::App* zoo = app.add_subcommand("zoo", "List the models.\nExample: slope zoo");
  zoo->callback([&action] {
    action = [] {
      std::printf("%-10s %12s  %-19s %s\n", "model", "parameters", "file", "what it is");
      for (const ZooEntry& m : zoo_entries) std::printf("%-10s %12ld  %-19s %s\n", m.name, static_cast<long>(m.parameters), m.file, m.what);
      return 0;
    };
  });
}

}  // namespace slope::tools
