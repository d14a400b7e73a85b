// Two threads that begin at the same time, as nearly as possible.
#pragma once
#ifndef SLOPE_PLAIN

#include <atomic>
#include <thread>

namespace slope::test {

template <class F, class G>
void at_once(const F& f, const G& g) {
  std::atomic<int> ready{0};
  const auto start = [&](const auto& run) {
    ++ready;
    while (ready < 2) std::this_thread::yield();
    run();
  };
  std::thread other([&] { start(f); });
  start(g);
  other.join();
}

}  // namespace slope::test
#endif
