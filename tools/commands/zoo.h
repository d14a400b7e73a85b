// The models by name.
#pragma once

#include <cstdint>
#include <string>

namespace slope::tools {

struct ZooEntry {
  const char* name;
  int64_t parameters;  // at the sizes that `what` names
  const char* file;
  const char* what;
};

inline constexpr ZooEntry zoo_entries[] = {
    {"c-scratch", 9038341, "models/c_scratch.h",
     "encoder-decoder Transformer for translation, 256/8/3+3/512, vocabularies 7853 and 5893"},
    {"char-gpt", 804096, "models/char_gpt.h",
     "decoder-only Transformer on characters, 4 layers, 4 heads, 128 channels, block 64, 65 "
     "characters"},
    {"mlp", 337, "models/mlp.h", "2-16-16-1 with tanh, for the two moons: read this one first"},
};

}  // namespace slope::tools
