#include <slope/tools/explorer/source/identifier.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace slope::explorer {

namespace {

// What no variable may be called: keywords of C++ and Python that a learner might choose as a name,
// and the names that the written programs use themselves.
constexpr std::string_view reserved[] = {
    "F",         "and",      "as",       "assert",   "async",   "auto",      "await",
    "bool",      "break",    "case",     "catch",    "char",    "class",     "const",
    "def",       "del",      "delete",   "do",       "double",  "elif",      "else",
    "enum",      "except",   "explicit", "export",   "extern",  "f32",       "f64",
    "finally",   "float",    "for",      "friend",   "from",    "full",      "global",
    "goto",      "i64",      "if",       "import",   "in",      "inline",    "int",
    "is",        "lambda",   "long",     "main",     "mutable", "namespace", "new",
    "nonlocal",  "not",      "operator", "or",       "pass",    "print",     "private",
    "protected", "public",   "raise",    "register", "return",  "short",     "show",
    "signed",    "sizeof",   "slope",    "static",   "struct",  "switch",    "template",
    "tensor",    "this",     "throw",    "torch",    "try",     "typedef",   "typename",
    "union",     "unsigned", "using",    "virtual",  "void",    "volatile",  "while",
    "with",      "xor",      "yield"};

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
