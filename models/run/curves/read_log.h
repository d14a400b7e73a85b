// The log of a run (log.jsonl) as curves.
#pragma once

#include <slope/models/draw/svg.h>

#include <map>
#include <string>
#include <vector>

namespace slope::train {

using Curve = std::vector<draw::Point>;  // (step, value)

// The curves by key ("loss", "lr", "validation_loss"), from all lines with a step and a number at
// this key; an incomplete last line is ignored. IoError if the log cannot be read, InputError (file
// and line) if a line is not a JSON object.
std::map<std::string, Curve> read_log(const std::string& log_jsonl);

// At most `most` points, each the mean of equally many consecutive ones: the curve stays readable
// and the file small.
Curve thinned(const Curve& points, size_t most = 800);
// Points that are means over windows of steps, so that none is noisier than the others: windows
// shorter than usual, where the run was interrupted, are joined with the next ones; what is left at
// the end is dropped.
Curve in_full_windows(const Curve& points);

}  // namespace slope::train
