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

std::string check_sameness(const RunState& before, const RunState& now, const Settings& all,
                           const std::string& values_before, const std::string& folder) {
  check_same_settings(before, all, values_before, folder);
  const bool data_were_read = !before.fingerprint.empty();
  SLOPE_CHECK_AS(UsageError, !data_were_read || before.fingerprint == now.fingerprint,
                 "--resume: {} not what {} was started with; name the same files",
                 changed_data(before.fingerprint, now.fingerprint), folder);
  const std::vector<std::string> other = changes(all, completed(before.settings, values_before));
  return other.empty() ? ""
                       : fmt::format("resumed with other settings: {}", fmt::join(other, "; "));
}

std::string note_of_done(const RunState& before, const Settings& all,
                         const std::string& values_before) {
  const std::vector<std::string> kept =
      left_as_before(all, completed(before.settings, values_before));
  return fmt::format("the run was done after {} step{}; {}", before.step,
                     before.step == 1 ? "" : "s", fmt::join(kept, "; "));
}

}  // namespace slope::train
