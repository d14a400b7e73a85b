#include <slope/autograd/gradcheck/watch/calls.h>
#include <slope/core/module_path.h>

#include <algorithm>

namespace slope {

std::string place(const Op& op, const char* module) {
  return module ? fmt::format("{} in module {}", op.name, module) : op.name;
}

std::string Call::place() const {
  return rule ? fmt::format("{} in the rule of {}", op->name, rule->name)
              : slope::place(*op, module);
}

void Calls::recorded(const Recorded& made) {
  Call call{.op = &made.op,
            .module = current_module(),
            .rule = rules_.empty() ? nullptr : rules_.back(),
            .node = made.outputs.empty() ? nullptr : made.node,
            .inputs = {},
            .outputs = {made.outputs.begin(), made.outputs.end()}};
  for (const InputRef& x : made.inputs) call.inputs.push_back(*x);
  list.push_back(std::move(call));
}
void Calls::node_begins(const Node& node, std::span<const Tensor>) { rules_.push_back(node.op); }
void Calls::rule_ended(const Node&) { rules_.pop_back(); }

const Call* Calls::maker_of(const Tensor& y) const {
  for (auto call = list.rbegin(); call != list.rend(); ++call)
    if (std::any_of(call->outputs.begin(), call->outputs.end(),
                    [&](const Tensor& output) { return output.is_same(y); }))
      return &*call;
  return nullptr;
}

}  // namespace slope
