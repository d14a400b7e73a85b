// Ends a text, as it is written, at the first occurrence of `stop`. What may begin `stop` is held
// back until more text decides.
#pragma once

#include <algorithm>
#include <string>

namespace slope::train {

class StopText {
 public:
  explicit StopText(std::string stop) : stop_(std::move(stop)) {}  // empty: none

  // The part of the text that can be given out.
  std::string push(const std::string& piece) {
    if (stop_.empty()) return piece;
    held_ += piece;
    const size_t found = held_.find(stop_);
    reached_ = found != held_.npos;
    const size_t certain = reached_ ? found : held_.size() - begun();
    std::string given = held_.substr(0, certain);
    held_.erase(0, reached_ ? held_.npos : certain);
    return given;
  }
  bool reached() const { return reached_; }
  std::string finish() { return std::move(held_); }

 private:
  size_t begun() const {  // bytes at the end that begin `stop`
    size_t n = std::min(held_.size(), stop_.size() - 1);
    while (!held_.ends_with(std::string_view(stop_).substr(0, n))) --n;
    return n;
  }

  std::string stop_, held_;
  bool reached_ = false;
};

}  // namespace slope::train
