#include <slope/nn/summary/summary.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace slope::nn {

namespace {

// 1234567 -> "1,234,567"
std::string grouped(int64_t n) {
  std::string text = std::to_string(n);
  for (int64_t i = static_cast<int64_t>(text.size()) - 3; i > 0; i -= 3)
    text.insert(static_cast<size_t>(i), ",");
  return text;
}
std::string or_dashes(int64_t n) { return n == 0 ? "--" : grouped(n); }

// "│    └─Linear (fc1): 2-1", the first module at depth 2
std::string label(const LayerSummary& layer, int64_t index) {
  const std::string own = layer.name.substr(layer.name.rfind('.') + 1);
  std::string text;
  for (int64_t d = 1; d < layer.depth; ++d) text += "│    ";
  if (layer.depth > 0) text += layer.depth == 1 ? "├─" : "└─";
  text += layer.type;
  if (!own.empty()) text += fmt::format(" ({})", own);
  return layer.depth == 0 ? text : text + fmt::format(": {}-{}", layer.depth, index);
}

size_t width_of(const std::string& text) {  // in characters
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

using Row = std::array<std::string, 5>;

// Columns as wide as their widest entry; the first two flush left, numbers flush right.
std::string table(const std::vector<Row>& rows, size_t& width) {
  std::array<size_t, 5> widths{};
  for (const Row& row : rows)
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
  width = 0;
  for (const size_t w : widths) width += w + 2;
  width -= 2;
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t k = 0; k < row.size(); ++k) {
      const std::string blanks(widths[k] - width_of(row[k]), ' ');
      line += (k == 0 ? "" : "  ") + (k < 2 ? row[k] + blanks : blanks + row[k]);
    }
    text += line + "\n";
    if (&row == &rows[0]) text += std::string(width, '=') + "\n";
  }
  return text;
}

}  // namespace

std::string Summary::text() const {
  std::vector<Row> rows{
      {"Layer (type (name): depth-index)", "Output shape", "Param #", "Mult-adds", "Output bytes"}};
  std::vector<int64_t> index;
  for (const LayerSummary& layer : layers) {
    index.resize(std::max<size_t>(index.size(), static_cast<size_t>(layer.depth) + 1));
    const int64_t i = ++index[static_cast<size_t>(layer.depth)];
    rows.push_back({label(layer, i),
                    layer.output ? fmt::format("[{}]", fmt::join(*layer.output, ", ")) : "--",
                    or_dashes(layer.parameters), or_dashes(layer.multiply_adds),
                    or_dashes(layer.output_bytes)});
  }
  size_t width = 0;
  std::string text = table(rows, width);
  const std::string line = std::string(width, '=') + "\n";
  const auto megabytes = [](int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  text += line;
  text += fmt::format("Total params: {}\nTrainable params: {}\nNon-trainable params: {}\n",
                      grouped(parameters), grouped(trainable), grouped(parameters - trainable));
  text += fmt::format("Total mult-adds (M): {:.2f}\n", megabytes(multiply_adds)) + line;
  text += fmt::format(
      "Input size (MB): {:.2f}\nForward/backward pass size (MB): {:.2f}\n"
      "Params size (MB): {:.2f}\nEstimated Total Size (MB): {:.2f}\n",
      megabytes(input_bytes), megabytes(pass_bytes), megabytes(parameter_bytes),
      megabytes(input_bytes + pass_bytes + parameter_bytes));
  return text;
}

}  // namespace slope::nn
