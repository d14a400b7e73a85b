// Spelling: finds the name that was probably meant, for error messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slope {

// Levenshtein's: insertions, deletions and replacements
size_t edit_distance(const std::string& a, const std::string& b);

// The candidate nearest to `name`; empty if none is close. At most two letters may be wrong, or a
// quarter of them if that is more; in a name of fewer than four letters, one. A letter in the wrong
// case does not count.
std::string nearest(const std::string& name, const std::vector<std::string>& candidates);
// " (did you mean softmax?)" or ""
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace slope
