// Words back into a line, as one would write it: `two t - shirts , " red "` becomes
// `two t-shirts, "red"`.
#pragma once

#include <slope/models/data/tokenize.h>

namespace slope::data {

// Words stand apart; closing punctuation joins the word before it, opening the one behind it,
// hyphen, apostrophe and slash both, quotation marks open and close in turn. What a rule without a
// dictionary cannot know (a dash between words, a plural's apostrophe) comes out joined.
std::string detokenize(const Tokens& tokens);

}  // namespace slope::data
