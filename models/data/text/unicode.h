// Classes and lower case of code points, exactly as in Python's str methods and `re`, so that
// tokens, and the scores computed on them, agree with Python's. The tables are utf8proc's (Unicode
// 14 or newer); a test compares every code point with Python.
#pragma once

#include <string>
#include <string_view>

namespace slope::data {

bool is_word(char32_t c);  // \w: letters (L*), numbers (N*), underscore; not combining marks
// Stays with the character before it: marks (M*), format characters (Cf), skin tones.
bool is_mark_or_joiner(char32_t c);
bool is_space(char32_t c);             // \s: what str.split() splits at
bool is_blank(std::string_view utf8);  // holds nothing but \s

// str.lower(): one to one, except for İ (two code points) and Σ, which is ς at the end of a word.
std::u32string lower(std::u32string_view text);
std::string lower(std::string_view utf8);

// Unicode's canonical composition: é as one code point, however it was written.
std::string nfc(std::string_view utf8);
// The same, in lower case if that is wanted: the form in which every tokenizer reads its text, so
// that two ways to write a text are one text.
std::string composed(std::string_view utf8, bool lowercase);

}  // namespace slope::data
