#include <slope/autograd/gradcheck/explain/expression.h>
#include <slope/autograd/ops.h>

#include <cctype>
#include <numbers>
#include <utility>

namespace slope {

namespace {

using Function = std::function<Tensor(const Tensor&)>;

Tensor normal_cdf(const Tensor& x) { return 0.5 * (1 + erf(x / std::numbers::sqrt2)); }
Tensor normal_pdf(const Tensor& x) {
  return exp(-0.5 * x * x) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

// Parts between commas and semicolons outside of brackets.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool opens = c == '(' || (c == '<' && i + 1 < text.size() && std::isalpha(text[i + 1])),
               closes = c == ')' || (c == '>' && i > 0 && std::isalnum(text[i - 1]) && depth > 0);
    depth += opens - closes;
    if ((c == ',' || c == ';') && depth == 0) {
      parts.emplace_back();
    } else if (!(c == ' ' && parts.back().empty())) {
      parts.back() += c;
    }
  }
  return parts;
}

// "name = text" as {name, text}, where the name is one word; any other text as {"", text}.
std::pair<std::string, std::string> definition(const std::string& part) {
  const size_t at = part.find(" = ");
  if (at == std::string::npos || part.find(" where ") < at) return {"", part};
  for (const char c : part.substr(0, at))
    if (!std::isalnum(c)) return {"", part};
  return {part.substr(0, at), part.substr(at + 3)};
}

// Evaluates a text while reading it:
//   condition     sum, or sums related by = < > <= >=
//   sum           [-] product, then + product, - product
//   product       power, then / power, or another power beside it: juxtaposition multiplies
//   power         atom, atom ^ exponent, or e^exponent
//   atom          number, ( sum ), | sum |, <sum, sum>, name, or function with its argument
// A name is a variable, or stands for the text that defines it.
class Reader {
 public:
  Reader(const std::string& text, const Variables& variables,
         const std::map<std::string, std::string>& defined)
      : text_(text), variables_(variables), defined_(defined) {}

  Tensor whole() {
    const Tensor result = sum_of_terms();
    if (!at_end()) fail();
    return result;
  }

  Tensor condition() {  // "x", "x = 0", "low <= x <= high"
    Tensor left = sum_of_terms(), result;
    while (!at_end()) {
      std::string relation;
      while (!at_end() && std::string("<>=!").find(text_[at_]) != std::string::npos)
        relation += text_[at_++];
      const Tensor right = sum_of_terms();
      const Tensor holds = relation == "="    ? left == right
                           : relation == "<"  ? left < right
                           : relation == ">"  ? left > right
                           : relation == "<=" ? left <= right
                           : relation == ">=" ? left >= right
                                              : fail();
      result = result.defined() ? logical_and(result, holds) : holds;
      left = right;
    }
    return result.defined() ? result : left;
  }

 private:
  Tensor fail() const {
    throw Unreadable(fmt::format("\"{}\" is not understood from \"{}\" on", text_,
                                 text_.substr(std::min(at_, text_.size()))));
  }
  bool at_end() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ == text_.size();
  }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool starts_factor() {
    if (at_end()) return false;
    const char c = text_[at_];
    const bool is_bracket = c == '<' && at_ + 1 < text_.size() && std::isalpha(text_[at_ + 1]);
    return std::isalnum(c) || c == '(' || (c == '|' && !in_bars_) || is_bracket;
  }

  Tensor sum_of_terms() {
    Tensor result = take('-') ? -product() : product();
    while (true) {
      if (take('+'))
        result = result + product();
      else if (take('-'))
        result = result - product();
      else
        return result;
    }
  }
  Tensor product() {
    Tensor result = power();
    while (true) {
      if (take('/'))
        result = result / power();
      else if (starts_factor())
        result = result * power();
      else
        return result;
    }
  }
  Tensor power() {
    const bool is_e = !at_end() && text_[at_] == 'e' && text_.compare(at_, 2, "e^") == 0;
    if (is_e) at_ += 1;
    const Tensor base = is_e ? Tensor() : atom();
    if (!take('^')) return base;
    const Tensor exponent = take('-') ? -atom() : atom();
    return is_e ? exp(exponent) : pow(base, exponent);
  }

  Tensor atom() {
    if (at_end()) fail();
    if (take('(')) {
      const bool outer = std::exchange(in_bars_, false);
      const Tensor inside = sum_of_terms();
      in_bars_ = outer;
      return take(')') ? inside : fail();
    }
    if (take('|')) {
      in_bars_ = true;
      const Tensor inside = sum_of_terms();
      in_bars_ = false;
      return take('|') ? abs(inside) : fail();
    }
    if (take('<')) {
      const Tensor a = sum_of_terms();
      if (!take(',')) fail();
      const Tensor b = sum_of_terms();
      return take('>') ? sum(a * b, variables_.dims, keepdim) : fail();
    }
    if (std::isdigit(text_[at_])) {
      size_t used = 0;
      const double number = std::stod(text_.substr(at_), &used);
      at_ += used;
      return full({}, number, f64);
    }
    return named();
  }

  Tensor named() {
    size_t end = at_;
    while (end < text_.size() && std::isalpha(text_[end])) ++end;
    if (end == at_) fail();
    const std::string name = text_.substr(at_, end - at_);
    at_ = end;
    const bool is_called = at_ < text_.size() && text_[at_] == '(';
    if (const auto known = variables_.values.find(name); known != variables_.values.end())
      return known->second;
    if (const auto alias = defined_.find(name); alias != defined_.end()) {
      if (const Function f = function(alias->second))
        return f(is_called ? atom() : variable("x"));  // "s" means s(x)
      return Reader(alias->second, variables_, defined_).whole();
    }
    const Function f = function(name);
    if (!f) fail();
    return f(is_called ? atom() : power());
  }

  Tensor variable(const std::string& name) const {
    const auto known = variables_.values.find(name);
    return known == variables_.values.end() ? fail() : known->second;
  }

  Function function(const std::string& name) const {
    const Dims dims = variables_.dims;
    static const std::map<std::string, Tensor (*)(const Tensor&)> elementwise{
        {"exp", exp},        {"log", log},       {"sqrt", sqrt},       {"sin", sin},
        {"cos", cos},        {"tanh", tanh},     {"sigmoid", sigmoid}, {"sign", sign},
        {"Phi", normal_cdf}, {"phi", normal_pdf}};
    if (const auto f = elementwise.find(name); f != elementwise.end()) return f->second;
    if (name == "sum") return [dims](const Tensor& x) { return sum(x, dims, keepdim); };
    if (name == "mean") return [dims](const Tensor& x) { return mean(x, dims, keepdim); };
    if (name == "max") return [dims](const Tensor& x) { return amax(x, dims, keepdim); };
    return {};
  }

  const std::string text_;
  const Variables& variables_;
  const std::map<std::string, std::string>& defined_;
  size_t at_ = 0;
  bool in_bars_ = false;
};

}  // namespace

// The part that defines the variable, and those after it up to the next derivative: "s = sigmoid"
// belongs to "dx = …" before it.
std::string right_side(const std::string& text, const std::string& variable) {
  std::string result;
  bool is_inside = false;
  for (const std::string& part : parts_of(text)) {
    const auto [name, value] = definition(part);
    if (!name.empty()) is_inside = name == variable || (is_inside && name[0] != 'd');
    if (is_inside) result += (result.empty() ? "" : ", ") + (name == variable ? value : part);
  }
  return result;
}

Tensor evaluate_text(const std::string& expression, const std::string& where, Variables variables) {
  std::map<std::string, std::string> defined;
  variables.values.emplace("pi", full({}, std::numbers::pi, f64));
  std::vector<std::string> cases;
  const auto define = [&](const std::string& part) {
    const auto [name, value] = definition(part);
    if (!name.empty()) defined.emplace(name, value);
    return !name.empty();
  };
  for (const std::string& part : parts_of(where)) (void)define(part);
  for (const std::string& part : parts_of(expression))
    if (!define(part) && part != "repeated") cases.push_back(part);
  defined.erase("y");                              // a variable, with the values of the call
  defined.erase("phi");                            // a function, which Reader knows
  Tensor result;                                   // where no condition holds
  std::vector<std::pair<Tensor, Tensor>> special;  // condition, value
  for (const std::string& part : cases) {
    const size_t at = part.find(" where ");
    const std::string value = part.starts_with("else ") ? part.substr(5) : part.substr(0, at);
    const Tensor number = Reader(value, variables, defined).whole();
    if (at == std::string::npos)
      result = number;
    else
      special.emplace_back(Reader(part.substr(at + 7), variables, defined).condition(), number);
  }
  if (!result.defined()) throw Unreadable(fmt::format("\"{}\" has no value", expression));
  for (size_t i = special.size(); i-- > 0;)
    result = slope::where(special[i].first, special[i].second, result);
  return result;
}

}  // namespace slope
