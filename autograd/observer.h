// Observer: sees backward as it happens, and what is recorded before. Anomaly mode, the profiler
// and the trace are observers.
//
//   struct Norms : Observer {
//     void contributed(const Node& node, size_t input, const Tensor& g) override { … }
//   } norms;
//   Observe observe(norms);  // on this thread, while it lives
//   loss.backward();
//
// An observed pass gives the same bits. Its tensors are the engine's: read them during the call,
// and clone() what is to be kept. An observer that throws ends the pass as a rule that throws does.
#pragma once

#include <slope/autograd/node.h>

#include <span>

namespace slope {

// An operation that ran. Its tensors live during the call; a copied Tensor keeps one.
struct Recorded {
  const Op& op;
  Node* node;  // node->saved lists what it saves; null where it needs no gradient
  std::span<const InputRef> inputs;
  std::span<const Tensor> outputs;
};

struct Observer {
  virtual ~Observer() = default;
  // Whether each contribution must be seen alone: then no kernel adds into a sum or writes over its
  // gradient unseen. One that only takes the time says no.
  virtual bool sees_contributions() const { return true; }

  virtual void recorded(const Recorded&) {}

  // A pass may run inside a rule (checkpoint, a fused operation's second derivative): they nest.
  virtual void pass_begins() {}
  virtual void pass_ends() noexcept {}
  // grads: dL/d output k of the node; undefined where nothing flows
  virtual void node_begins(const Node&, std::span<const Tensor>) {}
  virtual void rule_ended(const Node&) {}
  virtual void returned(const Node&, size_t, const Tensor&) {}     // for input i, by the rule
  virtual void contributed(const Node&, size_t, const Tensor&) {}  // summed over broadcast dims
  // A gradient was added, from `before` (undefined: it is the first) to `after`.
  virtual void summed(const Edge&, const Tensor&, const Tensor&) {}
  virtual void handed_over(const Tensor&, const Tensor&) {}  // a leaf, what its grad() grows by
  virtual void recomputed(const Node&, const SavedValue&) {}
  virtual void freeing(const Node&) {}  // what node.saved lists
};

// Installs an observer on this thread for a scope. Observers nest: the innermost is told first.
class Observe {
 public:
  explicit Observe(Observer& observer) : observer_(observer), outer_(innermost_) {
    innermost_ = this;
  }
  ~Observe() { innermost_ = outer_; }
  Observe(const Observe&) = delete;
  Observe& operator=(const Observe&) = delete;

  template <class Event, class... Args>
  static void tell(Event event, const Args&... args) {
    for (const Observe* o = innermost_; o; o = o->outer_) (o->observer_.*event)(args...);
  }
  static bool anybody() { return innermost_ != nullptr; }
  static bool needs_contributions() {
    for (const Observe* o = innermost_; o; o = o->outer_)
      if (o->observer_.sees_contributions()) return true;
    return false;
  }

 private:
  Observer& observer_;
  const Observe* outer_;
  static inline constinit thread_local const Observe* innermost_ = nullptr;
};

}  // namespace slope
