// ParameterList: parameters by number, printed like torch.nn.ParameterList. A member
// std::vector<Parameter> does the same, but is printed as ModuleList().
#pragma once

#include <slope/nn/module/module.h>

namespace slope::nn {

class ParameterList {
 public:
  ParameterList() = default;
  explicit ParameterList(const Tensors& values) {
    for (const Tensor& value : values) append(value);
  }
  void append(const Tensor& value) { items_.emplace_back(value); }

  size_t size() const { return items_.size(); }
  const Parameter& operator[](size_t i) const { return items_[i]; }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  ParameterList blank() const {
    ParameterList list;
    for (const Parameter& p : items_) list.append(p.detach().clone());
    return list;
  }

  ModuleState module_state;
  static constexpr const char* module_type() { return "ParameterList"; }
  void collect_fields(Fields& fields) const { add_items<Parameter>(&items_, fields); }
  std::string extra_repr() const {
    std::string lines;
    for (size_t i = 0; i < items_.size(); ++i) {
      std::string sizes;
      for (const int64_t size : items_[i].shape())
        sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
      lines += fmt::format("{}  ({}): Parameter containing: [torch.{} of size {}]",
                           i == 0 ? "" : "\n", i, name(items_[i].dtype()), sizes);
    }
    return lines;
  }

 private:
  std::vector<Parameter> items_;
};

}  // namespace slope::nn
