// A question from the page: the fields of a JSON object, strings and integers.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <map>
#include <string>
#include <vector>

namespace slope::explorer {

class Fields {
 public:
  explicit Fields(const std::string& json);  // InputError if it is not such an object

  bool has(const char* key) const { return texts_.contains(key); }
  std::string text(const char* key, const std::string& otherwise = "") const;
  int64_t integer(const char* key, int64_t otherwise, int64_t least, int64_t most) const;
  double number(const char* key, double otherwise) const;  // from a string: "0.5"
  std::vector<double> numbers(const char* key) const;      // from a string: "1 -2.5"
  // a nested object of such strings: "leaves"
  const std::map<std::string, std::string>& object() const { return object_; }

 private:
  std::map<std::string, std::string> texts_, object_;
};

std::vector<double> numbers_in(const std::string& text);

}  // namespace slope::explorer
