#include <slope/core/error.h>
#include <slope/core/text/visible.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/draw/terminal_map.h>

#include <fmt/format.h>

#include <algorithm>

namespace slope::draw {

namespace {

constexpr size_t longest_label = 14;

std::u32string label(const std::string& text) {
  std::u32string characters = data::decode_utf8(visible(text));
  if (characters.size() > longest_label) characters.resize(longest_label - 1), characters += U'…';
  return characters;
}

std::vector<std::u32string> labels(const std::vector<std::string>& texts, size_t& longest) {
  std::vector<std::u32string> all;
  longest = 0;
  for (const std::string& text : texts)
    longest = std::max(longest, all.emplace_back(label(text)).size());
  return all;
}

std::string cell(float value, bool color) {
  if (color) {
    const Color c = heat_color(value);
    return fmt::format("\x1b[48;2;{};{};{}m  \x1b[0m", c.r, c.g, c.b);
  }
  return value >= 0.75f   ? "██"
         : value >= 0.5f  ? "▓▓"
         : value >= 0.25f ? "▒▒"
         : value >= 0.05f ? "░░"
                          : "  ";
}

}  // namespace

std::string to_text(const HeatMaps& maps, const TerminalOptions& options) {
  const size_t R = maps.rows.size(), C = maps.columns.size(), P = maps.panels.size();
  for (const Panel& panel : maps.panels)
    SLOPE_CHECK_SHAPE(panel.values.size() == R * C,
                      "heat map: {} values are not {} rows x {} columns", panel.values.size(), R,
                      C);
  size_t margin, depth;
  const auto rows = labels(maps.rows, margin), columns = labels(maps.columns, depth);
  const size_t panel_width = std::max<size_t>(2 * C, 8),
               room = static_cast<size_t>(std::max<int64_t>(0, options.width));
  const size_t across =
      std::max<size_t>(1, room > margin + 1 ? (room - margin - 1) / (panel_width + 2) : 1);

  std::string text = maps.title.empty() ? "" : visible(maps.title) + "\n";
  // part(panel) appends panel_width characters
  const auto line = [&](size_t first, const std::u32string& row_label, auto&& part) {
    text += std::string(margin - row_label.size(), ' ') + data::encode_utf8(row_label) + " ";
    for (size_t p = first; p < std::min(first + across, P); ++p) {
      if (p > first) text += "  ";
      part(p);
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  };
  const std::string fill(panel_width - 2 * C, ' ');
  for (size_t first = 0; first < P; first += across) {
    line(first, U"", [&](size_t p) {
      std::u32string title = data::decode_utf8(maps.panels[p].title);
      title.resize(panel_width, U' ');
      text += data::encode_utf8(title);
    });
    for (size_t r = 0; r < R; ++r)
      line(first, rows[r], [&](size_t p) {
        for (size_t c = 0; c < C; ++c)
          text += cell(maps.panels[p].values[r * C + c], options.color);
        text += fill;
      });
    for (size_t k = 0; k < depth; ++k)
      line(first, U"", [&](size_t) {
        for (const std::u32string& column : columns)
          text += (k < column.size() ? data::encode_utf8(column.substr(k, 1)) : " ") + " ";
        text += fill;
      });
    text += "\n";
  }
  return text;
}

}  // namespace slope::draw
