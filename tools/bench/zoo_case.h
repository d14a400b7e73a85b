// A benchmark's model: its name in the zoo, its sizes as settings, and the sizes of its products,
// for counting operations. Only tools/bench/models.cpp names the models and their sizes.
#pragma once

#include <slope/models/run/run_settings.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/bench/flops.h>

namespace slope::tools {

using Values = std::vector<std::pair<const char*, const char*>>;  // settings: key, value
train::RunSettings bench_settings(const char* model, const Values& values);

// An encoder-decoder of the zoo, its settings and the sizes of its products.
struct TranslationCase {
  const char* model;
  Values values;
  flops::EncoderDecoder sizes;
};
// 256 channels, 8 heads, 3 + 3 layers, 512 feed-forward: the model of the cases translation,
// decode1, decode64 and real
TranslationCase translation_model();

// Training steps of the GPT in any shape on random batches (B, T) of tokens below `vocab`; `lr` is
// AdamW's.
std::unique_ptr<Workload> gpt_steps(const flops::Decoder& sizes, int64_t heads, bool bias,
                                    int64_t block_size, double lr, int64_t B, int64_t T,
                                    int64_t vocab);

}  // namespace slope::tools
