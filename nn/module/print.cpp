#include <slope/nn/module/print.h>

#include <cstdio>

namespace slope::nn {

namespace {

std::string indented(const std::string& text) {  // all lines but the first
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

}  // namespace

std::string python(double x) {
  std::string text = fmt::format("{}", x);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;  // n: nan and inf
}

std::string to_string(ModuleRef model) {
  struct Run {
    size_t first, last;
    std::string name, text;
  };
  std::vector<Run> runs;  // of equal neighbours in a list, elsewhere of one child
  size_t i = 0;
  for (const Field& field : model.fields()) {
    if (!field.module) continue;
    std::string text = to_string(*field.module);
    if (model.is_list() && !runs.empty() && runs.back().text == text) {
      runs.back().last = i;
    } else {
      runs.push_back({i, i, field.name, std::move(text)});
    }
    ++i;
  }
  const std::string extra = model.extra_repr();
  std::string out = std::string(model.type()) + "(";
  if (runs.empty() && extra.find('\n') == extra.npos) return out + extra + ")";
  if (!extra.empty()) out += "\n  " + indented(extra);
  for (const Run& run : runs)
    out += run.first == run.last ? fmt::format("\n  ({}): {}", run.name, indented(run.text))
                                 : fmt::format("\n  ({}-{}): {} x {}", run.first, run.last,
                                               run.last - run.first + 1, indented(run.text));
  return out + "\n)";
}

void print(ModuleRef model) { std::puts(to_string(model).c_str()); }

}  // namespace slope::nn
