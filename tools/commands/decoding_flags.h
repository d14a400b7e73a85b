// The flags of decoding, which `slope translate` and `slope eval` share.
#pragma once

#include <slope/models/infer/decode.h>
#include <slope/tools/command_line.h>

namespace slope::tools {

inline void add_decoding_flags(Command& command, train::DecodeOptions& decode) {
  command.option("--beam", decode.beam, "prefixes to follow; 1 is greedy")
      .between(1, 1000)
      .shows_default();
  command.option("--length-penalty", decode.length_penalty, "alpha of score = log p / length^alpha")
      .shows_default();
  command.flag("--ban-unk", decode.ban_unk, "never write <unk> but the most likely other token");
}

}  // namespace slope::tools
