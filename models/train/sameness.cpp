#include <slope/core/error.h>
#include <slope/models/run/settings.h>
#include <slope/models/train/sameness.h>

#include <fmt/ranges.h>

namespace slope::train {

// Which of the data files changed. A fingerprint has the checksum of the only text, or of training
// and validation text, then a slash and that of subwords.
static std::string changed_data(const std::string& before, const std::string& now) {
  const std::string a = before.substr(0, before.find('/')), b = now.substr(0, now.find('/'));
  if (a == b) return "the tokenizer is";
  if (a.size() != 16 || b.size() != 16) return "the text is";
  const bool training = a.substr(0, 8) != b.substr(0, 8), validation = a.substr(8) != b.substr(8);
  return training && validation ? "training and validation text are"
         : training             ? "the training text is"
                                : "the validation text is";
}

void check_same_settings(const RunState& before, const Settings& all,
                         const std::string& values_before, const std::string& folder) {
  const std::vector<std::string> changed =
      differences(all, completed(before.settings, values_before));
  SLOPE_CHECK_AS(UsageError, changed.empty(),
                 "--resume: {} was started with other settings: {}; these must not change", folder,
                 fmt::join(changed, "; "));
}

void check_same_data(const std::string& before, const std::string& now, const std::string& folder) {
  if (before.empty()) return;  // they had not been read
  const bool is_whole = now.find('/') != now.npos;
  SLOPE_CHECK_AS(UsageError, (is_whole ? before : before.substr(0, before.find('/'))) == now,
                 "--resume: {} not what {} was started with; name the same files",
                 changed_data(before, now), folder);
}

std::string changed_settings(const RunState& before, const Settings& all,
                             const std::string& values_before) {
  return fmt::to_string(fmt::join(changes(all, completed(before.settings, values_before)), "; "));
}

std::string kept_settings(const RunState& before, const Settings& all,
                          const std::string& values_before) {
  return fmt::to_string(
      fmt::join(left_as_before(all, completed(before.settings, values_before)), "; "));
}

}  // namespace slope::train
