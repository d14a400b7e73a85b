#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <utf8proc.h>

#include <algorithm>
#include <string>
#include <vector>

namespace slope::data {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool within(char32_t c, char32_t first, char32_t last) { return first <= c && c <= last; }

// Unicode's Cased without Case_Ignorable characters, which is_final_sigma skips before it calls
// this: Lu Ll Lt, ª º, Roman numerals, circled and squared letters.
bool is_cased(char32_t c) {
  const auto k = category(c);
  return k == UTF8PROC_CATEGORY_LU || k == UTF8PROC_CATEGORY_LL || k == UTF8PROC_CATEGORY_LT ||
         c == 0xAA || c == 0xBA || within(c, 0x2160, 0x217F) || within(c, 0x24B6, 0x24E9) ||
         within(c, 0x1F130, 0x1F149) || within(c, 0x1F150, 0x1F169) || within(c, 0x1F170, 0x1F189);
}

// Unicode's Case_Ignorable: marks, format characters, modifiers, and punctuation inside words
// (Word_Break MidLetter, MidNumLet, Single_Quote).
bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return true;
    default: break;
  }
  static constexpr std::u32string_view inside_words =
      U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
  return inside_words.find(c) != inside_words.npos;
}

// Unicode's Final_Sigma: a cased letter before the sigma and none after it; ignorable characters in
// between do not count.
bool is_final_sigma(std::u32string_view text, size_t sigma) {
  size_t before = sigma, after = sigma + 1;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return before > 0 && is_cased(text[before - 1]) &&
         !(after < text.size() && is_cased(text[after]));
}

// Puts adjacent marks in Unicode's canonical order, by their classes. (utf8proc_decompose does so
// too, in a time that grows with the square of their number.)
void sort_marks(std::vector<utf8proc_int32_t>& text) {
  const auto rank = [](utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; };
  const auto is_mark = [&](utf8proc_int32_t c) { return rank(c) > 0; };
  const auto by_rank = [&](utf8proc_int32_t a, utf8proc_int32_t b) { return rank(a) < rank(b); };
  for (auto end = text.begin(); end != text.end();) {
    const auto begin = std::find_if(end, text.end(), is_mark);
    end = std::find_if_not(begin, text.end(), is_mark);
    if (!std::is_sorted(begin, end, by_rank)) std::stable_sort(begin, end, by_rank);
  }
}

}  // namespace

bool is_word(char32_t c) {
  if (c < 0x80)
    return within(c, 'a', 'z') || within(c, 'A', 'Z') || within(c, '0', '9') || c == '_';
  switch (category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return true;
    default: return false;
  }
}

bool is_mark_or_joiner(char32_t c) {
  if (c < 0x300) return c == 0xAD;  // soft hyphen
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF: return true;
    default: return within(c, 0x1F3FB, 0x1F3FF);
  }
}

bool is_space(char32_t c) {
  return within(c, 0x09, 0x0D) || within(c, 0x1C, 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         within(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_blank(std::string_view utf8) {
  const auto is_visible_ascii = [](unsigned char c) { return c > ' ' && c < 0x80; };
  if (std::any_of(utf8.begin(), utf8.end(), is_visible_ascii)) return false;
  const std::u32string text = decode_utf8(utf8);
  return std::all_of(text.begin(), text.end(), is_space);
}

std::u32string lower(std::u32string_view text) {
  std::u32string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c < 0x80) {
      result += within(c, 'A', 'Z') ? c + ('a' - 'A') : c;
    } else if (c == U'\u0130') {  // İ keeps its dot: i and a combining dot above
      result += U"i\u0307";
    } else if (c == U'\u03A3') {
      result += is_final_sigma(text, i) ? U'\u03C2' : U'\u03C3';
    } else {
      result += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
    }
  }
  return result;
}

std::string lower(std::string_view utf8) { return encode_utf8(lower(decode_utf8(utf8))); }

std::string nfc(std::string_view utf8) {
  // ASCII and Latin-1, whose lead bytes are below 0xC4, hold nothing to compose
  const bool latin = std::all_of(utf8.begin(), utf8.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0xC4; });
  if (latin && !find_utf8_error(utf8)) return std::string(utf8);
  constexpr auto compose = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  std::vector<utf8proc_int32_t> text;
  for (const char32_t c : decode_utf8(utf8)) {
    utf8proc_int32_t parts[4];  // no character has more
    int unused = 0;
    const utf8proc_ssize_t n =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 4, compose, &unused);
    text.insert(text.end(), parts, parts + n);
  }
  sort_marks(text);
  const utf8proc_ssize_t length =
      utf8proc_normalize_utf32(text.data(), static_cast<utf8proc_ssize_t>(text.size()), compose);
  text.resize(static_cast<size_t>(length));
  std::string result;
  result.reserve(utf8.size());
  for (const utf8proc_int32_t c : text) append_utf8(result, static_cast<char32_t>(c));
  return result;
}

std::string composed(std::string_view utf8, bool lowercase) {
  return lowercase ? nfc(lower(nfc(utf8))) : nfc(utf8);
}

}  // namespace slope::data
