// Op::check: compares the inputs with the signature, "(*, in), (out, in), (out)? -> (*, out)". A
// name is bound to the first size that it meets, `*` takes any dims, `?` allows an undefined input,
// `...` repeats a pattern for all inputs that follow. Nothing is allocated or cached: parsing a
// short signature is cheaper than looking it up.
#include <slope/autograd/op.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace slope {

namespace {

struct Binding {
  std::string_view name;
  int64_t size;
  size_t input;  // where the name was first met
};

struct Bindings {
  Binding table[16];
  size_t count = 0;

  // The earlier binding of `name`; null if it is new, and then binds it to `size`.
  const Binding* find_or_bind(std::string_view name, int64_t size, size_t input) {
    for (size_t i = 0; i < count; ++i)
      if (table[i].name == name) return &table[i];
    SLOPE_CHECK(count < std::size(table), "a signature may name at most {} different sizes",
                std::size(table));
    table[count++] = {name, size, input};
    return nullptr;
  }
};

// A number in a signature is a fixed size.
std::optional<int64_t> as_number(std::string_view name) {
  int64_t number = 0;
  const char* end = name.data() + name.size();
  if (std::from_chars(name.data(), end, number).ptr != end) return std::nullopt;
  return number;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Cuts the first name off "in, out".
std::string_view take_first(std::string_view& names) {
  const size_t comma = names.find(',');
  const std::string_view name = names.substr(0, comma);
  names = comma == names.npos ? std::string_view() : names.substr(comma + 1);
  return trim(name);
}
// Cuts the last name off "in, out".
std::string_view take_last(std::string_view& names) {
  const size_t comma = names.rfind(',');
  const std::string_view name = comma == names.npos ? names : names.substr(comma + 1);
  names = comma == names.npos ? std::string_view() : names.substr(0, comma);
  return trim(name);
}

void check_input(const Op& op, std::initializer_list<InputRef> inputs, size_t input,
                 std::string_view pattern, Bindings& bindings) {
  const auto shape_of = [&](size_t i) -> const Dims& { return (*inputs.begin()[i]).shape(); };
  const Dims& shape = shape_of(input);
  const auto fail = [&](const std::string& why) {
    throw ShapeError(fmt::format("{}: input {} of shape {} does not fit ({}): {}", op.name, input,
                                 shape, pattern, why));
  };
  const auto match = [&](std::string_view name, int64_t size) {
    if (const auto number = as_number(name)) {
      if (*number != size) fail(fmt::format("{} instead of {}", size, *number));
    } else if (const Binding* b = bindings.find_or_bind(name, size, input); b && b->size != size) {
      fail(fmt::format("size {} is {} in input {} of shape {}", name, b->size, b->input,
                       shape_of(b->input)));
    }
  };
  std::string_view names = pattern;
  size_t front = 0, back = shape.size();
  bool any = false;
  while (!names.empty() && !any) {  // up to the `*`
    const std::string_view name = take_first(names);
    if (name == "*")
      any = true;
    else if (front == back)
      fail("too few dims");
    else
      match(name, shape[front++]);
  }
  while (!names.empty()) {
    const std::string_view name = take_last(names);
    if (front == back) fail("too few dims");
    match(name, shape[--back]);
  }
  if (!any && front != back) fail("too many dims");
}

}  // namespace

void Op::check(std::initializer_list<InputRef> inputs) const {
  std::string_view rest = signature, pattern;
  rest = rest.substr(0, rest.find("->"));
  Bindings bindings;
  bool repeats = false, optional = false;
  size_t i = 0;
  for (const InputRef& x : inputs) {
    if (!repeats) {
      const size_t open = rest.find('('), close = rest.find(')');
      SLOPE_CHECK_SHAPE(close != std::string_view::npos, "{}: takes fewer than {} inputs: {}", name,
                        i + 1, signature);
      pattern = rest.substr(open + 1, close - open - 1);
      rest = rest.substr(close + 1);
      optional = rest.starts_with('?');
      repeats = rest.starts_with("...");
    }
    SLOPE_CHECK_SHAPE(x->defined() || optional, "{}: input {} is undefined", name, i);
    if (x->defined()) check_input(*this, inputs, i, pattern, bindings);
    ++i;
  }
}

}  // namespace slope
