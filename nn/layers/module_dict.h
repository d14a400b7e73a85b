// ModuleDict: modules of any types by name, in the order of insertion, like torch.nn.ModuleDict:
//   blocks = ModuleDict::of(std::pair{"encode", Linear(3, 4)}, std::pair{"activate", ReLU()});
//   y = blocks["activate"](blocks["encode"](x));
#pragma once

#include <slope/core/text/spelling.h>
#include <slope/nn/layers/module_list.h>

namespace slope::nn {

class ModuleDict {
 public:
  ModuleDict() = default;
  template <class... Ts>
  static ModuleDict of(std::pair<const char*, Ts>... entries) {
    ModuleDict dict;
    (dict.insert(entries.first, std::move(entries.second)), ...);
    return dict;
  }
  // UsageError if the name is taken, empty or has a dot
  void insert(std::string name, AnyModule module) {
    SLOPE_CHECK_AS(UsageError, !name.empty() && name.find('.') == name.npos && !contains(name),
                   "ModuleDict: '{}' is empty, has a dot or is taken; use another name", name);
    items_.emplace_back(std::move(name), std::move(module));
  }

  size_t size() const { return items_.size(); }
  bool contains(const std::string& name) const { return find(name) != nullptr; }
  const AnyModule& operator[](const std::string& name) const {
    if (const AnyModule* found = find(name)) return *found;
    std::vector<std::string> known;
    for (const auto& item : items_) known.push_back(item.first);
    throw UsageError(fmt::format("ModuleDict: has no {}{}", name, did_you_mean(name, known)));
  }
  auto begin() const { return items_.begin(); }  // pairs of name and module
  auto end() const { return items_.end(); }
  ModuleDict blank() const {
    ModuleDict dict;
    for (const auto& [name, module] : items_) dict.insert(name, module.blank());
    return dict;
  }

  ModuleState module_state;
  static constexpr const char* module_type() { return "ModuleDict"; }
  void collect_fields(Fields& fields) const {
    for (const auto& [name, module] : items_) add_field(fields, name, module);
  }

 private:
  const AnyModule* find(const std::string& name) const {
    for (const auto& item : items_)
      if (item.first == name) return &item.second;
    return nullptr;
  }
  std::vector<std::pair<std::string, AnyModule>> items_;
};

}  // namespace slope::nn
