// InlineVector: moves between inline elements and the heap, for numbers, which are copied as one
// block, and for other types.
#include <doctest/doctest.h>
#include <slope/core/memory/inline_vector.h>

#include <string>

using namespace slope;

namespace {

template <class T>
using Three = InlineVector<T, 3>;

template <class T>
T element(int i);
template <>
int element(int i) {
  return 10 + i;
}
template <>
std::string element(int i) {
  return "an element that is too long for a string's own places: " + std::to_string(i);
}

template <class T>
Three<T> filled(int n) {
  Three<T> v;
  for (int i = 0; i < n; ++i) v.push_back(element<T>(i));
  return v;
}

template <class T>
bool holds(const Three<T>& v, int n) {
  if (v.size() != static_cast<size_t>(n)) return false;
  for (int i = 0; i < n; ++i)
    if (v[static_cast<size_t>(i)] != element<T>(i)) return false;
  return true;
}

}  // namespace

TEST_CASE_TEMPLATE(
    "inline_vector: copies, moves and assignments between all sizes keep the elements", T, int,
    std::string) {
  for (int from = 0; from <= 5; ++from) {
    const Three<T> source = filled<T>(from);
    CHECK(holds(Three<T>(source), from));
    CHECK(holds(Three<T>(source.begin(), source.end()), from));
    for (int to = 0; to <= 5; ++to) {
      Three<T> target = filled<T>(to), moved = filled<T>(from);
      CHECK((target == source) == (to == from));
      target = source;
      CHECK(holds(target, from));
      CHECK(target == source);
      target = filled<T>(to);
      target = std::move(moved);
      CHECK(holds(target, from));
      CHECK(moved.empty());
      moved = filled<T>(to);  // a moved-from vector can be used again
      CHECK(holds(moved, to));
    }
    Three<T> self = filled<T>(from);
    const Three<T>& alias = self;
    self = alias;
    CHECK(holds(self, from));
    CHECK(holds(source, from));
  }
}

TEST_CASE_TEMPLATE("inline_vector: resize fills with an element of its own, shrinks, and clears", T,
                   int, std::string) {
  Three<T> v = filled<T>(2);
  v.resize(6, v[1]);
  REQUIRE(v.size() == 6);
  for (size_t i = 1; i < 6; ++i) CHECK(v[i] == element<T>(1));
  v.resize(2);
  CHECK(holds(v, 2));
  v.insert(0, element<T>(7));
  CHECK(v[0] == element<T>(7));
  v.erase(0);
  CHECK(holds(v, 2));
  v.clear();
  CHECK(v.empty());
  CHECK(Three<T>(4, element<T>(3))[3] == element<T>(3));
}
