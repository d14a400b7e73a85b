// The paths of an encoder-decoder's attention modules, so that their weights can be captured
// (nn/module/capture.h) and drawn.
#pragma once

#include <string>
#include <vector>

namespace slope::nn {

struct AttentionPaths {              // one per layer: "transformer.encoder.layers.0.mha"
  std::vector<std::string> encoder;  // source to source
  std::vector<std::string> decoder;  // target to target
  std::vector<std::string> cross;    // target to source
};

// "LIST.0.NAME", …, "LIST.n-1.NAME"
inline std::vector<std::string> layer_paths(const std::string& list, size_t n,
                                            const std::string& name) {
  std::vector<std::string> paths;
  for (size_t i = 0; i < n; ++i) paths.push_back(list + "." + std::to_string(i) + "." + name);
  return paths;
}

}  // namespace slope::nn
