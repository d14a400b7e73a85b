// slope lint: the detectors of nn/lint on models of the registry and on runs.
#include <slope/models/lint/lint_model.h>
#include <slope/models/registry.h>
#include <slope/models/run/json.h>
#include <slope/tools/command.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slope::tools {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const train::LintReport& report) {
  Json findings = Json::array();
  for (const nn::lint::Finding& f : report.findings)
    findings.push_back({{"detector", f.detector}, {"text", f.text}, {"reason", f.reason}});
  return {{"model", report.name},
          {"ok", report.ok()},
          {"checks", report.checks},
          {"findings", findings}};
}

int run(std::vector<std::string> names, bool all, bool json) {
  SLOPE_CHECK_AS(UsageError, names.empty() == all, "lint: name models or runs, or --all");
  if (all) names = models::model_names();
  bool ok = true;
  Json reports = Json::array();
  for (const std::string& name : names) {
    const train::LintReport report = train::lint_named(name);
    ok &= report.ok();
    if (json)
      reports.push_back(to_json(report));
    else
      print(report.text());
  }
  if (json) print(train::json_text(reports, 1) + "\n");
  return ok ? 0 : 1;
}

}  // namespace

void add_lint(Command& slope) {
  Command command = slope.subcommand(
      "lint",
      "Look for mistakes with which a model still trains: unused or unlisted parameters, dead "
      "gradients, outputs that see later inputs, padding or other examples, masked rows, training "
      "and evaluation that differ, micro-batches that do not add up, settings without effect. Exit "
      "code 1 if it finds one.\nExample: slope lint runs/first");
  static std::vector<std::string> names;
  static bool all = false, json = false;
  command.option("model", names, "models of the zoo, or runs with their weights")
      .takes("MODEL|RUN");
  command.flag("--all", all, "every model of the zoo");
  command.flag("--json", json, "as JSON");
  command.runs([] { return run(names, all, json); });
}

}  // namespace slope::tools
