#include <slope/core/error.h>
#include <slope/tools/command.h>

#include <cstdlib>
#include <filesystem>

namespace slope::tools {

std::string bundled_corpus() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const auto holds_it = [&](const fs::path& folder) {
    return fs::exists(folder / "train.de", ignored);
  };
  if (const char* named = std::getenv("SLOPE_CORPUS"); named && *named) {
    SLOPE_CHECK_AS(IoError, holds_it(named), "SLOPE_CORPUS={}: holds no train.de", named);
    return fs::path(named).lexically_normal().string();
  }
  for (const fs::path& folder :
       {program.parent_path() / "../share/slope/corpus", fs::path(SLOPE_CORPUS_SOURCE)})
    if (holds_it(folder)) return folder.lexically_normal().string();
  throw IoError(
      "the bundled corpus is not installed; name the folder that holds train.de in SLOPE_CORPUS, "
      "or give --train PREFIX or --text FILE");
}

}  // namespace slope::tools
