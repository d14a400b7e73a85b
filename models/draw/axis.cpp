#include <slope/models/draw/axis.h>
#include <slope/models/draw/svg.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slope::draw {

bool Axis::shows(double value) const {
  constexpr double largest = 1e300;  // the difference of two beyond it may be infinite
  return std::abs(value) < largest && (value > 0 || !logarithmic_);
}

double Axis::scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }

void Axis::add(double value) {
  const double v = scaled(value);
  const bool first = is_empty();
  low_ = first ? v : std::min(low_, v);
  high_ = first ? v : std::max(high_, v);
}

void Axis::widen(double share) {
  if (is_empty()) low_ = 0, high_ = 1;
  if (high_ == low_) {
    const double around = 0.5 * (logarithmic_ || low_ == 0 ? 1 : std::abs(low_));
    low_ -= around;
    high_ += around;
  }
  const double margin = share * (high_ - low_);
  low_ -= margin;
  high_ += margin;
}

double Axis::share(double value) const { return (scaled(value) - low_) / (high_ - low_); }

// 1, 10, 100, …, also 2 and 5 times these if there is room; only every few powers if there are
// many.
std::vector<Tick> Axis::powers_of_ten(int count) const {
  const double decades = high_ - low_;
  const int every = std::max(1, static_cast<int>(std::ceil(decades / count)));
  const std::vector<int> digits =
      3 * decades <= count ? std::vector<int>{1, 2, 5} : std::vector<int>{1};
  std::vector<Tick> ticks;
  for (int power = static_cast<int>(std::floor(low_)); power <= high_; ++power)
    for (const int digit : digits) {
      const double value = digit * std::pow(10.0, power), at = std::log10(value);
      if (power % every == 0 && at >= low_ - 1e-9 && at <= high_ + 1e-9)
        ticks.push_back({value, fmt::format("{:g}", value)});
    }
  return ticks;
}

std::vector<Tick> Axis::ticks(int count) const {
  if (logarithmic_) {
    std::vector<Tick> ticks = powers_of_ten(count);
    if (ticks.size() >= 2) return ticks;
  }
  // a log axis within one decade: multiples of a round number, unevenly spaced
  const auto end = [&](double at) { return logarithmic_ ? std::pow(10, at) : at; };
  const std::vector<double> values = nice_ticks(end(low_), end(high_), count);
  const double step = values.size() > 1 ? values[1] - values[0] : 1;
  std::vector<Tick> ticks;
  for (const double v : values)
    if (shows(v)) ticks.push_back({v, tick_label(v, step)});
  return ticks;
}

}  // namespace slope::draw
