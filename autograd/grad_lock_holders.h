// Threads that hold GradLocks (grad_slot.h). A child that is forked while another thread holds one
// could never take it, so fork() waits until no thread does, and meanwhile no thread gets its
// first. One that holds some gets more.
#pragma once

#ifndef SLOPE_PLAIN
#include <atomic>
#include <thread>
#endif

namespace slope {

#ifdef SLOPE_PLAIN
struct GradLockHolders {
  static void enter() {}
  static void leave() {}
};
#else
class GradLockHolders {
 public:
  static void enter() {
    if (mine_++ == 0) join();
  }
  static void leave() {
    if (--mine_ == 0) threads_.fetch_sub(1, std::memory_order_release);
  }

  // for fork()
  static void lock() {
    forking_.store(true, std::memory_order_seq_cst);
    while (threads_.load(std::memory_order_seq_cst) > 0) std::this_thread::yield();
  }
  static void unlock() { forking_.store(false, std::memory_order_release); }
  static void unlock_in_child() {
    threads_ = 0;  // a thread that asked meanwhile may have been counted; it is not in the child
    unlock();
  }

 private:
  static void join() {
    while (threads_.fetch_add(1, std::memory_order_seq_cst),
           forking_.load(std::memory_order_seq_cst)) {
      threads_.fetch_sub(1, std::memory_order_release);
      while (forking_.load(std::memory_order_acquire)) std::this_thread::yield();
    }
  }

  static inline constinit thread_local int mine_ = 0;  // GradLocks that this thread holds
  static inline constinit std::atomic<int> threads_{0};
  static inline constinit std::atomic<bool> forking_{false};
};
#endif

}  // namespace slope
