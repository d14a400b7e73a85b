#include <slope/core/error.h>
#include <slope/models/config.h>

#include <algorithm>

#include <cctype>
#include <string_view>

namespace slope::models {

namespace config_keys {
Setting key(int64_t& place, const char* help, double least, double most) {
  return {"", &place, help, least, most};
}
Setting key(double& place, const char* help, double least, double most) {
  return {"", &place, help, least, most};
}
Setting key(bool& place, const char* help) { return {"", &place, help}; }
Setting key(std::string& place, const char* help, std::vector<std::string> choices) {
  return {"", &place, help, 0, 0, std::move(choices)};
}
}  // namespace config_keys

namespace {

// The first argument of each outermost call of key; a and b in
//   key(a, …), key(b, "c(d)").since("")
std::vector<std::string> first_arguments(std::string_view text) {
  std::vector<std::string> names;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      while (text[++i] != '"') i += text[i] == '\\';
    } else if (text[i] == '(' && depth++ == 0 && text.substr(0, i).ends_with("key")) {
      const size_t begin = text.find_first_not_of(' ', i + 1);
      size_t end = begin;
      while (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_') ++end;
      names.emplace_back(text.substr(begin, end - begin));
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return names;
}

}  // namespace

const Setting* find_setting(const Settings& settings, const std::string& key) {
  const auto at = std::find_if(settings.begin(), settings.end(),
                               [&](const Setting& s) { return s.key == key; });
  return at == settings.end() ? nullptr : &*at;
}

Settings named(const char* text, Settings settings) {
  const std::vector<std::string> names = first_arguments(text);
  SLOPE_CHECK_AS(UsageError, names.size() == settings.size(),
                 "SLOPE_CONFIG: {} keys, but {} names; write each as key(member, help, …)",
                 settings.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) settings[i].key = names[i];
  std::erase_if(settings, [](const Setting& setting) { return !setting.offered; });
  return settings;
}

}  // namespace slope::models
