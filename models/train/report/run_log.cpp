#include <slope/core/error.h>
#include <slope/models/train/report/run_log.h>

#include <chrono>

namespace slope::train {

// Seconds since 1970, to the millisecond.
static double wall_clock() {
  using namespace std::chrono;
  const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch());
  return static_cast<double>(now.count()) / 1000;
}

RunLog::RunLog(AppendLog& lines, std::vector<JsonField> facts, const std::string& events,
               std::function<void(const std::string&)> tell)
    : lines_(lines), facts_(std::move(facts)), tell_(std::move(tell)) {
  if (events.empty()) return;
  try {
    events_.emplace(events, wall_clock());
  } catch (const IoError& e) {
    give_up_events(e.what());
  }
}

void RunLog::append(int64_t step, const std::vector<JsonField>& fields) {
  if (lines_.bytes() == 0 && step > 0 && !facts_.empty()) append(0, facts_);
  const double time = wall_clock();
  std::vector<JsonField> line = {{"step", step}, {"time", time}};
  line.insert(line.end(), fields.begin(), fields.end());
  lines_.append(json_line(line));
  if (!events_) return;
  std::vector<EventFile::Scalar> scalars;
  for (const JsonField& field : fields)
    if (const double* value = std::get_if<double>(&field.value))
      scalars.push_back({field.name, *value});
  try {
    events_->append(time, step, scalars);
  } catch (const IoError& e) {
    give_up_events(e.what());
  }
}

void RunLog::append_norms(int64_t step, const std::vector<NormsOf>& layers) {
  if (layers.empty()) return;
  std::vector<JsonField> fields;
  for (const NormsOf& l : layers) {
    fields.push_back({"gradient_norm/" + l.layer, l.gradient});
    fields.push_back({"weight_norm/" + l.layer, l.weights});
  }
  append(step, fields);
}

void RunLog::give_up_events(const std::string& why) {
  events_.reset();
  tell_(fmt::format("no more events for TensorBoard: {}; training goes on, log.jsonl has it all",
                    why));
}

}  // namespace slope::train
