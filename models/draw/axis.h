// Axis: the range of one coordinate, linear or logarithmic, with ticks at round numbers.
#pragma once

#include <string>
#include <vector>

namespace slope::draw {

struct Tick {
  double value;
  std::string label;
};

class Axis {
 public:
  explicit Axis(bool logarithmic = false) : logarithmic_(logarithmic) {}

  bool shows(double value) const;  // finite, and positive on a logarithmic axis
  void add(double value);          // widens the range to include a value that the axis shows
  bool is_empty() const { return !(high_ >= low_); }
  // Adds a share of the length on both sides; an empty range becomes one of length 1.
  void widen(double share);

  double share(double value) const;  // where a value is: 0 at the low end, 1 at the high end
  std::vector<Tick> ticks(int count) const;  // about `count`

 private:
  double scaled(double value) const;
  std::vector<Tick> powers_of_ten(int count) const;

  bool logarithmic_;
  double low_ = 1, high_ = 0;  // scaled: logarithms on a logarithmic axis
};

}  // namespace slope::draw
