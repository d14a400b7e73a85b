// The loss curve of a run, drawn from its log.
#pragma once

#include <string>

namespace slope::train {

// An SVG of the log lines {"step": …, "loss": …} and {"step": …, "validation_loss": …}. Other lines
// and an incomplete last line are ignored. IoError if the log cannot be read, InputError (file and
// line) if a line is not a JSON object.
std::string loss_plot(const std::string& log_jsonl_path);
bool is_loss_plot(const std::string& svg);  // made by loss_plot

}  // namespace slope::train
