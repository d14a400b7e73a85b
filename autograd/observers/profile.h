// Profile: the time of forward and backward by operation. While a profile exists, this thread's
// time between two operations counts for the later one (an operation is recorded once its values
// are computed). A derivative is timed from start to end, including everything it calls; the
// engine's work between derivatives is "accumulate".
#pragma once

#include <slope/autograd/observer.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace slope {

class Profile : Observer {
 public:
  Profile();            // starts; hides an outer profile
  ~Profile() override;  // stops
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  struct Event {
    const char* name;
    const char* module;  // its path, as nn::Scope gives it; null outside modules
    bool backward;
    double start, end;  // microseconds since the profile began
  };
  const std::vector<Event>& events() const { return events_; }

  struct Row {
    std::string name, module;  // layer numbers become *: "encoder.layers.*.mha"
    bool backward;
    int64_t calls = 0;
    double microseconds = 0;
  };
  std::vector<Row> rows() const;      // longest first
  std::string table(int most) const;  // the first rows, with their shares
  std::string chrome_trace() const;   // JSON for chrome://tracing and ui.perfetto.dev

  // counts the time since this thread's last event as `name`: "optimizer". No-op without a profile
  static void mark(const char* name);

 private:
  // so that the timed pass runs like an unobserved one
  bool sees_contributions() const override { return false; }
  void recorded(const Recorded& made) override;
  void pass_begins() override { ++passes_; }
  void pass_ends() noexcept override;
  void node_begins(const Node&, std::span<const Tensor>) override;
  void rule_ended(const Node& node) override;
  void add(const char* name, const char* module, bool backward);

  std::chrono::steady_clock::time_point began_;
  double last_ = 0;
  int passes_ = 0;            // nested passes
  bool inside_rule_ = false;  // of the outermost pass
  std::vector<Event> events_;
  Profile* outer_;
  Observe observe_{*this};
};

}  // namespace slope
