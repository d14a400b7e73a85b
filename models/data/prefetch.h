// Prefetch: item k = produce(k) for k = first, first + 1, …, prepared by a thread while the caller
// works on earlier items. A thread, never a forked process: a forked child hangs in its first
// OpenMP region. The items do not depend on the thread's speed.
#pragma once

#include <slope/core/loops/parallel.h>
#include <slope/core/loops/thread_error.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace slope::data {

template <class T>
class Prefetch {
 public:
  // `produce` runs in the thread, one call at a time; what it refers to must outlive this object.
  // At most `depth` items wait; the thread may have prepared one more.
  explicit Prefetch(std::function<T(int64_t)> produce, int64_t first = 0, size_t depth = 4)
      : produce_(std::move(produce)), position_(first), depth_(depth > 0 ? depth : 1) {
    try_threads();  // of the caller's loops, before another one runs
    try {
      thread_ = std::thread([this, first] { run(first); });
    } catch (const std::system_error& e) {
      throw no_further_thread(e);
    }
  }
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;
  ~Prefetch() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // Returns produce(position()) and advances. If produce threw, every call from there on rethrows.
  T next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || error_; });
    if (ready_.empty()) std::rethrow_exception(error_);
    T item = std::move(ready_.front());
    ready_.pop_front();
    ++position_;
    lock.unlock();
    changed_.notify_all();
    return item;
  }

  // The next item's number: it counts what was consumed, not what was prepared.
  int64_t position() const { return position_; }

 private:
  void run(int64_t k) {
    try {
      for (;; ++k) {
        T item = produce_(k);
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ready_.size() < depth_ || stop_; });
        if (stop_) return;
        ready_.push_back(std::move(item));
        lock.unlock();
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    changed_.notify_all();
  }

  const std::function<T(int64_t)> produce_;
  int64_t position_;
  const size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> ready_;
  std::exception_ptr error_;
  bool stop_ = false;
  std::thread thread_;  // last: it starts when all other members exist
};

}  // namespace slope::data
