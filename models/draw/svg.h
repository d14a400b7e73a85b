// Svg: writes a drawing as SVG. The same calls give the same bytes everywhere: numbers are rounded
// to 1/100 and written independently of the locale. Coordinates are pixels, y downwards.
// Attributes, such as `fill="#eee" stroke="#333"`, give the look of a shape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slope::draw {

struct Point {
  double x, y;
};
struct Color {
  int r, g, b;
};

std::string number(double value);  // at most 2 decimals: "12.5", "0"; "0" if it is not finite
std::string to_hex(Color color);   // "#1f77b4"
// for text and attributes; characters that XML forbids become U+FFFD
std::string escape(std::string_view text);
double text_width(std::string_view text, double size);  // in a sans-serif font, approximately
enum class Keep { start, end };
// the text, or its start or end with "…" if it is wider than `width`
std::string shorten(std::string_view text, double size, double width, Keep keep = Keep::start);
// about `count` multiples of 1, 2 or 5 times 10^k in [low, high]
std::vector<double> nice_ticks(double low, double high, int count);
std::string tick_label(double value, double step);  // with as many decimals as the step needs

struct TextStyle {
  double size = 12;
  std::string_view anchor = "start";  // what is at the point: the text's start, middle or end
  std::string_view color = "#24292f";
  double turn = 0;  // degrees clockwise about the point
  bool bold = false;
};

class Svg {
 public:
  // white background, with the title for screen readers
  Svg(double width, double height, std::string_view title);
  void rect(double x, double y, double width, double height, std::string_view attributes,
            std::string_view tooltip = {});
  void line(Point from, Point to, std::string_view attributes);
  void polyline(const std::vector<Point>& points, std::string_view attributes);
  void circle(Point center, double radius, std::string_view attributes);
  void path(std::string_view commands, std::string_view attributes);
  void text(Point at, std::string_view text, const TextStyle& style = {});
  void raw(std::string_view element);  // anything else, unchanged
  std::string str() const { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

}  // namespace slope::draw
