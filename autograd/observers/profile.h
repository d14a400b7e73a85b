// Profile: where the time of forward and backward goes, operation by operation. While one exists,
// this thread's time between two operations is put down to the later one (an operation is recorded
// when its values are there); a derivative is timed from start to end, with all that it calls; what
// the engine does between derivatives is "accumulate".
#pragma once

#include <slope/autograd/observer.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace slope {

class Profile : Observer {
 public:
  Profile();            // begins; hides an outer one
  ~Profile() override;  // ends
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
    std::string name, module;  // the numbers of layers as *: "encoder.layers.*.mha"
    bool backward;
    int64_t calls = 0;
    double microseconds = 0;
  };
  std::vector<Row> rows() const;      // longest first
  std::string table(int most) const;  // the first rows, with their shares
  std::string chrome_trace() const;   // JSON for chrome://tracing and ui.perfetto.dev

  // what this thread did since the last event was `name`: "optimizer". Nothing without a profile
  static void mark(const char* name);

 private:
  // the time is that of a pass which nobody observes
  bool sees_contributions() const override { return false; }
  void recorded(const Recorded& made) override;
  void pass_begins() override { ++passes_; }
  void pass_ends() noexcept override;
  void node_begins(const Node&, std::span<const Tensor>) override;
  void rule_ended(const Node& node) override;
  void add(const char* name, const char* module, bool backward);

  std::chrono::steady_clock::time_point began_;
  double last_ = 0;
  int passes_ = 0;            // how many run inside each other
  bool inside_rule_ = false;  // of the outermost
  std::vector<Event> events_;
  Profile* outer_;
  Observe observe_{*this};
};

}  // namespace slope
