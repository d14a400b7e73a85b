#include <slope/core/memory/memory.h>
#include <slope/models/train/report/costs.h>

#include <fmt/format.h>

namespace slope::train {

void Costs::add_step(double seconds, int64_t tokens) {
  recent_tokens_ = 0.9 * recent_tokens_ + static_cast<double>(tokens);
  recent_seconds_ = 0.9 * recent_seconds_ + seconds;
  seconds_ += seconds;
  ++steps_;
}

void Costs::report(int64_t left, int64_t steps_per_epoch) {
  if (reported_ || seconds_ < 2) return;
  reported_ = true;
  const double step = seconds_ / static_cast<double>(steps_);
  if (step * static_cast<double>(left) < 10) return;
  const std::string epoch = steps_per_epoch > 0
                                ? fmt::format("an epoch of {} steps takes {}, ", steps_per_epoch,
                                              duration(step * static_cast<double>(steps_per_epoch)))
                                : "";
  progress_.message(fmt::format(
      "about {:.3g} s a step: {}the remaining {} steps {}, without "
      "validations; {} MB of memory",
      step, epoch, left, duration(step * static_cast<double>(left)), memory::stats().peak >> 20));
}

void Costs::report_validation(double seconds) {
  if (seconds_ == 0) return;  // a resume began with this validation
  const double share = seconds / (seconds + seconds_);
  if (!share_reported_ && share >= 0.1)
    progress_.message(
        fmt::format("validation takes {:.0f} % of the time: less to validate on, or a larger "
                    "--validate-every, lowers it",
                    100 * share));
  share_reported_ = true;
}

}  // namespace slope::train
