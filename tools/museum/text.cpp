// An exhibit as text, and all of them as the table of the README.
#include <slope/tools/museum/museum.h>

#include <algorithm>
#include <cmath>

namespace slope::museum {

namespace {

bool catches(const Exhibit& e, const nn::lint::Findings& found) {
  return std::any_of(found.begin(), found.end(), [&](const nn::lint::Finding& f) {
    return f.detector == e.detector && f.reason.empty();
  });
}

std::string lines_of(const char* whose, const nn::lint::Findings& findings) {
  if (findings.empty()) return fmt::format("{}: nothing found\n", whose);
  std::string text = fmt::format("{}:\n", whose);
  for (const nn::lint::Finding& f : findings)
    text += fmt::format("  {}{}: {}\n", f.detector, f.reason.empty() ? "" : " (explained)",
                        f.reason.empty() ? f.text : f.text + "; " + f.reason);
  return text;
}

}  // namespace

std::string number(double x) {
  if (!std::isfinite(x)) return fmt::format("{}", x);
  return std::abs(x) < 1e-12 ? "0" : fmt::format("{:.3g}", x);
}

bool is_as_promised(const Exhibit& e, const Showing& s) {
  if (!e.show) return true;  // the mistake must not compile: a test asks the compiler
  const bool shows = std::all_of(s.symptoms.begin(), s.symptoms.end(), [](const Symptom& line) {
    return number(line.broken) != number(line.right);
  });
  const bool caught = e.detector.empty() ? s.broken.empty() : catches(e, s.broken);
  return shows && !s.symptoms.empty() && caught && nn::lint::count_unexplained(s.right) == 0;
}

std::string text_of(const Exhibit& e, const Showing& s) {
  std::string text = fmt::format("{}: {}\nfrom {}\n\n", e.id, e.mistake, e.from);
  if (!e.show)
    return text + fmt::format("{}\n\ndoes not compile; the error: … {} …\nright: {}\n", e.program,
                              e.error.substr(0, e.error.find('|')), e.fix);
  text += fmt::format("{:<58} {:>10} {:>10}\n", "", "broken", "right");
  for (const Symptom& line : s.symptoms)
    text +=
        fmt::format("{:<58} {:>10} {:>10}\n", line.what, number(line.broken), number(line.right));
  text += "\n";
  if (e.detector.empty())
    text += fmt::format("no detector can find it: {}\n", e.why);
  else
    text += lines_of("detectors on the broken form", s.broken) +
            lines_of("detectors on the right form", s.right);
  return text + fmt::format("right: {}\n", e.fix);
}

std::string table() {
  std::string text =
      "| exhibit | mistake | symptom | broken | right | detector | fix |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Exhibit& e : exhibits()) {
    if (!e.show) {
      text += fmt::format("| `{}` | {} | does not compile | | | the compiler | `{}` |\n", e.id,
                          e.mistake, e.fix);
      continue;
    }
    const Symptom first = e.show().symptoms[0];
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | `{}` |\n", e.id, e.mistake, first.what,
                        number(first.broken), number(first.right),
                        e.detector.empty() ? "none: " + e.why : "`" + e.detector + "`", e.fix);
  }
  return text;
}

}  // namespace slope::museum
