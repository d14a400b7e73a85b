#include <slope/core/text/spelling.h>

#include <fmt/ranges.h>

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

std::vector<std::string> nearest(const std::string& name,
                                 const std::vector<std::string>& candidates) {
  std::vector<std::string> best;
  // a swap of two letters counts as two edits
  const size_t too_many = 1 + (name.size() < 4 ? 1 : std::max<size_t>(2, name.size() / 4));
  std::pair<size_t, size_t> least(too_many, 0);  // ignoring case; then with case
  for (const std::string& c : candidates) {
    const std::pair edits(edit_distance(lower(name), lower(c)), edit_distance(name, c));
    if (edits.first >= name.size() || edits.first >= too_many || edits > least) continue;
    if (edits < least) best.clear();
    least = edits;
    if (std::find(best.begin(), best.end(), c) == best.end()) best.push_back(c);
  }
  return best;
}

std::string did_you_mean(const std::vector<std::string>& meant) {
  if (meant.empty() || meant.size() > 3) return "";  // of so many, none is probable
  return fmt::format(" (did you mean {}?)", fmt::join(meant, " or "));
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  return did_you_mean(nearest(name, candidates));
}

}  // namespace slope
