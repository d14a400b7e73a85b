// A figure of a model's decision boundary: labelled points over the probability that the model
// gives to label 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slope::draw {

struct LabelledPoint {
  double x, y;
  bool label;
};

struct Boundary {
  std::string title;
  std::vector<LabelledPoint> points = {};
  double left = 0, right = 1, bottom = 0, top = 1;  // what is shown
  int64_t columns = 96, rows = 64;                  // of the grid
  std::vector<double> probabilities = {};  // (rows, columns) of label 1, the lowest row first

  void fit();  // shows all points with a margin
  // x, y of the middle of each cell, in the order of `probabilities`
  std::vector<float> grid() const;
};

std::string to_svg(const Boundary& boundary);

}  // namespace slope::draw
