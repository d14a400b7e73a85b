// What a process holds while it forks. A child has none of the other threads: a lock that one of
// them held would stay locked for ever. So fork() first takes every lock that hold_over_fork() was
// told of, and parent and child release them. Whoever defines a lock that lives as long as the
// process calls hold_over_fork() next to it, before main(). A static local variable that is
// computed has a hidden lock, which cannot be held: made_once() (first_use.h) does without.
#pragma once

namespace slope {

// fork() takes locks in this order. A thread that holds one may wait only for one further down.
enum class ForkOrder { gradients, tables, allocator };

#ifdef SLOPE_PLAIN
template <class L>
constexpr bool hold_over_fork(ForkOrder, L&) {
  return true;
}
#else
struct ForkLock {
  void* lock;
  void (*take)(void*);
  void (*release)(void*);
  void (*release_in_child)(void*);
};
bool hold_over_fork(ForkOrder order, const ForkLock& lock);

template <class L>  // has lock() and unlock(), and unlock_in_child() if that differs
bool hold_over_fork(ForkOrder order, L& lock) {
  const auto in_child = [](void* l) {
    if constexpr (requires { static_cast<L*>(l)->unlock_in_child(); })
      static_cast<L*>(l)->unlock_in_child();
    else
      static_cast<L*>(l)->unlock();
  };
  return hold_over_fork(order, ForkLock{&lock, [](void* l) { static_cast<L*>(l)->lock(); },
                                        [](void* l) { static_cast<L*>(l)->unlock(); }, in_child});
}
#endif

}  // namespace slope
