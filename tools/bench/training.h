// Training steps of the character GPT in any shape, on made-up batches.
#pragma once

#include <slope/models/kinds/language_model.h>
#include <slope/tools/bench/case.h>

namespace slope::tools {

// batch (B, T) of tokens below `vocab`
std::unique_ptr<Workload> char_gpt_steps(const train::LanguageModelSettings& s, int64_t B,
                                         int64_t T, int64_t vocab);

}  // namespace slope::tools
