// Spelling: finds the name that was probably meant, for error messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slope {

// Levenshtein's: insertions, deletions and replacements
size_t edit_distance(const std::string& a, const std::string& b);

// The candidates nearest to `name`, several if they are equally near; none if none is close. At
// most two letters may be wrong, or a quarter of them if that is more; in a name of fewer than four
// letters, one. A letter in the wrong case does not count.
std::vector<std::string> nearest(const std::string& name,
                                 const std::vector<std::string>& candidates);
// " (did you mean softmax?)", " (did you mean sin or tan?)", or "" for none and for more than three
std::string did_you_mean(const std::vector<std::string>& meant);
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace slope
