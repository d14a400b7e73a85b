// Observer: sees operations as they are recorded and backward as it runs. Anomaly mode, the
// profiler and the trace are observers.
//
//   struct Norms : Observer {
//     void contributed(const Node& node, size_t input, const Tensor& g) override { … }
//   } norms;
//   Observe observe(norms);  // on this thread, while it lives
//   loss.backward();
//
// An observed pass gives the same bits. The tensors belong to the engine: read them during the call
// and clone() what you keep. An exception in an observer ends the pass, as one in a rule does.
#pragma once

#include <slope/autograd/node.h>

#include <span>
#include <utility>

namespace slope {

// An operation that ran. Its tensors are valid during the call; copy a Tensor to keep it.
struct Recorded {
  const Op& op;
  Node* node;  // node->saved lists its saved values; null where no gradient is needed
  std::span<const InputRef> inputs;
  std::span<const Tensor> outputs;
};

struct Observer {
  virtual ~Observer() = default;
  // Whether it needs each contribution by itself. If so, a kernel first writes its contribution to
  // new memory, not into a sum or over g. An observer that only measures time returns false.
  virtual bool sees_contributions() const { return true; }

  virtual void recorded(const Recorded&) {}

  // Passes nest: one may run inside a rule (checkpoint, a fused operation's second derivative).
  virtual void pass_begins() {}
  virtual void pass_ends() noexcept {}
  // gradients of the node's outputs; undefined where none arrived
  virtual void node_begins(const Node&, std::span<const Tensor>) {}
  virtual void rule_ended(const Node&) {}
  virtual void returned(const Node&, size_t, const Tensor&) {}     // for input i, by the rule
  virtual void contributed(const Node&, size_t, const Tensor&) {}  // summed over broadcast dims
  // A contribution was added to a sum: the sum before (undefined at the first one) and after.
  virtual void summed(const Edge&, const Tensor&, const Tensor&) {}
  virtual void handed_over(const Tensor&, const Tensor&) {}  // a leaf, what is added to its grad()
  virtual void recomputed(const Node&, const SavedValue&) {}
  virtual void freeing(const Node&) {}  // the values in node.saved
};

// Installs an observer on this thread for a scope. Observers nest; the innermost is called first.
// They may end in any order.
class Observe {
 public:
  explicit Observe(Observer& observer) : observer_(observer), outer_(innermost_) {
    innermost_ = this;
  }
  ~Observe() {
    const Observe** link = &innermost_;
    while (*link && *link != this) link = &(*link)->outer_;
    if (*link) *link = outer_;
  }
  Observe(const Observe&) = delete;
  Observe& operator=(const Observe&) = delete;

  template <class Event, class... Args>
  static void tell(Event event, const Args&... args) {
    for (const Observe* o = innermost_; o; o = o->outer_) (o->observer_.*event)(args...);
  }
  // If an observer throws, those told before it are told that the pass has ended.
  static void tell_pass_begins() {
    const Observe* o = innermost_;
    try {
      for (; o; o = o->outer_) o->observer_.pass_begins();
    } catch (...) {
      for (const Observe* told = innermost_; told != o; told = told->outer_)
        told->observer_.pass_ends();
      throw;
    }
  }
  static bool anybody() { return innermost_ != nullptr; }
  static bool needs_contributions() {
    for (const Observe* o = innermost_; o; o = o->outer_)
      if (o->observer_.sees_contributions()) return true;
    return false;
  }

  struct Hidden {  // hides this thread's observers for a scope
    Hidden() : before(std::exchange(innermost_, nullptr)) {}
    ~Hidden() { innermost_ = before; }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;
    const Observe* before;
  };

 private:
  Observer& observer_;
  mutable const Observe* outer_;
  static inline constinit thread_local const Observe* innermost_ = nullptr;
};

}  // namespace slope
