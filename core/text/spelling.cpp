#include <slope/core/text/spelling.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace slope {

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j)
      diagonal = std::exchange(
          row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])}));
  }
  return row.back();
}

static std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string nearest(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  // a swap of two letters counts as two edits
  const size_t too_many = 1 + (name.size() < 4 ? 1 : std::max<size_t>(2, name.size() / 4));
  std::pair<size_t, size_t> least(too_many, 0);  // ignoring case; then with case
  for (const std::string& c : candidates)
    if (const size_t d = edit_distance(lower(name), lower(c)), exact = edit_distance(name, c);
        d < name.size() && std::pair(d, exact) < least) {
      least = {d, exact};
      best = c;
    }
  return best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string meant = nearest(name, candidates);
  return meant.empty() ? "" : " (did you mean " + meant + "?)";
}

}  // namespace slope
