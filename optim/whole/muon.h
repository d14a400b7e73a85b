// Muon: momentum, orthogonalised by Newton-Schulz iterations (Jordan et al., 2024), as
// torch.optim.Muon, but in the parameter's own dtype, without rounding to bf16. Only for matrices:
// biases and norms need another optimizer, such as AdamW.
#pragma once

#include <slope/optim/whole/whole_tensor.h>

namespace slope::optim {

struct MuonOptions {
  double lr = 1e-3, weight_decay = 0.1, momentum = 0.95;
  bool nesterov = true;
  std::array<double, 3> ns_coefficients = {3.4445, -4.7750, 2.0315};
  double eps = 1e-7;
  int64_t ns_steps = 5;
  // match_rms_adamw: steps are scaled to AdamW's size, so that its lr and weight_decay also fit
  enum class AdjustLr { original, match_rms_adamw } adjust_lr = AdjustLr::original;
  bool maximize = false;
};

class Muon : public WholeTensor<MuonOptions> {
 public:
  explicit Muon(const NamedTensors& parameters, MuonOptions options = {})
      : Muon(Groups<MuonOptions>{{parameters, options}}) {}
  explicit Muon(const Groups<MuonOptions>& groups);
};

}  // namespace slope::optim
