#include <slope/models/run/own_text.h>

#include <algorithm>
#include <cmath>

namespace slope::train {

int64_t steps_for_pairs(int64_t n) {
  const double steps = 8500 * std::sqrt(static_cast<double>(n) / 29000);
  return static_cast<int64_t>(std::clamp(steps, 1.0, 40000.0));
}

std::vector<std::pair<std::string, std::string>> settings_for_pairs(int64_t n, int64_t steps) {
  const bool small = n <= 60000;
  return {{"shared_vocabulary", "true"},
          {"tie_embeddings", "true"},
          {"d_model", small ? "128" : "256"},
          {"n_heads", small ? "4" : "8"},
          {"n_encoder_layers", "4"},
          {"n_decoder_layers", "4"},
          {"d_feedforward", small ? "256" : "512"},
          {"dropout", small ? "0.15" : "0.1"},
          {"attention_dropout", "0"},
          {"activation_dropout", "0"},
          {"batch_size", "256"},
          {"steps", std::to_string(steps)},
          {"label_smoothing", "0.1"},
          {"average", "0.998"},
          {"lr", small ? "0.003" : "0.002"},
          {"beta2", "0.98"},
          {"schedule", "inverse_sqrt"},
          {"warmup", std::to_string(std::min<int64_t>(1500, steps / 3))}};
}

}  // namespace slope::train
