// The arguments of a call in the explorer's language, by parameter name.
#pragma once

#include <slope/tools/explorer/language/value.h>

#include <map>
#include <string_view>

namespace slope::explorer {

class Arguments {
 public:
  // `parameters`, such as "x, dim = -1": the names in order. Those without = are required; what
  // follows = is only for readers.
  Arguments(std::string function, std::string_view parameters, DType dtype)
      : function_(std::move(function)), parameters_(parameters), dtype_(dtype) {}

  // An argument by position, or by name; Fault if there is no such parameter.
  void add(size_t position, const std::string& name, Value value);
  void check_complete() const;  // UsageError: the first parameter that is missing

  bool has(const char* name) const { return given_.contains(name); }
  Tensor tensor(const char* name) const;  // numbers become a tensor of the program's dtype
  Tensor tensor_or_none(const char* name) const;
  Tensor integers(const char* name) const;  // the same in i64: indices; Fault if one has a fraction
  Tensor truncated(const char* name) const;  // the same with fractions cut off
  Tensor truths(const char* name) const;     // the same as bool: masks
  Tensors tensors(const char* name) const;   // of a list
  double number(const char* name) const;
  double number(const char* name, double otherwise) const;
  int64_t integer(const char* name) const;
  int64_t integer(const char* name, int64_t otherwise) const;
  bool truth(const char* name, bool otherwise) const;
  std::string text(const char* name) const;
  std::string text(const char* name, const std::string& otherwise) const;
  Dims dims(const char* name) const;          // of one integer, or a list
  Dims dims_or_none(const char* name) const;  // empty if it is not given
  Dims rest_as_dims() const;                  // for functions that take a shape: randn(2, 3)
  DType dtype() const { return dtype_; }
  // Makes integers() round: finite differences move every leaf, even one that holds indices.
  void round_integers() { rounds_integers_ = true; }
  const std::map<std::string, Value>& given() const { return given_; }

 private:
  const Value& value(const char* name) const;
  [[noreturn]] void refuse(const Value& value, const char* name, const char* wanted) const;
  int64_t integer_of(const Value& value, const char* name) const;

  std::string function_;
  std::string_view parameters_;
  DType dtype_;
  bool rounds_integers_ = false;
  std::map<std::string, Value> given_;
  Values rest_;  // for a parameter that ends with …
};

}  // namespace slope::explorer
