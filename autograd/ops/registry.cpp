// The registry: the table of autograd/ops/list.h. Operations do not register themselves, because
// the linker drops unreferenced objects of a static archive.
#include <slope/autograd/ops.h>

#include <algorithm>
#include <string_view>

namespace slope {

namespace ops {
#define SLOPE_OP(name) extern const Op name;
#include <slope/autograd/ops/list.h>
}  // namespace ops

namespace {

constexpr const Op* table[] = {
#define SLOPE_OP(name) &ops::name,
#include <slope/autograd/ops/list.h>
};

}  // namespace

std::span<const Op* const> registry() { return table; }

const Op* find_op(const std::string& name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Op* op) { return std::string_view(op->name) == name; });
  return found == std::end(table) ? nullptr : *found;
}

}  // namespace slope
