// Words back to a line, as one would write it: `two t - shirts , " red "` becomes `two t-shirts,
// "red"`.
#pragma once

#include <slope/models/data/tokenize.h>

namespace slope::data {

// Words are separated by spaces; closing punctuation is attached to the word before it, opening
// punctuation to the word after it, hyphen, apostrophe and slash to both; quotation marks open and
// close in turn. What a rule without a dictionary cannot know (a dash between words, a plural's
// apostrophe) is attached.
std::string detokenize(const Tokens& tokens);

}  // namespace slope::data
