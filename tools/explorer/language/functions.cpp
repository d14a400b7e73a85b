#include <slope/tools/explorer/language/functions.h>

namespace slope::explorer {

namespace {

using Shape = const Dims&;

void check_size(Shape shape) {
  constexpr int64_t most = 1 << 20;
  int64_t n = 1;
  for (const int64_t size : shape) {
    SLOPE_CHECK_SHAPE(size >= 0, "a size cannot be negative: {}", shape);
    n = size > 0 && n > most / size ? most + 1 : n * size;
  }
  SLOPE_CHECK_AS(MemoryError, n <= most, "a tensor of shape {} has more than {} elements", shape,
                 most);
}
template <class F>
Value make(const Arguments& a, const F& f) {
  const Dims shape = a.rest_as_dims();
  check_size(shape);
  return {f(shape, a.dtype())};
}

constexpr bool makes_leaf = true;

constexpr Function making[] = {
    {"randn", "sizes…",
     [](const Arguments& a) { return make(a, [](Shape s, DType t) { return randn(s, t); }); },
     makes_leaf},
    {"rand", "sizes…",
     [](const Arguments& a) { return make(a, [](Shape s, DType t) { return rand(s, t); }); },
     makes_leaf},
    {"zeros", "sizes…",
     [](const Arguments& a) { return make(a, [](Shape s, DType t) { return zeros(s, t); }); },
     makes_leaf},
    {"ones", "sizes…",
     [](const Arguments& a) { return make(a, [](Shape s, DType t) { return ones(s, t); }); },
     makes_leaf},
    {"full", "value, sizes…",
     [](const Arguments& a) {
       return make(a, [&](Shape s, DType t) { return full(s, a.number("value"), t); });
     },
     makes_leaf},
    {"arange", "n",
     [](const Arguments& a) {
       check_size({a.integer("n")});
       return Value{arange(0, static_cast<double>(a.integer("n")), 1, a.dtype())};
     },
     makes_leaf},
    {"linspace", "first, last, n",
     [](const Arguments& a) {
       check_size({a.integer("n")});
       return Value{linspace(a.number("first"), a.number("last"), a.integer("n"), a.dtype())};
     },
     makes_leaf},
    {"eye", "n",
     [](const Arguments& a) {
       check_size({a.integer("n"), a.integer("n")});
       return Value{eye(a.integer("n"), -1, a.dtype())};
     },
     makes_leaf},
    {"const", "x", [](const Arguments& a) { return Value{a.tensor("x").detach()}; }},
    {"integers", "x", [](const Arguments& a) { return Value{a.truncated("x")}; }},
};

}  // namespace

std::span<const Function> making_functions() { return making; }

namespace {
template <class F>
void for_each_list(const F& f) {
  for (const auto list : {making_functions(), elementwise_functions(), reducing_functions(),
                          shaping_functions(), product_functions()})
    for (const Function& function : list) f(function);
}
}  // namespace

const Function* find_function(const std::string& name) {
  const Function* found = nullptr;
  for_each_list([&](const Function& function) {
    if (name == function.name) found = &function;
  });
  return found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for_each_list([&](const Function& function) { names.emplace_back(function.name); });
  return names;
}

}  // namespace slope::explorer
