// The share of a text's tokens that are <unk>, about which the model learns nothing and the loss
// says nothing. Shown in a run's summary and log and in evaluations; a warning if large.
#pragma once

#include <slope/models/data/batches.h>
#include <slope/models/data/documents.h>
#include <slope/models/data/tokenizer.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_settings.h>

#include <optional>

namespace slope::train {

struct TokenCount {
  int64_t all = 0, unknown = 0;
  void add(std::span<const int64_t> ids);
  double unknown_share() const;
};

// In one side of sentence pairs, without <sos> and <eos>.
TokenCount count_tokens(std::span<const data::Pair> pairs, const data::Ids data::Pair::*side);
TokenCount count_tokens(const data::Documents& documents);
TokenCount count_tokens(std::span<const int64_t> ids);

// For a share of 5 % or more: "\nmany TOKENS are <unk>, …: WHAT TO DO"; otherwise empty.
std::string unknown_warning(const std::string& tokens, double share, const RunSettings& settings);

// The share in a text of one language; none if its tokenizer has no <unk>.
using UnknownShare = std::optional<double>;
UnknownShare unknown_share(const TokenCount& count, const data::Tokenizer& tokenizer);
std::string unknown_lines(const UnknownShare& training, const UnknownShare& validation,
                          const RunSettings& settings);
std::vector<JsonField> unknown_facts(const UnknownShare& training, const UnknownShare& validation);

// Of tokens on which a loss is measured: "\n3 % of the TOKENS are <unk>", with a warning for a
// share of 5 % or more; empty for none.
std::string unknown_measured(const std::string& tokens, const UnknownShare& share);

}  // namespace slope::train
