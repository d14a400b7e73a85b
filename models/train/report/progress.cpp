#include <slope/core/text/visible.h>
#include <slope/models/train/report/progress.h>

#include <fmt/core.h>

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace slope::train {

namespace {
int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string bar(double share, int cells) {
  constexpr const char* eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (int i = 0; i < cells; ++i) {
    const double fill = share * cells - i;
    text += fill >= 1 ? "█" : fill <= 0 ? " " : eighths[static_cast<int>(fill * 8)];
  }
  return text;
}
}  // namespace

bool draws_escapes(int descriptor) {
  const char* name = std::getenv("TERM");
  return isatty(descriptor) && !(name && std::string_view(name) == "dumb");
}

std::string duration(double seconds) {
  const auto s = static_cast<int64_t>(std::clamp(seconds, 0.0, 3.6e8));
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{:02}:{:02}", s / 60, s % 60);
}

std::string progress_line(const ProgressState& p, double elapsed, int64_t steps_here, int width) {
  const double share =
      p.total > 0 ? std::clamp(static_cast<double>(p.step) / static_cast<double>(p.total), 0.0, 1.0)
                  : 0;
  const double left = steps_here > 0 ? elapsed / static_cast<double>(steps_here) *
                                           static_cast<double>(p.total - p.step)
                                     : 0;
  const std::string numbers =
      fmt::format(" {}/{} [{}<{}, {:.0f} tokens/s, loss {:.4f}, lr {:.2e}]", p.step, p.total,
                  duration(elapsed), duration(left), p.tokens_per_second, p.loss, p.lr);
  const int cells = std::clamp(width - 8 - static_cast<int>(numbers.size()), 0, 40);
  return fmt::format("{:4.0f}% {}{}", 100 * share, bar(share, cells), numbers);
}

Progress::Progress(bool quiet)
    : quiet_(quiet), terminal_(draws_escapes(STDERR_FILENO) && !std::getenv("NO_PROGRESS")),
      start_(std::chrono::steady_clock::now()), last_(start_) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::update(const ProgressState& state, bool log_line) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (first_step_ < 0) first_step_ = state.step - 1;
  if (terminal_) {
    if (std::chrono::duration<double>(now - last_).count() < 0.1 && state.step < state.total)
      return;
    last_ = now;
    std::fprintf(
        stderr, "\r%s\033[K",
        progress_line(state, elapsed, state.step - first_step_, terminal_width() - 1).c_str());
    std::fflush(stderr);
    drawn_ = true;
  } else if (log_line) {
    const std::string epoch = state.epoch ? fmt::format("epoch {:.2f}  ", *state.epoch) : "";
    message(fmt::format("step {}/{}  {}loss {:.4f}  lr {:.2e}  {:.0f} tokens/s", state.step,
                        state.total, epoch, state.loss, state.lr, state.tokens_per_second));
  }
}

void Progress::message(const std::string& line) {
  if (quiet_) return;
  clear();
  std::fputs((visible(line) + "\n").c_str(), stdout);
  std::fflush(stdout);
  if (std::ferror(stdout) && !std::exchange(said_unwritten_, true))
    std::fputs("slope: note: standard output could not be written; training goes on\n", stderr);
}

}  // namespace slope::train
