#include <slope/core/text/json.h>
#include <slope/models/draw/svg.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slope::draw {

std::string number(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string to_hex(Color c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

std::string escape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view c = text.substr(0, std::max<size_t>(1, length));
    const bool forbidden =
        length == 0 ||
        (length == 1 && static_cast<unsigned char>(c[0]) < 32 && c[0] != '\t' && c[0] != '\n') ||
        c == "\xEF\xBF\xBE" || c == "\xEF\xBF\xBF";
    if (forbidden)
      out += "\xEF\xBF\xBD";
    else if (c == "&")
      out += "&amp;";
    else if (c == "<")
      out += "&lt;";
    else if (c == ">")
      out += "&gt;";
    else if (c == "\"")
      out += "&quot;";
    else
      out += c;
    text.remove_prefix(c.size());
  }
  return out;
}

namespace {

// Widths in units of the font size, roughly those of Helvetica.
double character_width(std::string_view c) {
  if (c.size() >= 3) return 1;  // Chinese, Japanese, symbols
  if (c.size() == 2) return 0.58;
  constexpr std::string_view narrow = "ijl.,:;|!'I[]()/ tf", wide = "mwMW@%—";
  if (narrow.find(c) != std::string_view::npos) return 0.3;
  if (wide.find(c) != std::string_view::npos) return 0.88;
  return c[0] >= 'A' && c[0] <= 'Z' ? 0.69 : 0.56;
}

}  // namespace

double text_width(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) {
    const std::string_view c = text.substr(0, std::max<size_t>(1, utf8_length(text)));
    width += character_width(c);
    text.remove_prefix(c.size());
  }
  return width * size;
}

std::string shorten(std::string_view text, double size, double width, Keep keep) {
  if (text_width(text, size) <= width) return std::string(text);
  std::vector<std::string_view> characters;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(characters.back().size()))
    characters.push_back(rest.substr(0, std::max<size_t>(1, utf8_length(rest))));
  if (keep == Keep::end) std::reverse(characters.begin(), characters.end());
  size_t bytes = 0;
  double used = size;  // the "…"
  for (std::string_view c : characters) {
    used += character_width(c) * size;
    if (used > width) break;
    bytes += c.size();
  }
  return keep == Keep::end ? "…" + std::string(text.substr(text.size() - bytes))
                           : std::string(text.substr(0, bytes)) + "…";
}

std::vector<double> nice_ticks(double low, double high, int count) {
  if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) return {low};
  const double rough = (high - low) / std::max(1, count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
  if (!(step > 0) || !std::isfinite(step)) return {low};  // the range is denormal, or too large
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9), steps = std::floor(high / step + 1e-9) - first;
  for (int k = 0; k <= steps; ++k) ticks.push_back((first + k) * step + 0.0);
  return ticks;
}

std::string tick_label(double value, double step) {
  // of the step's first digit; beside the axis is room for 6 decimals, or 9 digits before the point
  const double size = std::abs(value), power = std::floor(std::log10(step) + 1e-9);
  const int decimals = std::max(0, static_cast<int>(-power));
  if (size < step * 1e-6) return fmt::format("{:.{}f}", 0.0, decimals > 6 ? 0 : decimals);
  if (decimals <= 6 && size < 1e9) return fmt::format("{:.{}f}", value, decimals);
  return fmt::format("{:.{}e}", value,
                     std::clamp(static_cast<int>(std::log10(size) - power), 0, 16));
}

Svg::Svg(double width, double height, std::string_view title) {
  const std::string w = number(width), h = number(height);
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" role=\"img\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>{2}</title>\n<rect "
      "width=\"{0}\" height=\"{1}\" "
      "fill=\"#ffffff\"/>\n",
      w, h, escape(title));
}

void Svg::rect(double x, double y, double width, double height, std::string_view attributes,
               std::string_view tooltip) {
  text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}", number(x),
                       number(y), number(width), number(height), attributes);
  text_ += tooltip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escape(tooltip));
}

void Svg::line(Point a, Point b, std::string_view attributes) {
  text_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", number(a.x),
                       number(a.y), number(b.x), number(b.y), attributes);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view attributes) {
  text_ += "<polyline points=\"";
  for (const Point& p : points) text_ += number(p.x) + "," + number(p.y) + " ";
  if (!points.empty()) text_.pop_back();
  text_ += fmt::format("\" fill=\"none\" {}/>\n", attributes);
}

void Svg::circle(Point c, double radius, std::string_view attributes) {
  text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", number(c.x), number(c.y),
                       number(radius), attributes);
}

void Svg::path(std::string_view commands, std::string_view attributes) {
  text_ += fmt::format("<path d=\"{}\" {}/>\n", commands, attributes);
}

void Svg::text(Point at, std::string_view text, const TextStyle& style) {
  text_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"", number(at.x),
                       number(at.y), number(style.size), style.color);
  if (style.anchor != "start") text_ += fmt::format(" text-anchor=\"{}\"", style.anchor);
  if (style.bold) text_ += " font-weight=\"bold\"";
  if (style.turn != 0)
    text_ += fmt::format(" transform=\"rotate({} {} {})\"", number(style.turn), number(at.x),
                         number(at.y));
  text_ += fmt::format(">{}</text>\n", escape(text));
}

void Svg::raw(std::string_view element) { (text_ += element) += "\n"; }

}  // namespace slope::draw
