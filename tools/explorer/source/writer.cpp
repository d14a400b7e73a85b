#include <slope/tools/explorer/source/identifier.h>
#include <slope/tools/explorer/source/writer.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace slope::explorer {

namespace {

bool is_operator(const std::string& function) {
  return !std::isalpha(static_cast<unsigned char>(function[0]));
}

const std::string_view stops = ",)}[] ";

// The text of a group that begins at form[at] = '[', without its brackets.
std::string_view group_at(std::string_view form, size_t at) {
  size_t end = at + 1;
  for (int depth = 1; depth > 0; ++end) depth += (form[end] == '[') - (form[end] == ']');
  return form.substr(at + 1, end - at - 2);
}

// "$dim:int=-1" -> dim
std::string parameter(std::string_view argument) {
  size_t end = 1;
  while (end < argument.size() &&
         (std::isalnum(static_cast<unsigned char>(argument[end])) || argument[end] == '_'))
    ++end;
  return std::string(argument.substr(1, end - 1));
}

const char* cpp_name(DType dtype) {
  return dtype == f32 ? "f32" : dtype == f64 ? "f64" : dtype == i64 ? "i64" : "boolean";
}

bool has_given(std::string_view group, const Evaluated& e) {
  for (size_t at = group.find('$'); at != group.npos; at = group.find('$', at + 1))
    if (e.arguments.contains(parameter(group.substr(at)))) return true;
  return false;
}

}  // namespace

const std::string* Writer::name_of(const Tensor& x) const {
  for (const auto& [tensor, name] : names_)
    if (tensor.is_same(x)) return &name;
  return nullptr;
}

const std::string& Writer::give_name(const Tensor& x, const std::string& wanted) {
  std::string name = identifier(wanted);
  const auto is_taken = [&](const auto& named) { return named.second == name; };
  while (std::ranges::any_of(names_, is_taken)) name += '_';
  return names_.emplace_back(x, name).second;
}

// ---- values

std::string Writer::number(double x) const {
  if (std::isnan(x)) return is_cpp_ ? "NAN" : "float('nan')";
  if (std::isinf(x))
    return fmt::format(fmt::runtime(is_cpp_ ? "{}INFINITY" : "float('{}inf')"), x < 0 ? "-" : "");
  std::string text = dtype_ == f32 && static_cast<double>(static_cast<float>(x)) == x
                         ? fmt::format("{}", static_cast<float>(x))
                         : fmt::format("{}", x);
  return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

std::string Writer::truth(bool x) const {
  if (is_cpp_) return x ? "true" : "false";
  return x ? "True" : "False";
}

std::string Writer::list_of(const std::vector<std::string>& parts) const {
  return fmt::format(fmt::runtime(is_cpp_ ? "{{{}}}" : "[{}]"), fmt::join(parts, ", "));
}

std::string Writer::elements(const Tensor& x, size_t dim, int64_t& at,
                             const std::vector<double>& all) const {
  if (dim == x.shape().size()) {
    const double value = all[static_cast<size_t>(at++)];
    if (x.dtype() == boolean) return truth(value != 0);
    return x.dtype() == i64 ? fmt::format("{:.0f}", value) : number(value);
  }
  std::vector<std::string> parts;
  for (int64_t i = 0; i < x.size(static_cast<int64_t>(dim)); ++i)
    parts.push_back(elements(x, dim + 1, at, all));
  return list_of(parts);
}

std::string Writer::literal(const Tensor& x) const {
  constexpr int64_t most = 4096;
  if (x.numel() > most)
    throw Fault("limit",
                fmt::format("a tensor of {} numbers is too large to be written out; at most {}",
                            x.numel(), most),
                {});
  if (x.numel() == 0) {  // no elements to tell its shape and dtype
    std::vector<std::string> sizes;
    for (const int64_t n : x.shape()) sizes.push_back(std::to_string(n));
    return fmt::format(fmt::runtime(is_cpp_ ? "zeros({}, {})" : "torch.zeros({}, dtype=torch.{})"),
                       list_of(sizes), is_cpp_ ? cpp_name(x.dtype()) : name(x.dtype()));
  }
  int64_t at = 0;
  const std::string all = elements(x, 0, at, x.detach().to_vector());
  const std::string dtype = x.dtype() == f64 ? "64" : "32";
  if (x.dtype() == i64 || x.dtype() == boolean)
    return fmt::format(fmt::runtime(is_cpp_ ? "tensor({})" : "torch.tensor({})"), all);
  return is_cpp_ ? fmt::format("tensor({}, f{})", all, dtype)
                 : fmt::format("torch.tensor({}, dtype=torch.float{})", all, dtype);
}

std::string Writer::tensor(const Tensor& x) const {
  const std::string* name = name_of(x);
  return name ? *name : literal(x);
}

std::string Writer::tensor_or_number(const Value& v, bool may_be_number) const {
  if (const auto* x = std::get_if<double>(&v.of); x && may_be_number) return number(*x);
  return tensor(tensor_of(v, dtype_));
}

std::string Writer::dims(const Value& v) const {
  std::vector<std::string> parts;
  if (const auto* list = std::get_if<Values>(&v.of)) {
    for (const Value& one : *list) parts.push_back(fmt::format("{:.0f}", std::get<double>(one.of)));
  } else {
    parts.push_back(fmt::format("{:.0f}", std::get<double>(v.of)));
  }
  if (is_cpp_) return list_of(parts);
  return fmt::format("({}{})", fmt::join(parts, ", "), parts.size() == 1 ? "," : "");
}

// ---- calls

std::string Writer::given(const Value& v, std::string_view kind, const Evaluated& e) const {
  if (kind == "int") return fmt::format("{:.0f}", std::get<double>(v.of));
  if (kind == "dims") return dims(v);
  if (kind == "number") return number(std::get<double>(v.of));
  if (kind == "truth") return truth(std::get<bool>(v.of));
  if (kind == "reduction") return "Reduction::" + std::get<std::string>(v.of);
  if (kind == "text")
    return fmt::format(fmt::runtime(is_cpp_ ? "\"{}\"" : "'{}'"), std::get<std::string>(v.of));
  if (kind == "dtype") {
    const std::string& name = std::get<std::string>(v.of);
    return is_cpp_ ? name : name == "f64" ? "torch.float64" : "torch.float32";
  }
  if (kind == "tensors") {
    std::vector<std::string> parts;
    for (const Value& one : std::get<Values>(v.of)) parts.push_back(tensor(tensor_of(one, dtype_)));
    return list_of(parts);
  }
  if (kind == "integers") {
    const Tensor x = tensor_of(v, i64);
    return x.dtype() == i64 ? tensor(x) : literal(x.detach().to(i64));
  }
  if (kind == "truths") {
    const Tensor x = tensor_of(v, f32);
    return x.dtype() == boolean ? tensor(x) : tensor(x) + " != 0.0";
  }
  const bool may_be_number =
      is_operator(e.function) && !(is_cpp_ && e.function == "^" && &v == &e.arguments.at("a"));
  return tensor_or_number(v, may_be_number);
}

std::string Writer::missing(std::string_view kind) const {
  if (kind == "truth") return truth(false);
  if (kind == "dims") return is_cpp_ ? "{}" : "()";
  return is_cpp_ ? "{}" : "None";
}

// "$dim:int=-1"
std::string Writer::argument(std::string_view text, const Evaluated& e) const {
  const std::string name = parameter(text);
  const size_t equals = text.find('='), colon = text.find(':');
  const std::string_view kind =
      colon == text.npos
          ? ""
          : text.substr(colon + 1, equals == text.npos ? equals : equals - colon - 1);
  if (const auto found = e.arguments.find(name); found != e.arguments.end())
    return given(found->second, kind, e);
  return equals == text.npos ? missing(kind) : std::string(text.substr(equals + 1));
}

std::string Writer::fill(std::string_view form, const Evaluated& e) const {
  std::string text;
  for (size_t at = 0; at < form.size();) {
    if (form[at] == '[') {
      const std::string_view group = group_at(form, at);
      if (group.find('$') == group.npos)
        text += fmt::format("[{}]", group);
      else if (has_given(group, e))
        text += fill(group, e);
      at += group.size() + 2;
    } else if (form[at] == '$') {
      const size_t after = at + parameter(form.substr(at)).size() + 1;
      size_t end = after;
      if (end < form.size() && form[end] == ':')
        end = std::min(form.find_first_of(stops, end), form.size());
      text += argument(form.substr(at, end - at), e);
      at = end;
    } else {
      text += form[at++];
    }
  }
  return text;
}

// x[1:3, 0]; in C++ slice and select
std::string Writer::indexed(const Evaluated& e) const {
  const Tensor x = std::get<Tensor>(e.arguments.at("x").of);
  std::string text = tensor(x), inside;
  int64_t dim = 0, of = 0;  // in the part picked so far, and in x
  for (const Value& part : std::get<Values>(e.arguments.at("parts").of)) {
    inside += inside.empty() ? "" : ", ";
    if (const auto* index = std::get_if<double>(&part.of)) {
      text = fmt::format("select({}, {}, {:.0f})", text, dim, *index);
      inside += fmt::format("{:.0f}", *index);
    } else {
      const auto& slice = std::get<Values>(part.of);
      const double otherwise[] = {0, static_cast<double>(x.size(of)), 1};
      std::string numbers[3];
      for (size_t i = 0; i < 3; ++i) {
        const auto* given = std::get_if<double>(&slice[i].of);
        numbers[i] = fmt::format("{:.0f}", given ? *given : otherwise[i]);
        if (i > 0 && (given || i == 1)) inside += ':';
        if (given) inside += numbers[i];
      }
      text =
          fmt::format("slice({}, {}, {}, {}, {})", text, dim++, numbers[0], numbers[1], numbers[2]);
    }
    ++of;
  }
  return is_cpp_ ? text : fmt::format("{}[{}]", tensor(x), inside);
}

bool Writer::is_unequal_causal_attention(const Evaluated& e) const {
  if (e.function != "scaled_dot_product_attention" || !e.arguments.contains("causal")) return false;
  const auto length = [&](const char* name) {
    return tensor_of(e.arguments.at(name), dtype_).size(-2);
  };
  return std::get<bool>(e.arguments.at("causal").of) &&
         (e.arguments.contains("mask") || length("q") != length("k"));
}

std::string Writer::call(const Evaluated& e) const {
  if (e.function == "[]") return indexed(e);
  const bool is_special = !is_cpp_ && is_unequal_causal_attention(e);
  const Form* form = find_form(is_special ? unequal_causal_attention : e.function);
  const char* text = form ? (is_cpp_ ? form->cpp : form->pytorch) : nullptr;
  if (!text)
    throw Fault("limit",
                fmt::format("{} draws random numbers, which another program would draw differently",
                            e.function),
                {});
  Evaluated with = e;  // plus arguments that the forms need and the program does not give
  if (e.function == "norm" && e.arguments.contains("kind"))  // "inf"
    with.arguments.insert_or_assign("p", Value{HUGE_VAL});
  if (e.function == "layer_norm" || e.function == "rms_norm") {  // over the dims of the weight
    const auto scale = e.arguments.find(e.arguments.contains("weight") ? "weight" : "bias");
    const Tensor x = tensor_of(e.arguments.at("x"), dtype_);
    const Dims shape =
        scale == e.arguments.end() ? Dims{x.size(-1)} : tensor_of(scale->second, dtype_).shape();
    Values sizes;
    for (const int64_t n : shape) sizes.push_back({static_cast<double>(n)});
    with.arguments["shape"] = {sizes};
  }
  return fill(text, with);
}

}  // namespace slope::explorer
