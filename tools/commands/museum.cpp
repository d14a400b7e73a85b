// slope museum: mistakes of published Transformers, shown and caught.
#include <slope/models/run/json.h>
#include <slope/tools/command.h>
#include <slope/tools/museum/museum.h>

#include <nlohmann/json.hpp>

namespace slope::tools {

namespace {

using Json = nlohmann::ordered_json;
using museum::Exhibit, museum::Showing;

Json to_json(const Exhibit& e, const Showing& s) {
  const auto findings = [](const nn::lint::Findings& found) {
    Json list = Json::array();
    for (const nn::lint::Finding& f : found)
      list.push_back({{"detector", f.detector}, {"text", f.text}, {"reason", f.reason}});
    return list;
  };
  Json symptoms = Json::array();
  for (const museum::Symptom& line : s.symptoms)
    symptoms.push_back({{"what", line.what},
                        {"broken", museum::number(line.broken)},
                        {"right", museum::number(line.right)}});
  return {{"exhibit", e.id},
          {"mistake", e.mistake},
          {"from", e.from},
          {"fix", e.fix},
          {"detector", e.detector},
          {"why", e.why},
          {"program", e.program},
          {"error", e.error},
          {"symptoms", symptoms},
          {"broken", findings(s.broken)},
          {"right", findings(s.right)},
          {"ok", museum::is_as_promised(e, s)}};
}

int list() {
  std::string text;
  for (const Exhibit& e : museum::exhibits()) text += fmt::format("{:<19} {}\n", e.id, e.mistake);
  print(text);
  return 0;
}

int show(const std::vector<std::string>& ids, bool all, bool json) {
  SLOPE_CHECK_AS(UsageError, ids.empty() == all, "museum run: name exhibits, or --all");
  std::vector<Exhibit> chosen;
  for (const std::string& id : ids) chosen.push_back(museum::exhibit_named(id));
  if (all) chosen.assign(museum::exhibits().begin(), museum::exhibits().end());
  bool ok = true;
  Json list = Json::array();
  for (const Exhibit& e : chosen) {
    const Showing showing = e.show ? e.show() : Showing{};
    ok &= museum::is_as_promised(e, showing);
    if (json)
      list.push_back(to_json(e, showing));
    else
      print((&e == chosen.data() ? "" : "\n") + museum::text_of(e, showing));
  }
  if (json) print(train::json_text(list, 1) + "\n");
  return ok ? 0 : 1;
}

}  // namespace

void add_museum(Command& slope) {
  Command command = slope.subcommand(
      "museum",
      "Show mistakes of published Transformers: the broken and the right form side by side, the "
      "symptom in numbers, and the detector that catches it. Without a subcommand, list them.\n"
      "Example: slope museum run swapped-masks");
  command.may_choose_subcommand();
  command.runs(list);
  Command run = command.subcommand("run",
                                   "Show exhibits. Exit code 1 if one does not show its symptom or "
                                   "is not caught.\nExample: slope museum run "
                                   "einsum-index");
  static std::vector<std::string> ids;
  static bool all = false, json = false;
  run.option("exhibit", ids, "names that slope museum lists").takes("EXHIBIT");
  run.flag("--all", all, "every exhibit");
  run.flag("--json", json, "as JSON");
  run.runs([] { return show(ids, all, json); });
  command
      .subcommand("table",
                  "Write the table of tools/museum/README.md.\nExample: slope museum table")
      .runs([] {
        print(museum::table());
        return 0;
      });
}

}  // namespace slope::tools
