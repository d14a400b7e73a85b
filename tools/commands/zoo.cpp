// slope zoo: the models, from a table, so that listing them builds none. tests/tools hold the
// numbers against the models.
#include <slope/tools/command.h>
#include <slope/tools/commands/zoo.h>

#include <cstdio>

namespace slope::tools {

void add_zoo(Command& slope) {
  Command zoo = slope.subcommand("zoo", "List the models.\nExample: slope zoo");
  zoo.runs([] {
    std::printf("%-10s %12s  %-19s %s\n", "model", "parameters", "file", "what it is");
    for (const ZooEntry& m : zoo_entries)
      std::printf("%-10s %12ld  %-19s %s\n", m.name, static_cast<long>(m.parameters), m.file,
                  m.what);
    return 0;
  });
}

}  // namespace slope::tools
