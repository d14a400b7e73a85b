// Writes values and calls of a program in C++ or Python. Tensors that have a name appear under it;
// others are written out.
#pragma once

#include <slope/tools/explorer/language/interpreter.h>
#include <slope/tools/explorer/source/forms.h>
#include <slope/tools/explorer/source/source.h>

namespace slope::explorer {

class Writer {
 public:
  Writer(Language language, DType dtype) : is_cpp_(language == Language::cpp), dtype_(dtype) {}

  // The name under which x is known from now on: `wanted` as an identifier that is not taken.
  const std::string& give_name(const Tensor& x, const std::string& wanted);
  bool has_name(const Tensor& x) const { return name_of(x) != nullptr; }
  std::string call(const Evaluated& e) const;
  std::string tensor(const Tensor& x) const;  // its name, or its elements
  std::string literal(const Tensor& x) const;

 private:
  const std::string* name_of(const Tensor& x) const;
  std::string number(double x) const;
  std::string truth(bool x) const;
  std::string list_of(const std::vector<std::string>& parts) const;
  std::string elements(const Tensor& x, size_t dim, int64_t& at,
                       const std::vector<double>& all) const;
  std::string tensor_or_number(const Value& v, bool may_be_number) const;
  std::string dims(const Value& v) const;
  bool is_unequal_causal_attention(const Evaluated& e) const;
  std::string indexed(const Evaluated& e) const;
  std::string fill(std::string_view form, const Evaluated& e) const;
  std::string argument(std::string_view text, const Evaluated& e) const;
  std::string given(const Value& v, std::string_view kind, const Evaluated& e) const;
  std::string missing(std::string_view kind) const;

  bool is_cpp_;
  DType dtype_;
  std::vector<std::pair<Tensor, std::string>> names_;
};

}  // namespace slope::explorer
