// A report in words: what is wrong first, then each failure with both values, then notes.
#include <slope/autograd/gradcheck/diagnosis.h>
#include <slope/autograd/gradcheck/gradcheck.h>

#include <span>

namespace slope {

namespace {

constexpr size_t most_lines = 20;  // of problems, and of notes

void list(std::string& text, const std::vector<std::string>& lines, const char* start,
          const char* what) {
  for (size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    text += fmt::format("\n  {}{}", start, lines[i]);
  if (lines.size() > most_lines)
    text += fmt::format("\n  … and {} more {}", lines.size() - most_lines, what);
}

}  // namespace

std::string GradcheckReport::text() const {
  std::string text = fmt::format("ok: {} derivatives agree", checked);
  if (!ok) {
    const std::string mistake = likely_mistake(*this);
    text = fmt::format("gradcheck failed: {} of {} derivatives disagree{}{}", failed, checked,
                       mistake.empty() ? "" : "; ", mistake);
  }
  list(text, problems, "", "problems");
  for (const GradcheckFailure& f : failures)
    text += fmt::format(
        "\n  output {} ({}), {}, element {}: analytic {:.9g}, numeric {:.9g}, ratio {:.6g}",
        f.output_index, f.op, f.input, f.element, f.analytic, f.numeric, f.ratio());
  if (failed > static_cast<int64_t>(failures.size()) && !failures.empty())
    text += fmt::format("\n  … and {} more", failed - static_cast<int64_t>(failures.size()));
  list(text, notes, "note: ", "notes");
  return text;
}

}  // namespace slope
