// Some elements are right, others wrong. What the wrong ones suggest: if 0 in only one of the two
// derivatives, a mask; if their ratio is 1/2 or 1/3, uses that are not added; if at the beginning
// or end, the bounds of a loop; if on one side of a value of x, a branch; if only one, a tie or a
// guard.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace slope {

namespace {

struct Counted {
  int64_t right = 0, wrong = 0;
  int64_t lost = 0;      // 0 although the function changes
  int64_t extra = 0;     // not 0 although it does not change
  int64_t shares = 0;    // ratios 1/2, 1/3, …
  int64_t opposite = 0;  // ratio -1
  size_t first = 0;      // wrong element
};

Counted count(const Evidence& e) {
  Counted c;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const double a = e.analytic[i], n = e.numeric[i];
    if (!counts(e, i)) continue;
    if (is_near(a, n)) {
      ++c.right;
      continue;
    }
    if (c.wrong++ == 0) c.first = i;
    const bool is_lost = std::abs(a) <= 1e-4 * std::abs(n),
               is_extra = std::abs(n) <= 1e-4 * std::abs(a);
    c.lost += is_lost;
    c.opposite += is_near(a, -n);
    c.extra += is_extra;
    const double uses = n / a;
    c.shares += !is_lost && !is_extra && uses > 1.5 && uses < 33 && is_near(uses, std::round(uses));
  }
  return c;
}

// Along a dim: all elements before `right`, or all from `end` on, or both, are wrong, and no others
// are.
struct Ends {
  size_t dim;
  int64_t right, end;  // the first right index, and one past the last
  bool at_first, at_last;
};
std::optional<Ends> ends_of_a_dim(const Evidence& e) {
  for (size_t dim = 0; dim < e.shape.size(); ++dim) {
    int64_t first = e.shape[dim], last = -1;  // right ones
    for (size_t i = 0; i < e.numeric.size(); ++i)
      if (!is_wrong(e, i)) {
        const int64_t at = index_along(e.shape, dim, e.elements[i]);
        first = std::min(first, at);
        last = std::max(last, at);
      }
    Ends found{.dim = dim, .right = first, .end = last + 1, .at_first = false, .at_last = false};
    bool is_apart = last >= 0;
    for (size_t i = 0; i < e.numeric.size() && is_apart; ++i) {
      if (!is_wrong(e, i)) continue;
      const int64_t at = index_along(e.shape, dim, e.elements[i]);
      found.at_first |= at < first;
      found.at_last |= at > last;
      is_apart = at < first || at > last;
    }
    if (is_apart && (found.at_first || found.at_last)) return found;
  }
  return std::nullopt;
}

void guess_ends(const Evidence& e, bool should_be_zero, Guesses& guesses) {
  const auto ends = e.elements.size() == e.numeric.size() ? ends_of_a_dim(e) : std::nullopt;
  if (!ends) return;
  const auto [dim, right, end, at_first, at_last] = *ends;
  const bool is_chunk = (at_first ? right : end) % 8 == 0;
  const double weight = should_be_zero ? 0.8 : at_first && !at_last ? 0.7 : 0.88;
  const std::string where = at_first && at_last
                                ? fmt::format("at both ends, outside {} to {}", right, end - 1)
                            : at_last ? fmt::format("at the end, from index {}", end)
                                      : fmt::format("at the beginning, up to index {}", right - 1);
  guesses.push_back({is_chunk && !should_be_zero ? 0.92 : weight,
                     fmt::format("an edge: what a loop leaves out {} of dim {}", where, dim),
                     "all elements there are wrong, and no other"});
}

// The condition on x that holds at all wrong elements and at no right one, such as "x < 0"; empty
// if there is none, or too few elements to tell it from chance.
std::string side_of_wrong(const Evidence& e, const Counted& c) {
  if (c.wrong < 3 || c.right < 3 || e.x.size() != e.numeric.size()) return "";
  double right[]{INFINITY, -INFINITY}, wrong[]{INFINITY, -INFINITY};  // least and largest
  for (size_t i = 0; i < e.x.size(); ++i) {
    if (!counts(e, i)) continue;
    double* const range = is_wrong(e, i) ? wrong : right;
    range[0] = std::min(range[0], e.x[i]);
    range[1] = std::max(range[1], e.x[i]);
  }
  const auto text = [](char sign, double below, double above) {
    const bool is_zero = below < 0 && above > 0;
    return fmt::format("x {} {:.3g}", sign, is_zero ? 0.0 : (below + above) / 2);
  };
  if (wrong[1] < right[0]) return text('<', wrong[1], right[0]);
  if (wrong[0] > right[1]) return text('>', right[1], wrong[0]);
  return "";
}

// All wrong elements have the same ratio, and lie on one side of a value of x.
void guess_branch(const Evidence& e, const Counted& c, Guesses& guesses) {
  const std::string side = side_of_wrong(e, c);
  if (side.empty() || c.lost > 0 || c.extra > 0) return;
  double ratio = NAN;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    if (!counts(e, i) || !is_wrong(e, i)) continue;
    const double r = e.analytic[i] / e.numeric[i];
    if (std::isnan(ratio)) ratio = r;
    if (!is_near(r, ratio)) return;
  }
  const std::string reason = fmt::format("every ratio there is {:.6g}, others are right", ratio);
  if (is_near(ratio, -1))
    guesses.push_back(
        {0.94, fmt::format("a wrong sign where {}: a missing mask, or x in place of |x|", side),
         reason});
  else
    guesses.push_back({0.94, fmt::format("a wrong factor in the branch of {}", side), reason});
}

// Whether all ratios are r or 1/r, each more than once.
bool has_swapped_branches(const Evidence& e) {
  double r = NAN;
  int64_t straight = 0, inverse = 0;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    if (!counts(e, i)) continue;
    const double ratio = e.analytic[i] / e.numeric[i];
    if (std::isnan(r)) r = ratio;
    const bool is_straight = is_near(ratio, r), is_inverse = is_near(ratio, 1 / r);
    if (is_straight == is_inverse) return false;
    straight += is_straight;
    inverse += is_inverse;
  }
  return straight > 1 && inverse > 1;
}

}  // namespace

void guess_part(const Evidence& e, Guesses& guesses) {
  const Counted c = count(e);
  if (c.wrong == 0) return;
  const auto add = [&](double weight, const std::string& mistake, const std::string& reason) {
    guesses.push_back({weight, mistake, reason});
  };
  const auto of = [&](int64_t n) { return fmt::format("{} of {}", n, e.numeric.size()); };
  if (c.lost > 0 && c.extra > 0)
    add(0.9, "swapped operands, another mask, or the wrong index",
        fmt::format("{} are 0 and should not be, {} are not and should be", of(c.lost),
                    of(c.extra)));
  else if (c.extra == c.wrong)
    add(0.85,
        "a missing mask, guard or comparison: the function does not change with these elements",
        fmt::format("{} should be 0", of(c.extra)));
  else if (c.lost == c.wrong && c.right > 0)
    add(0.85, "a mask or comparison that leaves out too much, or a use that is not added",
        fmt::format("{} are 0 and should not be", of(c.lost)));
  if (c.shares == c.wrong && c.right > 0)
    add(0.9, "lost accumulation: where an element is used more than once, only one use counts",
        fmt::format("{} are 1/2, 1/3, … of what they should be, others right", of(c.shares)));
  if (c.right > 0 && c.lost == 0 && c.extra == 0)  // a few may be right by chance
    add(c.wrong > 9 * c.right ? 0.4 : 0.55,
        "lost accumulation (a repeated index, a second use), or a branch for some elements",
        fmt::format("{} are wrong, others right", of(c.wrong)));
  if (c.opposite == c.wrong && c.right > 0)
    add(0.93, "a missing mask, or a sign that should depend on the element",
        fmt::format("{} have the wrong sign, others are right", of(c.wrong)));
  guess_branch(e, c, guesses);
  if (has_swapped_branches(e))
    add(0.93, "the two branches of a mask or comparison are swapped", "ratios are r and 1/r");
  const size_t before = guesses.size();
  guess_ends(e, c.extra == c.wrong, guesses);
  if (guesses.size() == before && c.right > 0 && c.wrong == 1)
    add(0.5, fmt::format("ties, guards or an edge: element {} alone", e.elements[c.first]),
        fmt::format("it alone is wrong, of {}", e.numeric.size()));
}

}  // namespace slope
