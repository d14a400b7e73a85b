// The loss curve of a run, drawn from its log.
#pragma once

#include <string>

namespace slope::train {

// From the lines {"step": …, "loss": …} and {"step": …, "validation_loss": …}; others are passed
// over, also a last line that was cut off. IoError where the log cannot be read, InputError (file
// and line) where a line is no JSON object.
std::string loss_plot(const std::string& log_jsonl_path);
bool is_loss_plot(const std::string& svg);  // one that loss_plot gave

}  // namespace slope::train
