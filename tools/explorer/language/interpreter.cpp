#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/observer.h>
#include <slope/core/memory/memory.h>
#include <slope/core/text/spelling.h>
#include <slope/tools/explorer/language/functions.h>
#include <slope/tools/explorer/language/interpreter.h>
#include <slope/tools/explorer/language/operators.h>
#include <slope/tools/explorer/language/syntax.h>
#include <slope/tools/explorer/mistakes.h>

namespace slope::explorer {

namespace {

constexpr const char* gradient_parameters = "y, x";

class Interpreter : public Observer {
 public:
  explicit Interpreter(const RunOptions& options)
      : dtype_(options.dtype), limits_(options.limits), keeps_evaluated_(options.keep_evaluated),
        rounds_integers_(options.round_integers), bytes_before_(memory::stats().live) {
    for (const NamedTensor& leaf : options.leaves) given_[leaf.name] = leaf.tensor;
    if (options.mistake.empty()) return;
    mistake_ = find_mistake(options.mistake);
    check("name", mistake_, fmt::format("there is no mistake {}", options.mistake));
  }

  Run run(const std::vector<Statement>& program) {
    const Observe observe(*this);
    // an operation is checked only after it ran, so its memory requests need their own limit
    const memory::RequestLimit limit(static_cast<size_t>(8 * limits_.bytes));
    for (const Statement& statement : program) execute(statement);
    if (list_)
      throw Fault(
          "ShapeError",
          fmt::format("the last value is {}; take one element, such as [0]", described(*list_)),
          list_->place);
    return std::move(run_);
  }

  // an operation ran within the expression at place_
  void recorded(const Recorded& r) override {
    check_bytes(place_);
    for (const InputRef& input : r.inputs) run_.work += input->defined() ? input->numel() : 0;
    for (const Tensor& output : r.outputs) {
      // a view takes no memory, but displaying its numbers copies them
      check("limit", output.numel() <= limits_.bytes / size_of(output.dtype()),
            fmt::format("a tensor of shape {} has more than {} MiB of numbers; take a smaller one",
                        output.shape(), limits_.bytes >> 20));
      run_.work += output.numel();
    }
    if (!r.node) return;
    run_.places[r.node] = place_;
    for (const Tensor& output : r.outputs)
      run_.results.push_back({fmt::format("v{}", run_.results.size() + 1), output});
    check("limit", ++nodes_ <= limits_.nodes,
          fmt::format("more than {} operations are recorded; repeat less, or take whole tensors",
                      limits_.nodes));
  }

 private:
  void check(const char* kind, bool condition, const std::string& message) const {
    if (!condition) throw Fault(kind, message, place_);
  }

  void check_bytes(Place place) const {
    const int64_t bytes = memory::stats().live - bytes_before_;
    if (bytes <= limits_.bytes) return;
    throw Fault("limit",
                fmt::format("the program holds {} MiB, more than {} MiB; take smaller tensors",
                            (bytes >> 20) + 1, limits_.bytes >> 20),
                place);
  }

  bool is_wrong(const std::string& place) const { return mistake_ && place == mistake_->place; }

  void execute(const Statement& s) {
    place_ = s.place;
    if (s.kind == Statement::Kind::repeat) {
      for (int64_t i = 0; i < s.times; ++i)
        for (const Statement& inner : s.body) execute(inner);
      return;
    }
    Value value = evaluate(*s.value);
    place_ = s.place;
    if (s.kind == Statement::Kind::claim) {
      run_.claims.push_back({s.names[0], tensor_of(value, dtype_), s.value->place});
      return;
    }
    if (s.kind == Statement::Kind::assign)
      assign(s, value);
    else
      finish_with(value, "", s.place);
  }

  void assign(const Statement& s, const Value& value) {
    if (s.names.size() == 1) return assign(s.names[0], *s.value, value);
    const auto* list = std::get_if<Values>(&value.of);
    check("ShapeError", list && list->size() == s.names.size(),
          fmt::format("{0} names take a list of {0}, got {1}", s.names.size(), described(value)));
    for (size_t i = 0; i < s.names.size(); ++i) {
      // of [x * 2, 3], x * 2 is on the tape already, 3 becomes a leaf
      const bool is_own =
          s.value->kind == Expression::Kind::list && std::holds_alternative<Tensor>((*list)[i].of);
      assign(s.names[i], is_own ? *s.value->arguments[i].value : *s.value, (*list)[i]);
    }
  }
  void assign(const std::string& name, const Expression& e, Value value) {
    check("name", !parameters_of(name), fmt::format("{} is a function; take another name", name));
    const auto* as_tensor = std::get_if<Tensor>(&value.of);
    if (makes_leaf(e)) {
      Tensor x = tensor_of(value, dtype_);
      if (is_floating(x.dtype())) x = add_leaf(name, x);
      value.of = x;
    } else if (as_tensor) {
      for (NamedTensor& result : run_.results)
        if (result.tensor.is_same(*as_tensor)) result.name = unused(name);
      if (!as_tensor->requires_grad()) run_.constants.push_back({name, *as_tensor});
    }
    finish_with(value, name, e.place);
    variables_[name] = std::move(value);
  }
  // Of the function `name`; null if there is none.
  static const char* parameters_of(const std::string& name) {
    if (name == "grad") return gradient_parameters;
    const Function* function = find_function(name);
    return function ? function->parameters : nullptr;
  }
  // h, h (2), h (3) if h is assigned to several times.
  std::string unused(const std::string& name) {
    const int64_t n = ++assigned_[name];
    return n == 1 ? name : fmt::format("{} ({})", name, n);
  }
  // Whether assigning e makes a leaf: e is a number, a list, or a call such as randn(3).
  static bool makes_leaf(const Expression& e) {
    if (e.kind == Expression::Kind::number || e.kind == Expression::Kind::list) return true;
    const Function* function = e.kind == Expression::Kind::call ? find_function(e.name) : nullptr;
    return function && function->makes_leaf;
  }
  Tensor add_leaf(const std::string& name, const Tensor& numbers) {
    Tensor x = numbers.detach().clone();
    if (const auto given = given_.find(name); given != given_.end()) {
      check("ShapeError", given->second.numel() == x.numel(),
            fmt::format("{} has shape {}, but {} numbers are given", name, x.shape(),
                        given->second.numel()));
      x = given->second.shape() == x.shape() ? given->second : given->second.reshape(x.shape());
    }
    if (!x.requires_grad()) x.set_requires_grad();
    check("name", !assigned_.contains(name), fmt::format("{} has a value already", name));
    run_.leaves.push_back({unused(name), x});
    return x;
  }
  void finish_with(const Value& value, const std::string& name, Place place) {
    list_.reset();
    if (std::holds_alternative<Values>(value.of)) list_ = value;
    const auto* x = std::get_if<Tensor>(&value.of);
    if (!x) return;
    run_.loss = *x;
    run_.loss_name = name;
    run_.loss_place = place;
  }

  Value evaluate(const Expression& e) {
    place_ = e.place;
    check("limit", ++steps_ <= limits_.steps,
          fmt::format("the program takes more than {} steps", limits_.steps));
    try {
      Value value = value_of(e);
      check_bytes(e.place);  // constants and numbers are not recorded
      value.place = e.place;
      if (e.kind != Expression::Kind::list) place_elements(value);
      return value;
    } catch (const Fault&) {
      throw;
    } catch (const Error& error) {
      throw Fault(kind_of(error), error.what(), e.place);
    }
  }

  // Elements of a named list, or of one that a function returned, get the list's place.
  static void place_elements(Value& value) {
    if (auto* list = std::get_if<Values>(&value.of))
      for (Value& element : *list) element.place = value.place;
  }

  Value value_of(const Expression& e) {
    switch (e.kind) {
      case Expression::Kind::number: return {e.number};
      case Expression::Kind::truth: return {e.number != 0};
      case Expression::Kind::text: return {e.name};
      case Expression::Kind::name: return named(e);
      case Expression::Kind::list: {
        Values list;
        for (const Argument& element : e.arguments) list.push_back(evaluate(*element.value));
        return {list};
      }
      case Expression::Kind::call: return call(e);
      case Expression::Kind::negate: {
        const Value x = evaluate(*e.arguments[0].value);
        place_ = e.place;
        if (const auto* number = std::get_if<double>(&x.of)) return {negated(*number)};
        return kept("negate", {{"x", x}}, {-tensor_of(x, dtype_)});
      }
      case Expression::Kind::binary: {
        const Value a = evaluate(*e.arguments[0].value), b = evaluate(*e.arguments[1].value);
        place_ = e.place;
        if (is_wrong(e.name) && std::holds_alternative<Tensor>(a.of) &&
            std::holds_alternative<Tensor>(b.of))
          return {mistake_->call(tensor_of(a, dtype_), tensor_of(b, dtype_))};
        return kept(e.name, {{"a", a}, {"b", b}}, binary(e.name, a, b, dtype_));
      }
      case Expression::Kind::transposed: {
        const Value x = evaluate(*e.arguments[0].value);
        place_ = e.place;
        return kept(".T", {{"x", x}}, {transpose(tensor_of(x, dtype_), -2, -1)});
      }
      case Expression::Kind::subscript: return subscript(e);
    }
    return {};
  }

  Value kept(const std::string& function, std::map<std::string, Value> arguments, Value result) {
    if (keeps_evaluated_) run_.evaluated.push_back({function, std::move(arguments), result});
    return result;
  }

  Value named(const Expression& e) {
    const auto found = variables_.find(e.name);
    if (found != variables_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& variable : variables_) known.push_back(variable.first);
    throw Fault("name",
                parameters_of(e.name)
                    ? fmt::format("{0} is a function: {0}({1})", e.name, parameters_of(e.name))
                    : fmt::format("{0} has no value yet{1}; {0} = [1, 2] or {0} = randn(2, 3) "
                                  "gives it one",
                                  e.name, did_you_mean(e.name, known)),
                e.place);
  }

  Value call(const Expression& e) {
    if (e.name == "grad") return gradient(e);
    const Function* function = find_function(e.name);
    if (!function) {
      std::vector<std::string> known = function_names();
      known.emplace_back("grad");
      throw Fault("name",
                  fmt::format("there is no function {}{}", e.name, did_you_mean(e.name, known)),
                  e.place);
    }
    const Arguments arguments = arguments_of(e, function->parameters);
    if (is_wrong(e.name) && e.arguments.size() == 1)
      return {mistake_->call(arguments.tensor("x"), {})};
    return kept(e.name, arguments.given(), function->call(arguments));
  }

  Arguments arguments_of(const Expression& e, const char* parameters) {
    Arguments arguments(e.name, parameters, dtype_);
    if (rounds_integers_) arguments.round_integers();
    for (size_t i = 0; i < e.arguments.size(); ++i)
      arguments.add(i, e.arguments[i].name, evaluate(*e.arguments[i].value));
    place_ = e.place;
    arguments.check_complete();
    return arguments;
  }

  // grad(y, x): dy/dx, itself on the tape
  Value gradient(const Expression& e) {
    const Arguments arguments = arguments_of(e, gradient_parameters);
    const Tensor y = arguments.tensor("y"), x = arguments.tensor("x");
    return kept("grad", arguments.given(), {grad({y}, {x}, {.create_graph = true})[0]});
  }

  Value subscript(const Expression& e) {
    Value of = evaluate(*e.arguments[0].value);
    std::vector<Part> parts;
    for (const Subscript& s : e.subscripts) {
      Part part{.is_slice = s.is_slice};
      for (int i = 0; i < 3; ++i)
        if (s.parts[i]) part.values[i] = evaluate(*s.parts[i]);
      parts.push_back(std::move(part));
    }
    place_ = e.place;
    return kept("[]", {{"x", of}, {"parts", {listed(parts)}}}, pick(of, parts));
  }

  // An index as it is; a slice as a list of three, each a number or, if left out, an empty list.
  static Values listed(const std::vector<Part>& parts) {
    Values list;
    for (const Part& part : parts) {
      Values slice;
      for (const auto& value : part.values) slice.push_back(value.value_or(Value{Values()}));
      list.push_back(part.is_slice ? Value{slice} : *part.values[0]);
    }
    return list;
  }

  DType dtype_;
  Limits limits_;
  bool keeps_evaluated_, rounds_integers_;
  int64_t bytes_before_, nodes_ = 0, steps_ = 0;
  Place place_;
  const Mistake* mistake_ = nullptr;
  std::map<std::string, Tensor> given_;
  std::map<std::string, Value> variables_;
  std::map<std::string, int64_t> assigned_;  // how many leaves and results each name has had
  std::optional<Value> list_;                // the last value, if it is a list
  Run run_;
};

}  // namespace

Run run(const std::string& program, const RunOptions& options) {
  if (program.size() > options.limits.length)
    throw Fault("limit",
                fmt::format("the program has {} bytes, more than {}", program.size(),
                            options.limits.length),
                {});
  const EnableGrad recording;
  manual_seed(options.seed);
  return Interpreter(options).run(parse(program));
}

}  // namespace slope::explorer
