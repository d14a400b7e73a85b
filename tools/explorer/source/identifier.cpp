#include <slope/tools/explorer/source/identifier.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace slope::explorer {

namespace {

// Names that no variable may have: keywords of C++ and Python that a learner might choose as a
// name, and the names that the written programs use themselves.
constexpr std::string_view reserved[] = {
    "EOF",        "F",         "False",        "HUGE_VAL",      "INFINITY",
    "NAN",        "NULL",      "None",         "Reduction",     "Tensor",
    "Tensors",    "True",      "alignas",      "alignof",       "and",
    "and_eq",     "as",        "asm",          "assert",        "async",
    "auto",       "await",     "bitand",       "bitor",         "bool",
    "boolean",    "break",     "case",         "catch",         "char",
    "char16_t",   "char32_t",  "char8_t",      "class",         "co_await",
    "co_return",  "co_yield",  "compl",        "concept",       "const",
    "const_cast", "consteval", "constexpr",    "constinit",     "continue",
    "decltype",   "def",       "default",      "del",           "delete",
    "do",         "double",    "dynamic_cast", "elif",          "else",
    "enum",       "except",    "explicit",     "export",        "extern",
    "f32",        "f64",       "false",        "finally",       "float",
    "for",        "friend",    "from",         "full",          "global",
    "goto",       "i64",       "if",           "import",        "in",
    "inline",     "int",       "is",           "lambda",        "long",
    "main",       "mutable",   "namespace",    "new",           "noexcept",
    "nonlocal",   "not",       "not_eq",       "nullptr",       "operator",
    "or",         "or_eq",     "pass",         "print",         "private",
    "protected",  "public",    "raise",        "register",      "reinterpret_cast",
    "requires",   "return",    "short",        "show",          "signed",
    "sizeof",     "slope",     "static",       "static_assert", "static_cast",
    "stderr",     "stdin",     "stdout",       "struct",        "switch",
    "template",   "tensor",    "this",         "thread_local",  "throw",
    "torch",      "true",      "try",          "typedef",       "typeid",
    "typename",   "union",     "unsigned",     "using",         "virtual",
    "void",       "volatile",  "wchar_t",      "while",         "with",
    "xor",        "xor_eq",    "yield"};

}  // namespace

std::string identifier(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      text += c;
    else if (c == ' ')
      text += '_';
  if (std::ranges::find(reserved, text) != std::end(reserved)) text += '_';
  return text;
}

}  // namespace slope::explorer
