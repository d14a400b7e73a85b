// A model declares its settings once, in its own file: name, help, range, default. config.json, the
// flags of `slope train`, --help, docs/config.md and the comparison with the saved settings on
// --resume are all derived from this list.
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
  // Has an effect only if the setting named `of` has a value in `values_of`; no `of`: always.
  std::string of = {};
  std::vector<std::string> values_of = {};
  // the value, as JSON, for runs saved before this key existed; empty: the default
  std::string absent = {};
  bool only_least_below_0 = false;  // the only negative number allowed is `least`
  bool offered = true;              // false: named() leaves this setting out

  Setting changeable(bool may = true) && {
    may_change = may;
    return std::move(*this);
  }
  Setting since(std::string before) && {
    absent = std::move(before);
    return std::move(*this);
  }
  Setting below_0_only_least() && {
    only_least_below_0 = true;
    return std::move(*this);
  }
  Setting only_if(bool has_it) && {  // for models that share a config struct but not every setting
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
const Setting* find_setting(const Settings& settings, const std::string& key);  // null if none

inline constexpr double any_real = 1e300;

// The members of a config as settings; SLOPE_CONFIG gives them their names.
namespace config_keys {
Setting key(int64_t& place, const char* help, double least, double most);
Setting key(double& place, const char* help, double least, double most);
Setting key(bool& place, const char* help);
Setting key(std::string& place, const char* help, std::vector<std::string> choices = {});
}  // namespace config_keys

// Gives each setting its key: the member's name, read from `text`, the source code of the list.
Settings named(const char* text, Settings settings);

}  // namespace slope::models

#define SLOPE_CONFIG(...)                                       \
  ::slope::models::Settings settings() {                        \
    using namespace ::slope::models::config_keys;               \
    return ::slope::models::named(#__VA_ARGS__, {__VA_ARGS__}); \
  }
