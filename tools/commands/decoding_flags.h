// The flags of decoding that several commands share.
#pragma once

#include <slope/models/infer/search/decode.h>
#include <slope/models/run/precision.h>
#include <slope/tools/command_line.h>

namespace slope::tools {

inline void add_precision(Command& command, DType& weights) {
  command
      .option(
          "--precision",
          [&weights](const std::string& word) { weights = train::precision_named(word); },
          "precision of the linear layers' weights: f32, or bf16, which is faster for few "
          "sentences and changes some results")
      .takes("f32|bf16");
}

inline void add_decoding_flags(Command& command, train::DecodeOptions& decode) {
  command.option("--beam", decode.beam, "beam size; 1: greedy decoding")
      .between(1, 1000)
      .shows_default();
  command
      .option("--length-penalty", decode.length_penalty,
              "alpha in score = log p / length^alpha; for a --beam above 1 and for scores")
      .between_reals(-10, 10)
      .shows_default();
  const auto set_unk = [&decode](const std::string& how) {
    decode.unk = train::unknown_words(how);
  };
  command
      .option("--unk", set_unk,
              "what to do if the model writes <unk>: write it, ban it (take the likeliest other "
              "token), or copy the source word that it attends to; models of subwords hardly ever "
              "write one")
      .takes("HOW");
}

// UsageError if --length-penalty is given where no scores are compared. `or_else`: what else would
// use it.
inline void check_length_penalty(const train::DecodeOptions& decode, const char* or_else = "") {
  SLOPE_CHECK_AS(UsageError,
                 decode.beam > 1 || decode.length_penalty == train::DecodeOptions().length_penalty,
                 "--length-penalty {}: needs a --beam above 1{}", decode.length_penalty, or_else);
}

}  // namespace slope::tools
