// The right numbers in the wrong places: transposed, reversed, shifted.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

// Whether analytic[i] = numeric[place(i)] for all i, and place(i) != i for some i.
bool is_moved(const Evidence& e, const std::function<size_t(size_t)>& place) {
  bool moved = false;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const size_t j = place(i);
    if (!is_near(e.analytic[i], e.numeric[j])) return false;
    moved |= j != i && !is_near(e.numeric[i], e.numeric[j]);
  }
  return moved;
}

// Whether both sides have the same numbers, most of them different from one another.
bool are_the_same_numbers(const Evidence& e) {
  std::vector<double> analytic = e.analytic, numeric = e.numeric;
  std::sort(analytic.begin(), analytic.end());
  std::sort(numeric.begin(), numeric.end());
  size_t different = 1;
  for (size_t i = 0; i < numeric.size(); ++i) {
    if (!is_near(analytic[i], numeric[i])) return false;
    different += i > 0 && !is_near(numeric[i], numeric[i - 1]);
  }
  return 2 * different > numeric.size();
}

}  // namespace

void guess_order(const Evidence& e, Guesses& guesses) {
  const size_t n = e.numeric.size(), rank = e.shape.size();
  if (n < 2 || static_cast<int64_t>(n) != numel(e.shape)) return;
  const auto add = [&](const std::string& mistake) {
    guesses.push_back({0.95, mistake, "the right numbers stand in other places"});
  };
  // the indices of an element, and back
  const auto index = [&](size_t i) {
    std::vector<size_t> at(rank);
    for (size_t d = rank; d-- > 0;) {
      at[d] = i % static_cast<size_t>(e.shape[d]);
      i /= static_cast<size_t>(e.shape[d]);
    }
    return at;
  };
  const auto element = [&](const std::vector<size_t>& at) {
    size_t i = 0;
    for (size_t d = 0; d < rank; ++d) i = i * static_cast<size_t>(e.shape[d]) + at[d];
    return i;
  };
  const size_t before = guesses.size();
  std::vector<size_t> wide;  // dims of more than one index: few, for few elements are checked
  for (size_t d = 0; d < rank; ++d)
    if (e.shape[d] > 1) wide.push_back(d);
  std::vector<size_t> order = wide;
  while (std::next_permutation(order.begin(), order.end())) {
    const auto keeps_shape = [&] {
      for (size_t d = 0; d < wide.size(); ++d)
        if (e.shape[wide[d]] != e.shape[order[d]]) return false;
      return true;
    };
    if (keeps_shape() && is_moved(e, [&](size_t i) {
          const auto from = index(i);
          auto at = from;
          for (size_t d = 0; d < wide.size(); ++d) at[wide[d]] = from[order[d]];
          return element(at);
        })) {
      std::string moved;
      for (size_t d = 0; d < wide.size(); ++d)
        if (order[d] != wide[d])
          moved += fmt::format("{}{}", moved.empty() ? "" : " and ", wide[d]);
      add(fmt::format("a missing or extra transposition of dims {}", moved));
      break;
    }
  }
  for (size_t a = 0; a < rank; ++a) {
    const auto size = static_cast<size_t>(e.shape[a]);
    if (is_moved(e, [&](size_t i) {
          auto at = index(i);
          at[a] = size - 1 - at[a];
          return element(at);
        }))
      add(fmt::format("dim {} in reverse", a));
    for (size_t shift = 1; shift < size; ++shift)
      if (is_moved(e, [&](size_t i) {
            auto at = index(i);
            at[a] = (at[a] + shift) % size;
            return element(at);
          }))
        add(fmt::format("a wrong index or order of pieces: dim {} is shifted by {}", a, shift));
  }
  if (guesses.size() == before && are_the_same_numbers(e))
    add("another order of elements: a wrong index, permutation or reshape");
}

}  // namespace slope
