#include <slope/tools/gradcheck_main.h>
#include <slope/tools/main.h>

#include <algorithm>
#include <cstring>

namespace slope::tools {

int gradcheck_main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  // `program gradcheck softsign` means the same as `program softsign`
  static char word[] = "gradcheck";
  if (argc < 2 || std::strcmp(argv[1], word) != 0) arguments.insert(arguments.begin() + 1, word);
  std::vector<std::string> names;
  if (arguments.size() == 2) {
    for (const Case& c : registered_cases())
      if (std::find(names.begin(), names.end(), c.name) == names.end()) names.emplace_back(c.name);
    for (std::string& name : names) arguments.push_back(name.data());
  }
  arguments.push_back(nullptr);
  return command_main(static_cast<int>(arguments.size()) - 1, arguments.data());
}

}  // namespace slope::tools
