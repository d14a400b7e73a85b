// Heat maps: several matrices of numbers from 0 to 1 with the same rows and columns (the heads of
// an attention layer), as panels of one figure.
#pragma once

#include <slope/models/draw/svg.h>

#include <cstdint>

namespace slope::draw {

struct Panel {
  std::string title;
  std::vector<float> values;  // row-major, rows x columns
};

struct HeatMaps {
  std::string title = {};
  std::vector<std::string> rows = {}, columns = {};  // labels
  std::string row_axis = {}, column_axis = {};       // what rows and columns are
  std::vector<Panel> panels = {};
};

// 0 is almost white, 1 dark; a larger value is darker
Color heat_color(double value);
// how many panels are side by side: a divisor of their number if one is near its square root
int64_t panel_columns(int64_t panels);
std::string to_svg(const HeatMaps& maps);  // ShapeError if a panel is not rows x columns

}  // namespace slope::draw
