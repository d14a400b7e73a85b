// ParameterDict: parameters by name, in the order of insertion, like torch.nn.ParameterDict.
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/core/text/spelling.h>
#include <slope/nn/module/module.h>

#include <algorithm>

namespace slope::nn {

class ParameterDict {
 public:
  ParameterDict() = default;
  explicit ParameterDict(const NamedTensors& values) {
    for (const auto& [name, value] : values) insert(name, value);
  }
  // UsageError if the name is taken, empty or has a dot
  void insert(const std::string& name, const Tensor& value) {
    SLOPE_CHECK_AS(UsageError, !name.empty() && name.find('.') == name.npos && !contains(name),
                   "ParameterDict: '{}' is empty, has a dot or is taken; use another name", name);
    items_.emplace_back(name, Parameter(value));
  }

  size_t size() const { return items_.size(); }
  bool contains(const std::string& name) const {
    return std::any_of(items_.begin(), items_.end(),
                       [&](const auto& item) { return item.first == name; });
  }
  const Parameter& operator[](const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& item : items_) {
      if (item.first == name) return item.second;
      known.push_back(item.first);
    }
    throw UsageError(fmt::format("ParameterDict: has no {}{}", name, did_you_mean(name, known)));
  }
  auto begin() const { return items_.begin(); }  // pairs of name and parameter
  auto end() const { return items_.end(); }
  ParameterDict blank() const {
    ParameterDict dict;
    for (const auto& [name, p] : items_) dict.insert(name, p.detach().clone());
    return dict;
  }

  ModuleState module_state;
  static constexpr const char* module_type() { return "ParameterDict"; }
  void collect_fields(Fields& fields) const {
    for (const auto& [name, p] : items_) add_field(fields, name, p);
  }
  std::string extra_repr() const {
    std::string lines;
    for (const auto& [name, p] : items_) {
      std::string sizes;
      for (const int64_t size : p.shape())
        sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
      lines += fmt::format("{}  ({}): Parameter containing: [torch.{} of size {}]",
                           lines.empty() ? "" : "\n", name,
                           p.dtype() == f64 ? "DoubleTensor" : "FloatTensor", sizes);
    }
    return lines;
  }

 private:
  std::vector<std::pair<std::string, Parameter>> items_;
};

}  // namespace slope::nn
