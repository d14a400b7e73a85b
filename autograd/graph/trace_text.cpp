// A trace as text and as JSON.
#include <slope/autograd/graph/trace.h>
#include <slope/autograd/graph/walk.h>
#include <slope/core/text/json.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace slope {

namespace {

using EventKind = Trace::Event::Kind;

const char* name_of(EventKind kind) {
  constexpr const char* names[] = {"start",      "operation", "contribution", "sum",
                                   "recomputed", "freed",     "leaf"};
  return names[static_cast<int>(kind)];
}

// "nan" whatever its sign, which differs between processors
std::string short_text(double x) { return std::isnan(x) ? "nan" : fmt::format("{:.6g}", x); }

// "2.5", "[1, 2, 3]" or "(64, 512) with norm 0.031"
std::string text_of(const Trace::Value& value) {
  if (value.values.empty())
    return fmt::format("{} with norm {}", to_string(value.shape), short_text(value.norm));
  std::string text;
  for (const double v : value.values) text += (text.empty() ? "" : ", ") + short_text(v);
  if (value.shape.empty()) return text;
  return value.shape.size() == 1 ? fmt::format("[{}]", text)
                                 : fmt::format("[{}] {}", text, to_string(value.shape));
}

const char* ordinal(int64_t n) {
  const int64_t last = n % 10, teens = n / 10 % 10;
  return teens == 1 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
}

class Writer {
 public:
  explicit Writer(const Trace& trace) : trace_(trace) {}

  std::string write() {
    out_ = "forward\n";
    for (const Trace::Variable& x : trace_.variables)
      if (x.is_leaf) out_ += fmt::format("  {} = {}\n", x.name, text_of(x.value[0]));
    for (size_t i = 0; i < trace_.operations.size(); ++i)
      out_ += fmt::format("  {}\n", call(static_cast<int64_t>(i)));
    out_ += "\nbackward\n";
    for (const Trace::Event& event : trace_.events) write(event);
    return out_;
  }

 private:
  const std::string& name(int64_t variable) const {
    return trace_.variables[static_cast<size_t>(variable)].name;
  }

  // d = mul(a, b) = -8, or s = softmax(d, dim = 1) = …
  std::string call(int64_t i) const {
    const Trace::Operation& operation = trace_.operations[static_cast<size_t>(i)];
    std::string inputs, outputs;
    for (const int64_t v : operation.inputs)
      inputs += (inputs.empty() ? "" : ", ") + (v < 0 ? std::string("·") : name(v));
    for (const auto& [name, value] : operation.attributes)
      inputs += fmt::format(", {} = {}", name, value);
    for (const int64_t v : operation.outputs) outputs += (outputs.empty() ? "" : ", ") + name(v);
    std::string text = fmt::format("{} = {}({})", outputs, operation.op->name, inputs);
    if (operation.outputs.size() == 1) {
      const auto& value = trace_.variables[static_cast<size_t>(operation.outputs[0])].value;
      if (!value.empty()) text += " = " + text_of(value[0]);
    }
    if (!operation.module.empty()) text += "    in " + operation.module;
    return text;
  }

  void write(const Trace::Event& e) {
    switch (e.kind) {
      case EventKind::start:
        out_ += fmt::format("  d{0}/d{0} = {1}\n", name(e.variable), text_of(e.values[0]));
        break;
      case EventKind::operation: {
        const Trace::Operation& operation = trace_.operations[static_cast<size_t>(e.operation)];
        const Definition& definition = operation.op->definition;
        out_ += fmt::format("\n{}. {}\n", ++step_, call(e.operation));
        if (*definition.forward)
          out_ += fmt::format("   {}        {}\n", definition.forward, definition.derivative);
        for (size_t k = 0; k < e.values.size(); ++k)
          if (!(e.values[k].norm < 0))  // nan too
            out_ += fmt::format("   gradient of {}: {}\n", name(operation.outputs[k]),
                                text_of(e.values[k]));
        break;
      }
      case EventKind::contribution:
        out_ += fmt::format("   into {}: {}\n", name(e.variable), text_of(e.values[0]));
        if (e.values.size() > 1)
          out_ += fmt::format("      summed over broadcast dims from {}\n", text_of(e.values[1]));
        last_ = text_of(e.values[0]);
        break;
      case EventKind::sum:
        out_ += fmt::format("   {}{} gradient into {}: {} + {} = {}\n", e.count, ordinal(e.count),
                            name(e.variable), text_of(e.values[0]), last_, text_of(e.values[1]));
        break;
      case EventKind::recomputed:
        out_ +=
            fmt::format("   recomputes the output of {}, {} bytes\n", call(e.operation), e.bytes);
        break;
      case EventKind::freed:
        out_ += fmt::format("   frees the {} bytes that it saved\n", e.bytes);
        break;
      case EventKind::leaf:
        out_ += fmt::format("{}  {}.grad += {}\n", is_at_leaves_ ? "" : "\nleaves\n",
                            name(e.variable), text_of(e.values[0]));
        is_at_leaves_ = true;
        break;
    }
  }

  const Trace& trace_;
  std::string out_, last_;
  int64_t step_ = 0;
  bool is_at_leaves_ = false;
};

std::string quoted(const std::string& text) { return JsonReader::escaped(text); }

std::string number(double x) { return JsonReader::number(x); }

std::string json_of(const Trace::Value& value) {
  if (value.norm < 0) return "null";
  std::string text = fmt::format(R"({{"dtype": "{}", "shape": [{}], "norm": {})", name(value.dtype),
                                 fmt::join(value.shape, ", "), number(value.norm));
  if (!value.values.empty() || numel(value.shape) == 0) {
    text += R"(, "values": [)";
    for (size_t i = 0; i < value.values.size(); ++i)
      text += (i ? ", " : "") + number(value.values[i]);
    text += "]";
  }
  return text + "}";
}

template <class T, class F>
std::string json_list(const std::vector<T>& list, const F& one, const char* between = ", ") {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) text += (i ? between : "") + one(list[i]);
  return text + "]";
}
std::string json_numbers(const std::vector<int64_t>& numbers) {
  return json_list(numbers, [](int64_t n) { return n < 0 ? "null" : std::to_string(n); });
}

}  // namespace

std::string trace_text(const Trace& trace) { return Writer(trace).write(); }

std::string trace_json(const Trace& trace) {
  int64_t id = 0;
  const auto variable = [&](const Trace::Variable& x) {
    std::string text = fmt::format(
        R"({{"id": {}, "name": {}, "kind": "{}", "dtype": "{}", "shape": [{}])", id++,
        quoted(x.name), x.is_leaf ? "leaf" : "result", name(x.dtype), fmt::join(x.shape, ", "));
    if (!x.value.empty()) text += R"(, "value": )" + json_of(x.value[0]);
    return text + "}";
  };
  const auto saved = [](const Trace::Saved& x) {
    constexpr const char* kinds[] = {"input", "output", "extra"};
    return fmt::format(R"({{"kind": "{}", "index": {}, "bytes": {}}})",
                       kinds[static_cast<int>(x.kind)], x.index, x.bytes);
  };
  const auto operation = [&](const Trace::Operation& x) {
    const Definition& d = x.op->definition;
    return fmt::format(
        R"({{"id": {}, "name": {}, "module": {}, "forward": {}, "derivative": {}, "domain": {}, )"
        R"("attributes": {}, "inputs": {}, "outputs": {}, "saved": {}}})",
        id++, quoted(x.op->name), quoted(x.module), quoted(d.forward), quoted(d.derivative),
        quoted(d.domain), to_json(x.attributes), json_numbers(x.inputs), json_numbers(x.outputs),
        json_list(x.saved, saved));
  };
  const auto event = [&](const Trace::Event& e) {
    std::string text = fmt::format(R"({{"event": "{}")", name_of(e.kind));
    const auto add = [&](const char* key, int64_t value) {
      if (value >= 0) text += fmt::format(R"(, "{}": {})", key, value);
    };
    add("operation", e.operation);
    add("input", e.input);
    add("variable", e.variable);
    if (e.kind == EventKind::sum) add("count", e.count);
    if (e.kind == EventKind::freed || e.kind == EventKind::recomputed) add("bytes", e.bytes);
    if (!e.values.empty()) text += R"(, "values": )" + json_list(e.values, json_of);
    return text + "}";
  };
  std::string json = "{\"variables\": " + json_list(trace.variables, variable, ",\n  ");
  id = 0;
  json += ",\n\"operations\": " + json_list(trace.operations, operation, ",\n  ");
  return json + ",\n\"events\": " + json_list(trace.events, event, ",\n  ") + "}\n";
}

std::string trace_json(const Trace::Value& value) { return json_of(value); }

}  // namespace slope
