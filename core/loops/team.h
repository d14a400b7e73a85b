// How many threads a parallel loop uses: fewer than requested while other processes keep some of
// them from running.
//
// A thread without a core holds up its whole team, for milliseconds each time: next to one busy
// foreign process two threads can be slower than one. Results do not depend on the number of
// threads, so it may change from loop to loop.
#pragma once

#include <algorithm>
#include <chrono>

namespace slope {

using Clock = std::chrono::steady_clock;

class Team {
 public:
  explicit Team(int most) : most_(most), size_(most) {}

  int size(Clock::time_point now) {
    if (size_ < most_ && now >= retry_at_) {
      ++size_;
      retry_at_ = now + pause_;
      window_ = {};
    }
    return size_;
  }

  // What a loop's calling thread observed: how long the loop took, and how long the thread waited
  // at the end for others, less twice its own longest chunk, which uneven chunks would explain.
  void note(Clock::duration all, Clock::duration stalled, Clock::time_point now) {
    window_.all += all;
    window_.stalled += std::max(stalled, Clock::duration::zero());
    if (window_.all < window_length) return;
    const bool stalls = window_.stalled > window_.all / 3;
    if (stalls && size_ > 1) {
      --size_;
      pause_ = std::min(2 * pause_, longest_pause);
      retry_at_ = now + pause_;
    } else if (!stalls) {
      pause_ = shortest_pause;
      retry_at_ = std::min(retry_at_, now + pause_);
    }
    window_ = {};
  }

 private:
  static constexpr Clock::duration window_length = std::chrono::milliseconds(40),
                                   shortest_pause = std::chrono::milliseconds(20),
                                   longest_pause = std::chrono::seconds(2);
  struct Window {
    Clock::duration all{}, stalled{};
  };
  int most_, size_;
  Window window_;
  Clock::duration pause_ = shortest_pause;
  Clock::time_point retry_at_;
};

}  // namespace slope
