// Finds settings without effect. A setting has an effect if another value of it changes the names
// or shapes of the model's tensors, or the training loss for the same seed, or whether the model
// accepts one token more than the given config allows. This is tried with the given config, and
// with one other setting doubled: the base of rotary positions, say, has no effect while there is a
// single frequency.
#include <slope/models/lint/lint_model.h>
#include <slope/models/lint/subject.h>

namespace slope::train {

using namespace models;

namespace {

// The observable properties of a model; throws if the config is not valid.
std::string seen(const ModelType& type, const ModelConfig& config, int64_t longest) {
  const Subject s = subject_of(type, config);
  nn::train(s.model->module());
  manual_seed(2);
  std::string text = fmt::format("{} ", s.loss(0, s.rows).item());
  for (const NamedTensor& t : nn::state_entries(s.model->module()))
    text += fmt::format("{} {} ", t.name, t.tensor.shape());
  if (longest == 0) return text;
  try {
    static_cast<void>(subject_of(type, config, {11, 12}, longest + 1).loss(0, 1));
    return text + "longer";
  } catch (const Error&) {
    return text;
  }
}

// Other values of a setting, as functions that set it.
std::vector<std::function<void(const Setting&)>> others(const Setting& s) {
  std::vector<std::function<void(const Setting&)>> all;
  const auto add = [&]<class T>(T*, double value, double now) {
    if (value >= s.least && value <= s.most && value != now)
      all.push_back([value](const Setting& t) { *std::get<T*>(t.place) = static_cast<T>(value); });
  };
  if (auto* const* p = std::get_if<int64_t*>(&s.place)) {
    const auto v = static_cast<double>(**p);
    for (const double other : {2 * v, v + 1, static_cast<double>(**p / 2), v - 1})
      add(*p, other, v);
  } else if (auto* const* r = std::get_if<double*>(&s.place)) {
    for (const double other : {2 * **r, **r / 2, 0.5}) add(*r, other, **r);
  } else if (std::holds_alternative<bool*>(s.place)) {
    all.push_back([](const Setting& t) { *std::get<bool*>(t.place) ^= true; });
  } else {
    for (const std::string& choice : s.choices)
      if (choice != *std::get<std::string*>(s.place))
        all.push_back([choice](const Setting& t) { *std::get<std::string*>(t.place) = choice; });
  }
  return all;
}

struct Tried {
  int64_t values = 0;  // that give a model
  bool matters = false;
};

// Tries other values of setting i in this config.
Tried try_others(const ModelType& type, const ModelConfig& config, size_t i, int64_t longest) {
  Tried tried;
  try {
    const std::string now = seen(type, config, longest);
    const auto copy = config.clone();
    for (const auto& set : others(copy->settings()[i])) {
      const auto changed = config.clone();
      set(changed->settings()[i]);
      try {
        tried.matters = seen(type, *changed, longest) != now;
        ++tried.values;
      } catch (const Error&) {  // not valid together with the other values
      }
      if (tried.matters) break;
    }
  } catch (const Error&) {  // the config itself is not valid
  }
  return tried;
}

}  // namespace

nn::lint::Findings idle_settings(const ModelType& type, const ModelConfig& config) {
  const int64_t longest = longest_input(type, config);
  nn::lint::Findings found;
  const auto given = config.clone();
  const Settings settings = given->settings();
  for (size_t i = 0; i < settings.size(); ++i) {
    if (!settings[i].of.empty()) continue;  // acts only with some values of another setting
    Tried tried = try_others(type, config, i, longest);
    for (size_t j = 0; j < settings.size() && tried.values > 0 && !tried.matters; ++j) {
      if (j == i || !std::holds_alternative<int64_t*>(settings[j].place)) continue;
      const auto larger = config.clone();
      *std::get<int64_t*>(larger->settings()[j].place) *= 2;
      tried.matters = try_others(type, *larger, i, longest).matters;
    }
    if (tried.values > 0 && !tried.matters)
      found.push_back({"setting",
                       fmt::format("{}: {} other values change neither the parameters nor the loss",
                                   settings[i].key, tried.values),
                       ""});
  }
  return found;
}

}  // namespace slope::train
