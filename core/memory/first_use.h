// A value computed at its first use, like a static local variable. A child forked while another
// thread initialises such a variable would wait for that thread for ever; here it computes its own.
#pragma once

#include <atomic>

namespace slope {

// The result of make(), which must always be the same and is kept as long as the process. Threads
// that come at once may each call make(); one result stays.
template <auto make>
const auto& made_once() {
  using Value = decltype(make());
  static constinit std::atomic<const Value*> kept{nullptr};
  const Value* value = kept.load(std::memory_order_acquire);
  if (value) return *value;
  const auto* mine = new Value(make());
  if (kept.compare_exchange_strong(value, mine, std::memory_order_acq_rel)) return *mine;
  delete mine;
  return *value;
}

}  // namespace slope
