// Weights in bf16, for inference: half the memory, and half of what a step of decoding reads.
#pragma once

#include <slope/nn/module/module_ref.h>

namespace slope::nn {

// Rounds the weight of every Linear in the model to bf16 and replaces it in place; bias, other
// parameters and a weight that another kind of module shares (a tied embedding) stay f32. The model
// then computes only without gradients. Returns how many elements were rounded.
int64_t round_weights(ModuleRef model);

}  // namespace slope::nn
