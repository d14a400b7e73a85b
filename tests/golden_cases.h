// Reads what tests/golden/ops.py wrote: the list of cases, and a case's tensors by name from
// ops_f64 or ops_f32.
#pragma once

#include <slope/core/files/safetensors.h>
#include <slope/tests/golden_files.h>

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace slope::test {

// KEY=VALUE …; a missing key gives the default.
struct Args {
  std::map<std::string, std::string> values;

  bool has(const std::string& key) const { return values.contains(key); }
  std::string word(const std::string& key, const std::string& otherwise = "") const {
    return has(key) ? values.at(key) : otherwise;
  }
  int64_t integer(const std::string& key, int64_t otherwise = 0) const {
    return has(key) ? std::stoll(values.at(key)) : otherwise;
  }
  double number(const std::string& key, double otherwise = 0) const {
    return has(key) ? std::stod(values.at(key)) : otherwise;
  }  // also inf, -inf
  bool flag(const std::string& key) const { return word(key) == "true"; }
  Dims dims(const std::string& key) const {  // [1,2]
    std::string list = word(key, "[]");
    if (list.size() < 2 || list.front() != '[' || list.back() != ']')
      throw std::runtime_error("ops.txt: not a list: " + list);
    std::istringstream items(list.substr(1, list.size() - 2));
    Dims found;
    for (std::string item; std::getline(items, item, ',');) found.push_back(std::stoll(item));
    return found;
  }
};

struct GoldenCase {
  std::string name, op;
  Args args;
};

inline std::vector<GoldenCase> read_cases(const std::string& text) {
  std::istringstream lines(text);
  std::vector<GoldenCase> cases;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    GoldenCase c;
    words >> c.name >> c.op;
    for (std::string word; words >> word;) {
      const size_t at = word.find('=');
      if (at == std::string::npos) throw std::runtime_error("ops.txt: not KEY=VALUE: " + line);
      c.args.values[word.substr(0, at)] = word.substr(at + 1);
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

inline std::vector<GoldenCase> golden_cases() { return read_cases(golden_text("ops.txt")); }

// A file's tensors by name; undefined if there is none.
class GoldenTensors {
 public:
  explicit GoldenTensors(const std::string& file) : GoldenTensors(golden_text(file), file) {}
  GoldenTensors(const std::string& bytes, const std::string& file) {
    for (auto& [name, x] : parse_safetensors(bytes, file).tensors) tensors_[name] = std::move(x);
  }
  Tensor find(const std::string& name) const {
    const auto at = tensors_.find(name);
    return at == tensors_.end() ? Tensor() : at->second;
  }
  Tensor at(const std::string& name) const {
    const Tensor x = find(name);
    if (!x.defined()) throw std::runtime_error("golden tensor is missing: " + name);
    return x;
  }
  NamedTensors under(const std::string& prefix) const {  // "parameter/": the names after it
    NamedTensors found;
    for (const auto& [name, x] : tensors_)
      if (name.starts_with(prefix)) found.push_back({name.substr(prefix.size()), x});
    return found;
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

}  // namespace slope::test
