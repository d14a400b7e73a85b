// What a run logs: a line of log.jsonl and, if wanted, the same as TensorBoard events.
#pragma once

#include <slope/core/files/append_log.h>
#include <slope/models/run/curves/event_file.h>
#include <slope/models/run/json.h>
#include <slope/models/train/report/layer_norms.h>

#include <functional>
#include <optional>

namespace slope::train {

class RunLog {
 public:
  // `events`: the folder of TensorBoard events; empty: none. If these cannot be written, they are
  // given up and `tell` gets a message: training goes on.
  // `facts` are logged as step 0 before the first line of an empty log.
  RunLog(AppendLog& lines, std::vector<JsonField> facts, const std::string& events,
         std::function<void(const std::string&)> tell);

  // {"step": …, "time": …, further fields}
  void append(int64_t step, const std::vector<JsonField>& fields);
  // {"step": …, "time": …, "gradient_norm/LAYER": …, "weight_norm/LAYER": …}; no layers: no line
  void append_norms(int64_t step, const std::vector<NormsOf>& layers);

 private:
  void give_up_events(const std::string& why);

  AppendLog& lines_;
  const std::vector<JsonField> facts_;
  std::optional<EventFile> events_;
  std::function<void(const std::string&)> tell_;
};

}  // namespace slope::train
