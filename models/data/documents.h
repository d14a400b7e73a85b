// A text whose lines are separate documents (names, verses): each has a separator, the newline, at
// both ends, so that a language model learns where a document begins and ends. No row mixes
// documents.
#pragma once

#include <slope/models/data/blocks.h>
#include <slope/models/data/tokenizer.h>

#include <string>

namespace slope::data {

inline constexpr const char* separator = "\n";
constexpr int64_t no_target = -100;  // cross entropy's ignore_index: pads short documents

using Documents = std::vector<std::vector<int64_t>>;  // token ids, a separator at both ends

// A tokenizer made from all lines, each with the separator.
TokenizerPtr document_tokenizer(const TokenizerOptions& options, std::vector<std::string> lines);
// Empty lines are skipped. InputError for a character that the tokenizer lacks.
Documents encode_documents(const std::vector<std::string>& lines, const Tokenizer& tokenizer);

// Documents which[0], which[1], … as rows, cut off after `length` targets and padded to the
// longest.
Blocks document_blocks(const Documents& documents, std::span<const int64_t> which, int64_t length);
int64_t count_targets(const Blocks& blocks);  // without padding

}  // namespace slope::data
