// The settings of a model, each once, in the model's own file: name, help, range, default.
// config.json, the flags of `slope train`, --help, docs/config.md and the comparison on resume are
// all derived from this list.
//
//   struct Config {
//     int64_t vocab_size = 0;  // from the data: no key
//     int64_t n_layer = 4;
//     SLOPE_CONFIG(key(n_layer, "blocks", 1, 1000))
//   };
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace slope::models {

struct Setting {
  std::string key;
  std::variant<int64_t*, double*, bool*, std::string*> place;  // in the config struct
  std::string help;
  double least = 0, most = 0;             // of numbers
  std::vector<std::string> choices = {};  // of strings; empty: any
  bool may_change = false;                // may differ on a resume
  // Has an effect only if the setting `of` has one of these values; empty: always.
  std::string of = {};
  std::vector<std::string> values_of = {};
  // the value, as JSON, of runs saved before this key existed; empty: the default
  std::string absent = {};
  bool offered = true;  // else the list leaves it out

  Setting changeable() && {
    may_change = true;
    return std::move(*this);
  }
  Setting since(std::string before) && {
    absent = std::move(before);
    return std::move(*this);
  }
  Setting only_if(bool has_it) && {  // the settings of models that share a config but not all of it
    offered = has_it;
    return std::move(*this);
  }
  Setting only_with(const char* setting, std::vector<std::string> values) && {
    of = setting;
    values_of = std::move(values);
    return std::move(*this);
  }
};
using Settings = std::vector<Setting>;

inline constexpr double any_real = 1e300;

// The members of a config as settings; SLOPE_CONFIG gives them their names.
namespace config_keys {
Setting key(int64_t& place, const char* help, double least, double most);
Setting key(double& place, const char* help, double least, double most);
Setting key(bool& place, const char* help);
Setting key(std::string& place, const char* help, std::vector<std::string> choices = {});
}  // namespace config_keys

// `text`: the source of the list, from which the names of the keys are taken.
Settings named(const char* text, Settings settings);

}  // namespace slope::models

#define SLOPE_CONFIG(...)                                       \
  ::slope::models::Settings settings() {                        \
    using namespace ::slope::models::config_keys;               \
    return ::slope::models::named(#__VA_ARGS__, {__VA_ARGS__}); \
  }
