// Heat maps for a terminal: a cell is two characters, shaded ░▒▓█ from 0.05, 0.25, 0.5 and 0.75 on,
// or coloured if the terminal shows colours. Row labels are at the left, column labels are written
// downwards; panels are placed side by side as far as the width allows.
#pragma once

#include <slope/models/draw/heat_map.h>

namespace slope::draw {

struct TerminalOptions {
  bool color = false;  // 24-bit escape sequences: only for a terminal
  int64_t width = 100;
};

std::string to_text(const HeatMaps& maps, const TerminalOptions& options = {});

}  // namespace slope::draw
