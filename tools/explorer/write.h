// The explorer's values as JSON; nan and infinities are strings, as in traces.
#pragma once

#include <slope/core/text/json.h>
#include <slope/tools/explorer/language/interpreter.h>

namespace slope::explorer {

inline std::string json(const std::string& text) { return JsonReader::escaped(text); }
inline std::string json(double x) { return JsonReader::number(x); }
inline std::string json(const Place& p) {
  return fmt::format(R"("line": {}, "column": {}, "end": {})", p.line, p.column, p.end);
}

// "[a, b]", each element written by f.
template <class List, class F>
std::string json_list(const List& list, const F& f) {
  std::string text = "[";
  for (const auto& element : list) text += (text.size() > 1 ? ", " : "") + f(element);
  return text + "]";
}
inline std::string json(const Dims& dims) {
  return json_list(dims, [](int64_t n) { return std::to_string(n); });
}
inline std::string json_elements(const Tensor& x) {
  return json_list(x.detach().to_vector(), [](double v) { return json(v); });
}
inline std::string json_error(const Fault& fault) {
  return fmt::format("{{\"error\": {{\"kind\": {}, \"message\": {}, {}}}}}\n", json(fault.kind),
                     json(fault.what()), json(fault.place));
}

}  // namespace slope::explorer
