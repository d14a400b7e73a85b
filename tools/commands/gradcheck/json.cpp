#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>
#include <slope/tools/commands/gradcheck/json.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace slope::tools {

namespace {

using Json = nlohmann::ordered_json;

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(fmt::format("{}", v)); }

Json numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double v : values) json.push_back(number(v));
  return json;
}

Json to_json(const Guesses& guesses) {
  Json json = Json::array();
  for (const Guess& guess : guesses)
    json.push_back({{"mistake", guess.mistake}, {"reason", guess.reason}});
  return json;
}

Json to_json(const std::vector<GradcheckFailure>& failures) {
  Json json = Json::array();
  for (const GradcheckFailure& f : failures)
    json.push_back({{"op", f.op},
                    {"input", f.input},
                    {"input_index", f.input_index},
                    {"output", f.output_index},
                    {"element", f.element},
                    {"analytic", number(f.analytic)},
                    {"numeric", number(f.numeric)},
                    {"ratio", number(f.ratio())}});
  return json;
}

Json to_json(const GradcheckLeaf& leaf) {
  return {{"name", leaf.name},
          {"derivatives", leaf.elements},
          {"failed", leaf.failed},
          {"unchecked", leaf.unchecked},
          {"cut", leaf.is_cut},
          {"lowest_ratio", number(leaf.low)},
          {"highest_ratio", number(leaf.high)}};
}

Json to_json(const GradcheckCulprit& culprit) {
  Json inputs = Json::array();
  for (const GradcheckCulprit::Input& in : culprit.inputs)
    inputs.push_back({{"input", in.index},
                      {"shape", in.shape},
                      {"checked", in.checked},
                      {"failed", in.failed},
                      {"elements", in.elements},
                      {"x", numbers(in.x)},
                      {"analytic", numbers(in.analytic)},
                      {"numeric", numbers(in.numeric)}});
  Json json = {{"op", culprit.op},       {"place", culprit.place},
               {"calls", culprit.calls}, {"called_from", culprit.called_from},
               {"inputs", inputs},       {"failures", to_json(culprit.failures)}};
  if (culprit.is_cut && culprit.cut_number.empty()) json["cut_input"] = culprit.cut_input;
  if (culprit.is_cut && !culprit.cut_number.empty()) json["cut_number"] = culprit.cut_number;
  return json;
}

}  // namespace

Json to_json(const GradcheckReport& report) {
  Json leaves = Json::array(), culprits = Json::array();
  for (const GradcheckLeaf& leaf : report.leaves) leaves.push_back(to_json(leaf));
  for (const GradcheckCulprit& culprit : report.culprits) culprits.push_back(to_json(culprit));
  return {{"ok", report.ok},
          {"along_directions", report.by_direction},
          {"checked", report.checked},
          {"failed", report.failed},
          {"unchecked", report.unchecked},
          {"leaves", leaves},
          {"culprits", culprits},
          {"likely", to_json(report.ok ? Guesses() : diagnose(report))},
          {"smallest_inputs", report.smallest},
          {"failures", to_json(report.failures)},
          {"problems", report.problems},
          {"notes", report.notes}};
}

Json to_json(const std::vector<FunctionCheck>& checks) {
  Json functions = Json::array();
  for (const FunctionCheck& check : checks) {
    Json outcomes = Json::array();
    for (const FunctionCheck::Outcome& o : check.outcomes)
      outcomes.push_back({{"case", o.label},
                          {"check", o.outcome.what},
                          {"layout", name(o.outcome.layout)},
                          {"report", to_json(o.outcome.report)}});
    functions.push_back({{"name", check.name},
                         {"ok", check.ok()},
                         {"cases", check.cases},
                         {"derivatives", check.derivatives()},
                         {"likely", to_json(check.ok() ? Guesses() : diagnose(check))},
                         {"outcomes", outcomes}});
  }
  return {{"summary", summary_of(checks)}, {"functions", functions}};
}

}  // namespace slope::tools
