#include <slope/core/error.h>
#include <slope/models/draw/graph_layout.h>

#include <algorithm>
#include <numeric>

namespace slope::draw {

namespace {

constexpr int ordering_rounds = 8, placing_rounds = 6;
// longer arrows are straight and cross whatever is in their way
constexpr int64_t longest_route = 64;
constexpr double route_width = 6;

// Positions p_i in increasing order, p_{i+1} - p_i >= (w_i + w_{i+1})/2 + gap, as close as possible
// to the desired ones:
//   min sum_i weight_i (p_i - wish_i)^2
// With p_i = q_i + (the room that all items before it need) this is isotonic regression: q must not
// decrease. Solved by pooling adjacent violators.
std::vector<double> place(const std::vector<double>& wish, const std::vector<double>& width,
                          const std::vector<double>& weight, double gap) {
  struct Pool {
    double mean, weight;
    size_t n;
  };
  std::vector<Pool> pools;
  std::vector<double> room(wish.size());
  for (size_t i = 0; i < wish.size(); ++i) {
    room[i] = i == 0 ? 0 : room[i - 1] + (width[i - 1] + width[i]) / 2 + gap;
    Pool pool{wish[i] - room[i], weight[i], 1};
    while (!pools.empty() && pools.back().mean > pool.mean) {
      const Pool& last = pools.back();
      pool = {(last.mean * last.weight + pool.mean * pool.weight) / (last.weight + pool.weight),
              last.weight + pool.weight, last.n + pool.n};
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  std::vector<double> p;
  for (const Pool& pool : pools)
    for (size_t k = 0; k < pool.n; ++k) p.push_back(pool.mean + room[p.size()]);
  return p;
}

// Both boxes and the bends of arrows are items of a layer.
class Layout {
 public:
  Layout(const std::vector<double>& widths, const std::vector<Arrow>& arrows, double gap)
      : boxes_(widths.size()), gap_(gap), width_(widths) {
    choose_layers(arrows);
    for (size_t i = 0; i < boxes_; ++i) put(i);
    up_.resize(boxes_), down_.resize(boxes_);
    for (const Arrow& a : arrows) route(a);
  }

  GraphLayout run() {
    order();
    move();
    GraphLayout result{.layer = {layer_.begin(), layer_.begin() + static_cast<int64_t>(boxes_)},
                       .x = {},
                       .bends = {},
                       .layers = static_cast<int64_t>(rows_.size())};
    double low = far, high = -far;
    for (size_t i = 0; i < x_.size(); ++i)
      low = std::min(low, x_[i] - width_[i] / 2), high = std::max(high, x_[i] + width_[i] / 2);
    result.width = boxes_ == 0 ? 0 : high - low;
    for (size_t i = 0; i < boxes_; ++i) result.x.push_back(x_[i] - low);
    for (const std::vector<size_t>& route : routes_) {
      auto& bends = result.bends.emplace_back();
      for (size_t i : route) bends.push_back({layer_[i], x_[i] - low});
    }
    return result;
  }

 private:
  static constexpr double far = 1e300;

  // A box's layer is the length of the longest path to it from the top; a box with nothing above it
  // moves down to just above the first box that reads it.
  void choose_layers(const std::vector<Arrow>& arrows) {
    layer_.assign(boxes_, 0);
    std::vector<bool> is_source(boxes_, true);
    std::vector<Arrow> by_target = arrows;
    std::stable_sort(by_target.begin(), by_target.end(),
                     [](const Arrow& a, const Arrow& b) { return a.to < b.to; });
    for (const Arrow& a : by_target) {
      SLOPE_CHECK_AS(UsageError,
                     a.from >= 0 && a.from < a.to && a.to < static_cast<int64_t>(boxes_),
                     "graph layout: the arrow {} -> {} does not go forwards", a.from, a.to);
      is_source[static_cast<size_t>(a.to)] = false;
    }
    for (const Arrow& a : by_target) layer(a.to) = std::max(layer(a.to), layer(a.from) + 1);
    std::vector<int64_t> first_reader(boxes_, INT64_MAX);
    for (const Arrow& a : arrows)
      first_reader[static_cast<size_t>(a.from)] =
          std::min(first_reader[static_cast<size_t>(a.from)], layer(a.to));
    for (size_t i = 0; i < boxes_; ++i)
      if (is_source[i] && first_reader[i] != INT64_MAX) layer_[i] = first_reader[i] - 1;
  }
  int64_t& layer(int64_t box) { return layer_[static_cast<size_t>(box)]; }

  void put(size_t item) {
    const auto row = static_cast<size_t>(layer_[item]);
    if (rows_.size() <= row) rows_.resize(row + 1);
    rows_[row].push_back(item);
  }

  void connect(size_t above, size_t below) {
    down_[above].push_back(below), up_[below].push_back(above);
  }

  void route(const Arrow& a) {
    auto& bends = routes_.emplace_back();
    auto last = static_cast<size_t>(a.from);
    const int64_t first = layer(a.from), end = layer(a.to);
    if (end - first <= longest_route)
      for (int64_t l = first + 1; l < end; ++l) {
        const size_t bend = layer_.size();
        layer_.push_back(l), width_.push_back(route_width), up_.emplace_back(),
            down_.emplace_back();
        put(bend), connect(last, bend), bends.push_back(bend);
        last = bend;
      }
    if (end - first <= longest_route) connect(last, static_cast<size_t>(a.to));
  }

  // Orders a layer's items by the mean position of their neighbours in the previous layer,
  // downwards and upwards in turn.
  void order() {
    std::vector<double> place(layer_.size());
    const auto number = [&](const std::vector<size_t>& row) {
      for (size_t k = 0; k < row.size(); ++k)
        place[row[k]] = (static_cast<double>(k) + 0.5) / static_cast<double>(row.size());
    };
    for (const auto& row : rows_) number(row);
    std::vector<double> wish(layer_.size());
    const auto arrange = [&](std::vector<size_t>& row,
                             const std::vector<std::vector<size_t>>& neighbours) {
      for (size_t i : row) wish[i] = mean(neighbours[i], place, place[i]);
      std::stable_sort(row.begin(), row.end(),
                       [&](size_t a, size_t b) { return wish[a] < wish[b]; });
      number(row);
    };
    for (int round = 0; round < ordering_rounds; ++round)
      if (round % 2 == 0)
        for (size_t l = 1; l < rows_.size(); ++l) arrange(rows_[l], up_);
      else
        for (size_t l = rows_.size(); l-- > 0;) arrange(rows_[l], down_);
  }

  // After order(): places each item as close as possible to the mean of the items below it, then of
  // those above it, in turn; the items above come last, so that chains are straight. Items with
  // nothing above them do not count in the mean of those above: they follow the items below them.
  void move() {
    x_.assign(layer_.size(), 0);
    for (const auto& row : rows_) adjust(row, [](size_t) { return Wish{0, 1}; });
    // bends weigh more, to keep long arrows straight
    const auto weight = [&](size_t i) { return i < boxes_ ? 1.0 : 3.0; };
    const auto above = [&](size_t i) { return Wish{mean(trunk(up_[i]), x_, x_[i]), weight(i)}; };
    const auto below = [&](size_t i) { return Wish{mean(down_[i], x_, x_[i]), weight(i)}; };
    for (int round = 0; round < placing_rounds; ++round) {
      for (size_t l = rows_.size(); l-- > 0;) adjust(rows_[l], below);
      for (const auto& row : rows_) adjust(row, above);
    }
    const auto settle = [&](size_t i) { return up_[i].empty() ? below(i) : Wish{x_[i], 1000}; };
    for (size_t l = rows_.size(); l-- > 0;) adjust(rows_[l], settle);
  }

  // The items with something above them, or all if none has.
  std::vector<size_t> trunk(const std::vector<size_t>& items) const {
    std::vector<size_t> some;
    for (size_t i : items)
      if (!up_[i].empty()) some.push_back(i);
    return some.empty() ? items : some;
  }

  struct Wish {
    double x, weight;
  };
  template <class F>
  void adjust(const std::vector<size_t>& row, F&& wish_of) {
    std::vector<double> x, width, weight;
    for (size_t i : row) {
      const Wish wish = wish_of(i);
      x.push_back(wish.x), width.push_back(width_[i]), weight.push_back(wish.weight);
    }
    const std::vector<double> p = place(x, width, weight, gap_);
    for (size_t k = 0; k < row.size(); ++k) x_[row[k]] = p[k];
  }

  static double mean(const std::vector<size_t>& items, const std::vector<double>& values,
                     double otherwise) {
    if (items.empty()) return otherwise;
    return std::accumulate(items.begin(), items.end(), 0.0,
                           [&](double sum, size_t i) { return sum + values[i]; }) /
           static_cast<double>(items.size());
  }

  const size_t boxes_;
  const double gap_;
  std::vector<double> width_;
  std::vector<int64_t> layer_;
  std::vector<std::vector<size_t>> rows_;       // the items of each layer from left to right
  std::vector<std::vector<size_t>> up_, down_;  // neighbours
  std::vector<std::vector<size_t>> routes_;     // the bends of each arrow
  std::vector<double> x_;
};

}  // namespace

GraphLayout layered_layout(const std::vector<double>& widths, const std::vector<Arrow>& arrows,
                           double gap) {
  return Layout(widths, arrows, gap).run();
}

}  // namespace slope::draw
