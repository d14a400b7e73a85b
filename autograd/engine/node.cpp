#include <slope/autograd/grad_mode.h>
#include <slope/autograd/node.h>

#include <cctype>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace slope {

// Freeing a node frees what it holds, which may be the last hold on the nodes before it: they queue
// here instead of nesting on the stack.
void Node::destroy(Node* node) {
  thread_local Node* queue = nullptr;
  thread_local bool draining = false;
  node->next_to_free = queue;
  queue = node;
  if (draining) return;
  draining = true;
  while (queue) delete std::exchange(queue, queue->next_to_free);
  draining = false;
}

AutogradMeta::~AutogradMeta() {
  if (retain_grad && node && node->hooks)
    std::erase_if(node->hooks->retain_grad,
                  [this](const auto& entry) { return entry.second == owner; });
}

void AutogradMeta::check_write() const {
  SLOPE_CHECK_AS(
      AutogradError, !grad_enabled() || !requires_grad,
      "write: this {} needs a gradient; write to it in a scope with NoGrad, or to its detach()",
      node ? "tensor" : "leaf");
}

std::string AutogradMeta::text() const {
  if (!node) return requires_grad ? "requires_grad=True" : "";
  std::string name;  // as PyTorch names it: masked_fill gives MaskedFillBackward0
  bool capital = true;
  for (const char c : std::string_view(node->op->name)) {
    if (c != '_')
      name += static_cast<char>(capital ? std::toupper(static_cast<unsigned char>(c)) : c);
    capital = c == '_';
  }
  return "grad_fn=<" + name + "Backward0>";
}

AutogradMeta* autograd_meta(const TensorImpl& x) {
  return static_cast<AutogradMeta*>(x.meta.get());
}
AutogradMeta* autograd_meta(const Tensor& x) { return autograd_meta(x.impl()); }

AutogradMeta& ensure_autograd_meta(const Tensor& x) {
  if (!x.impl().meta) {
    auto meta = std::make_unique<AutogradMeta>();
    meta->owner = &x.impl();
    x.impl().meta = std::move(meta);
  }
  return *autograd_meta(x);
}

Edge gradient_edge(const Tensor& x) {
  if (!x.defined()) return {};
  const AutogradMeta* meta = autograd_meta(x);
  if (!meta || !meta->requires_grad) return {};
  if (meta->node) return {meta->node, nullptr, meta->output};
  return {nullptr, Ref<TensorImpl>(&x.impl()), 0};
}

Ref<Node> gradient_node(const Tensor& x) {
  const AutogradMeta* meta = autograd_meta(x);
  return meta ? meta->node : Ref<Node>();
}

namespace {
thread_local const char* module_path = nullptr;
}
const char* current_module() { return module_path; }
void set_current_module(const char* path) { module_path = path; }
const char* intern_path(const std::string& path) {
  static std::mutex mutex;
  static auto* const paths = new std::unordered_set<std::string>;
  std::lock_guard lock(mutex);
  return paths->insert(path).first->c_str();
}

}  // namespace slope
