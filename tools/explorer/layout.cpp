#include <slope/models/draw/graph_layout.h>
#include <slope/tools/explorer/layout.h>
#include <slope/tools/explorer/write.h>

namespace slope::explorer {

std::string layout(const Fields& fields) {
  const std::vector<double> ends = fields.numbers("arrows");
  SLOPE_CHECK_INPUT(ends.size() % 2 == 0, "layout: each arrow must have two ends, got {} numbers",
                    ends.size());
  std::vector<draw::Arrow> arrows;
  for (size_t i = 0; i < ends.size(); i += 2)
    arrows.push_back({static_cast<int64_t>(ends[i]), static_cast<int64_t>(ends[i + 1])});
  const draw::GraphLayout found =
      draw::layered_layout(fields.numbers("sizes"), arrows, fields.number("gap", 18));
  const auto bend = [](const draw::GraphLayout::Bend& b) {
    return fmt::format("[{}, {}]", b.layer, b.x);
  };
  return fmt::format(
      "{{\"layers\": {}, \"width\": {}, \"layer\": {}, \"middle\": {}, \"bends\": {}}}\n",
      found.layers, found.width,
      json_list(found.layer, [](int64_t l) { return std::to_string(l); }),
      json_list(found.x, [](double x) { return json(x); }),
      json_list(found.bends, [&](const auto& bends) { return json_list(bends, bend); }));
}

}  // namespace slope::explorer
