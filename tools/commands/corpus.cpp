#include <slope/core/error.h>
#include <slope/tools/command.h>

#include <cstdlib>
#include <filesystem>

namespace slope::tools {

std::string bundled_corpus() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const char* named = std::getenv("SLOPE_CORPUS");
  for (const fs::path& folder :
       {fs::path(named ? named : ""), program.parent_path() / "../share/slope/corpus",
        fs::path(SLOPE_CORPUS_SOURCE)})
    if (!folder.empty() && fs::exists(folder / "train.de", ignored))
      return folder.lexically_normal().string();
  throw IoError(
      "the bundled corpus is not installed; name the folder that holds train.de in SLOPE_CORPUS, "
      "or give --train PREFIX");
}

}  // namespace slope::tools
