#include <slope/tools/explorer/language/arguments.h>

#include <cmath>

namespace slope::explorer {

namespace {

struct Parameter {
  std::string name;
  bool is_needed;
};

// "x, dim = -1, sizes…" -> x (needed), dim and sizes…
std::vector<Parameter> parameters_in(std::string_view parameters) {
  std::vector<Parameter> all;
  while (!parameters.empty()) {
    const size_t comma = std::min(parameters.find(','), parameters.size());
    std::string_view one = parameters.substr(0, comma);
    parameters.remove_prefix(std::min(comma + 1, parameters.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    const std::string_view name = one.substr(0, one.find(" ="));
    all.push_back({std::string(name), name == one && !name.ends_with("…")});
  }
  return all;
}

}  // namespace

void Arguments::add(size_t position, const std::string& name, Value value) {
  const std::vector<Parameter> all = parameters_in(parameters_);
  const bool takes_more = !all.empty() && all.back().name.ends_with("…");
  if (name.empty() && takes_more && position + 1 >= all.size()) {
    rest_.push_back(std::move(value));
    return;
  }
  const bool is_known = name.empty()
                            ? position < all.size()
                            : std::any_of(all.begin(), all.end(),
                                          [&](const Parameter& one) { return one.name == name; });
  if (!is_known)
    throw Fault("name",
                name.empty() ? fmt::format("{}({}) takes no further value", function_, parameters_)
                             : fmt::format("{}({}) takes no {}", function_, parameters_, name),
                value.place);
  const std::string& parameter = name.empty() ? all[position].name : name;
  const Place place = value.place;
  if (!given_.emplace(parameter, std::move(value)).second)
    throw Fault("name", fmt::format("{}: {} is given twice", function_, parameter), place);
}

void Arguments::check_complete() const {
  for (const Parameter& one : parameters_in(parameters_))
    if (one.is_needed) (void)value(one.name.c_str());
}

const Value& Arguments::value(const char* name) const {
  const auto found = given_.find(name);
  SLOPE_CHECK_AS(UsageError, found != given_.end(), "{}({}): {} is missing", function_, parameters_,
                 name);
  return found->second;
}

void Arguments::refuse(const Value& value, const char* name, const char* wanted) const {
  throw Fault("DTypeError",
              fmt::format("{}: {} has to be {}, got {}", function_, name, wanted, described(value)),
              value.place);
}

Tensor Arguments::tensor(const char* name) const { return tensor_of(value(name), dtype_); }
Tensor Arguments::tensor_or_none(const char* name) const {
  return has(name) ? tensor(name) : Tensor();
}
Tensor Arguments::integers(const char* name) const {
  const Value& given = value(name);
  const Tensor x = tensor_of(given, f64).detach();
  if (!is_floating(x.dtype())) return x.to(i64);
  std::vector<double> numbers = x.to_vector();
  for (double& number : numbers) {
    const double nearest = std::round(number);
    if (!(std::abs(number) <= 0x1p53) || (number != nearest && !rounds_integers_))
      refuse({number, given.place}, name, "integers");
    number = nearest;
  }
  return from_vector(numbers, x.shape()).to(i64);
}
Tensor Arguments::truncated(const char* name) const {
  return tensor_of(value(name), f64).detach().to(i64);
}
Tensor Arguments::truths(const char* name) const {
  const Tensor x = tensor_of(value(name), f32);
  return x.dtype() == boolean ? x : x.detach() != 0.0;
}
Tensors Arguments::tensors(const char* name) const {
  const Value& list = value(name);
  const auto* values = std::get_if<Values>(&list.of);
  if (!values) refuse(list, name, "a list of tensors");
  Tensors tensors;
  for (const Value& v : *values) tensors.push_back(tensor_of(v, dtype_));
  return tensors;
}

double Arguments::number(const char* name) const {
  const Value& v = value(name);
  if (const auto* number = std::get_if<double>(&v.of)) return *number;
  refuse(v, name, "a number");
}
double Arguments::number(const char* name, double otherwise) const {
  return has(name) ? number(name) : otherwise;
}

int64_t Arguments::integer_of(const Value& v, const char* name) const {
  const auto* number = std::get_if<double>(&v.of);
  if (!number || *number != std::floor(*number) || std::abs(*number) > 0x1p53)
    refuse(v, name, "an integer");
  return static_cast<int64_t>(*number);
}
int64_t Arguments::integer(const char* name) const { return integer_of(value(name), name); }
int64_t Arguments::integer(const char* name, int64_t otherwise) const {
  return has(name) ? integer(name) : otherwise;
}

bool Arguments::truth(const char* name, bool otherwise) const {
  if (!has(name)) return otherwise;
  const Value& v = value(name);
  if (const auto* truth = std::get_if<bool>(&v.of)) return *truth;
  refuse(v, name, "true or false");
}

std::string Arguments::text(const char* name) const {
  const Value& v = value(name);
  if (const auto* text = std::get_if<std::string>(&v.of)) return *text;
  refuse(v, name, "a text");
}
std::string Arguments::text(const char* name, const std::string& otherwise) const {
  return has(name) ? text(name) : otherwise;
}

Dims Arguments::dims(const char* name) const {
  Dims dims;
  const Value& v = value(name);
  if (const auto* list = std::get_if<Values>(&v.of))
    for (const Value& one : *list) dims.push_back(integer_of(one, name));
  else
    dims.push_back(integer_of(v, name));
  return dims;
}

Dims Arguments::dims_or_none(const char* name) const { return has(name) ? dims(name) : Dims(); }

Dims Arguments::rest_as_dims() const {
  Dims shape;
  for (const Value& v : rest_) shape.push_back(integer_of(v, "a size"));
  return shape;
}

}  // namespace slope::explorer
