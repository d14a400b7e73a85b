#include <slope/models/draw/graph_layout.h>
#include <slope/models/draw/graph_svg.h>

#include <fmt/format.h>

#include <algorithm>

namespace slope::draw {

namespace {

constexpr double name_size = 12.5, detail_size = 10, widest = 340, widest_module = 170,
                 layer_gap = 30, border = 24;
using Kind = GraphNode::Kind;

struct Style {
  const char *fill, *stroke;
};
Style style_of(Kind kind) {
  switch (kind) {
    case Kind::leaf: return {"#d3e8fb", "#6aa5da"};
    case Kind::output: return {"#d3f0c4", "#74b255"};
    default: return {"#eceff2", "#b3bac2"};
  }
}

// The text of a box: the name, and below that the output tensors, their numbers if they are few,
// and the node's module.
struct Lines {
  struct Line {
    std::string text;
    const char* color;
  };
  std::string name;
  std::vector<Line> below;
  explicit Lines(const GraphNode& node) : name(node.label()) {
    add(node.detail(), "#57606a");
    add(node.numbers(), "#1f2328");
    if (node.module != node.name)
      add(shorten(node.module, detail_size, widest_module, Keep::end), "#7d5bbe");
  }
  void add(const std::string& text, const char* color) {
    if (!text.empty()) below.push_back({text, color});
  }
  double width() const {
    double most = text_width(name, name_size);
    for (const Line& line : below) most = std::max(most, text_width(line.text, detail_size));
    return std::min(widest, 20 + most);
  }
  double height() const { return 25 + 13 * static_cast<double>(below.size()); }
};

std::string tooltip(const GraphNode& node) {
  std::string text = node.label() + " " + node.detail();
  if (const std::string numbers = node.numbers(); !numbers.empty()) text += "\n" + numbers;
  if (!node.module.empty()) text += "\n" + node.module;
  for (const auto& [name, value] : node.attributes) text += "\n" + name + " = " + value;
  if (node.saved_bytes > 0) text += fmt::format("\nsaves {} bytes for backward", node.saved_bytes);
  return text;
}

}  // namespace

std::string to_svg(const Graph& graph, const std::string& title) {
  std::vector<Lines> lines;
  std::vector<double> widths;
  for (const GraphNode& node : graph.nodes) widths.push_back(lines.emplace_back(node).width());
  std::vector<Arrow> arrows;
  for (const GraphEdge& e : graph.edges)
    if (arrows.empty() || arrows.back().from != e.from || arrows.back().to != e.to)
      arrows.push_back({e.from, e.to});
  const GraphLayout layout = layered_layout(widths, arrows, 16);

  const double top = title.empty() ? border : 58;
  // the height and the upper edge of each layer
  std::vector<double> height(static_cast<size_t>(layout.layers), 0), y(height.size(), top);
  for (size_t i = 0; i < lines.size(); ++i) {
    double& h = height[static_cast<size_t>(layout.layer[i])];
    h = std::max(h, lines[i].height());
  }
  for (size_t l = 1; l < y.size(); ++l) y[l] = y[l - 1] + height[l - 1] + layer_gap;
  const double bottom = y.empty() ? top : y.back() + height.back();

  Svg svg(std::max(layout.width, text_width(title, 17) * 1.3) + 2 * border, bottom + border,
          title.empty() ? "Graph of a computation" : title);
  svg.raw(
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\">"
      "<path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"#8c959f\"/></marker></defs>");
  if (!title.empty()) svg.text({border, 32}, title, {.size = 17, .bold = true});

  for (size_t a = 0; a < arrows.size(); ++a) {
    const auto from = static_cast<size_t>(arrows[a].from), to = static_cast<size_t>(arrows[a].to);
    // the middle of a box's upper (-1) or lower (1) edge
    const auto edge_of = [&](size_t box, double side) {
      const auto l = static_cast<size_t>(layout.layer[box]);
      return Point{border + layout.x[box], y[l] + height[l] / 2 + side * lines[box].height() / 2};
    };
    Point at = edge_of(from, 1);
    std::string commands = fmt::format("M{},{}", number(at.x), number(at.y));
    const auto curve_to = [&](Point p) {
      const std::string middle = number((at.y + p.y) / 2);
      commands += fmt::format(" C{},{} {},{} {},{}", number(at.x), middle, number(p.x), middle,
                              number(p.x), number(p.y));
      at = p;
    };
    for (const GraphLayout::Bend& bend : layout.bends[a]) {
      const auto l = static_cast<size_t>(bend.layer);
      curve_to({border + bend.x, y[l]});
      at.y = y[l] + height[l];
      commands += fmt::format(" V{}", number(at.y));
    }
    curve_to(edge_of(to, -1));
    svg.path(commands,
             "fill=\"none\" stroke=\"#8c959f\" stroke-width=\"1.1\" marker-end=\"url(#tip)\"");
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto l = static_cast<size_t>(layout.layer[i]);
    const double x = border + layout.x[i], h = lines[i].height(),
                 start = y[l] + height[l] / 2 - h / 2, room = widths[i] - 12;
    const Style style = style_of(graph.nodes[i].kind);
    svg.rect(x - widths[i] / 2, start, widths[i], h,
             fmt::format("rx=\"5\" fill=\"{}\" stroke=\"{}\"", style.fill, style.stroke),
             tooltip(graph.nodes[i]));
    svg.text({x, start + 17}, shorten(lines[i].name, name_size, room, Keep::end),
             {.size = name_size, .anchor = "middle"});
    double line_y = start + 31;
    for (const Lines::Line& line : lines[i].below) {
      svg.text({x, line_y}, shorten(line.text, detail_size, room),
               {.size = detail_size, .anchor = "middle", .color = line.color});
      line_y += 13;
    }
  }
  return svg.str();
}

}  // namespace slope::draw
