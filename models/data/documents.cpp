#include <slope/models/data/documents.h>

#include <algorithm>

namespace slope::data {

TokenizerPtr document_tokenizer(const TokenizerOptions& options, std::vector<std::string> lines) {
  for (std::string& line : lines) line += separator;
  return make_tokenizer(options, {&lines});
}

Documents encode_documents(const std::vector<std::string>& lines, const Tokenizer& tokenizer) {
  Documents documents;
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    Ids ids = tokenizer.encode(separator + line + separator);
    if (ids.size() > 2) documents.push_back(std::move(ids));  // else blank to a word tokenizer
  }
  return documents;
}

Blocks document_blocks(const Documents& documents, std::span<const int64_t> which, int64_t length) {
  const auto target_count = [&](int64_t i) {
    return std::min(length, static_cast<int64_t>(documents[static_cast<size_t>(i)].size()) - 1);
  };
  Blocks blocks{.rows = static_cast<int64_t>(which.size())};
  for (const int64_t i : which) blocks.length = std::max(blocks.length, target_count(i));
  for (const int64_t i : which) {
    const std::vector<int64_t>& d = documents[static_cast<size_t>(i)];
    for (int64_t t = 0; t < blocks.length; ++t) {
      const bool inside = t < target_count(i);
      blocks.inputs.push_back(inside ? d[static_cast<size_t>(t)] : d[0]);
      blocks.targets.push_back(inside ? d[static_cast<size_t>(t) + 1] : no_target);
    }
  }
  return blocks;
}

int64_t count_targets(const Blocks& blocks) {
  return static_cast<int64_t>(blocks.targets.size()) -
         std::count(blocks.targets.begin(), blocks.targets.end(), no_target);
}

}  // namespace slope::data
