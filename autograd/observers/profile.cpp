#include <slope/autograd/observers/profile.h>
#include <slope/core/module_path.h>
#include <slope/core/text/json.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace slope {

namespace {

thread_local Profile* current = nullptr;

constexpr bool in_forward = false, in_backward = true;

std::string without_numbers(const char* path) {
  std::string text;
  for (const char* c = path ? path : ""; *c; ++c) {
    const bool digit = *c >= '0' && *c <= '9', starts = text.empty() || text.back() == '.';
    if (digit && starts)
      text += '*';
    else if (!(digit && text.back() == '*'))
      text += *c;
  }
  return text;
}

}  // namespace

Profile::Profile() : began_(std::chrono::steady_clock::now()), outer_(current) { current = this; }
Profile::~Profile() {  // profiles may end in any order
  Profile** link = &current;
  while (*link && *link != this) link = &(*link)->outer_;
  if (*link) *link = outer_;
}

void Profile::add(const char* name, const char* module, bool backward) {
  const double now =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began_).count();
  events_.push_back({name, module, backward, last_, now});
  last_ = now;
}

void Profile::mark(const char* name) {
  if (current && !current->inside_rule_) current->add(name, nullptr, in_forward);
}

void Profile::recorded(const Recorded& made) {
  if (current == this && !inside_rule_) add(made.op.name, current_module(), in_forward);
}
void Profile::node_begins(const Node&, std::span<const Tensor>) {
  if (current != this || passes_ > 1) return;
  add("accumulate", nullptr, in_backward);
  inside_rule_ = true;
}
void Profile::rule_ended(const Node& node) {
  if (current != this || passes_ > 1) return;
  inside_rule_ = false;
  add(node.op->name, node.module, in_backward);
}
void Profile::pass_ends() noexcept {
  passes_ = std::max(passes_ - 1, 0);
  if (passes_ == 0) inside_rule_ = false;  // a rule that threw did not report its end
}

std::vector<Profile::Row> Profile::rows() const {
  std::map<std::tuple<std::string, std::string, bool>, Row> sums;
  for (const Event& e : events_) {
    const std::string module = without_numbers(e.module);
    Row& row = sums.try_emplace({e.name, module, e.backward}, Row{e.name, module, e.backward})
                   .first->second;
    ++row.calls;
    row.microseconds += e.end - e.start;
  }
  std::vector<Row> rows;
  for (const auto& [key, row] : sums) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.microseconds > b.microseconds; });
  return rows;
}

std::string Profile::table(int most) const {
  const std::vector<Row> all = rows();
  double total = 0;
  for (const Row& row : all) total += row.microseconds;
  std::string text = fmt::format("{:<30} {:>8} {:>8} {:>10} {:>10}  {}\n", "operation", "share",
                                 "calls", "total ms", "µs a call", "module");
  for (size_t i = 0; i < all.size() && static_cast<int>(i) < most; ++i) {
    const Row& row = all[i];
    text += fmt::format("{:<30} {:>7.1f}% {:>8} {:>10.2f} {:>10.1f}  {}\n",
                        row.name + (row.backward ? " backward" : ""),
                        100 * row.microseconds / total, row.calls, row.microseconds / 1e3,
                        row.microseconds / static_cast<double>(row.calls), row.module);
  }
  if (static_cast<int>(all.size()) > most)
    text += fmt::format("… and {} more\n", static_cast<int>(all.size()) - most);
  return text + fmt::format("{:<30} {:>7.1f}% {:>8} {:>10.2f}\n", "all", 100.0, events_.size(),
                            total / 1e3);
}

std::string Profile::chrome_trace() const {
  std::string text = "[";
  for (const Event& e : events_)
    text += fmt::format(R"({}{{"name":{},"cat":"{}","ph":"X","ts":{:.3f},"dur":{:.3f},)"
                        R"("pid":1,"tid":1,"args":{{"module":{}}}}})",
                        text.size() > 1 ? ",\n" : "", JsonReader::escaped(e.name),
                        e.backward ? "backward" : "forward", e.start, e.end - e.start,
                        JsonReader::escaped(e.module ? e.module : ""));
  return text + "]\n";
}

}  // namespace slope
