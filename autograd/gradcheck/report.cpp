// A report as text: first what is wrong, then each failure with both values, then notes.
#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>
#include <slope/autograd/gradcheck/gradcheck.h>

#include <algorithm>
#include <cmath>

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

bool is_same_ratio(double a, double b) { return std::abs(a - b) <= 1e-4 * std::abs(b) + 1e-6; }

// "temperature ok · v_proj.weight ok · k_proj.weight 64 of 64 wrong, ratio 0.5", in lines; if there
// are many leaves, only the wrong ones.
std::string table(const std::vector<GradcheckLeaf>& leaves) {
  constexpr size_t widest = 100, many = 16;
  std::vector<std::string> cells;
  size_t left_out = 0;
  for (const GradcheckLeaf& leaf : leaves)
    if (leaf.failed == 0 && leaves.size() > many)
      ++left_out;
    else
      cells.push_back(leaf.text());
  if (left_out > 0) cells.push_back(fmt::format("{} others ok", left_out));
  std::string text, line;
  for (const std::string& cell : cells) {
    if (!line.empty() && line.size() + cell.size() > widest) {
      text += "\n  " + line;
      line.clear();
    }
    line += (line.empty() ? "" : " · ") + cell;
  }
  return text + "\n  " + line;
}

}  // namespace

void GradcheckLeaf::add_failure(int64_t at_output, double ratio) {
  if (failed++ == 0) {
    low = high = ratio;
    output = at_output;
  }
  low = std::min(low, ratio);
  high = std::max(high, ratio);
}

std::string GradcheckLeaf::text() const {
  if (failed == 0) return name + (unchecked > 0 && unchecked == elements ? " not checked" : " ok");
  if (is_cut) return fmt::format("{} {} of {} wrong, the tape is cut", name, failed, elements);
  const std::string ratio = is_same_ratio(low, high) ? fmt::format(", ratio {:.6g}", low) : "";
  return fmt::format("{} {} of {} wrong{}", name, failed, elements, ratio);
}

std::string GradcheckCulprit::text() const {
  std::string text;
  if (is_cut && !cut_number.empty()) {
    text = fmt::format(
        "culprit: the tape is cut before {}: its number {} changes, but a number carries no "
        "gradient; look for item() or data<T>(), and multiply by the tensor",
        place, cut_number);
  } else if (is_cut) {
    text = fmt::format(
        "culprit: the tape is cut before {}: its input {} changes, but carries no gradient; look "
        "for detach(), item(), data<T>() or NoGrad",
        place, cut_input);
  } else {
    text = fmt::format("culprit: {}: checked alone on the values that it met, ", place);
    if (failures.empty()) text += "its rule disagrees along the failing direction";
    for (size_t i = 0; i < inputs.size() && !failures.empty(); ++i) {
      const Input& in = inputs[i];
      text += fmt::format("{}input {} {}", i ? " · " : "", in.index,
                          in.failed ? fmt::format("{} of {} wrong", in.failed, in.checked) : "ok");
      double low = INFINITY, high = -INFINITY;
      for (const GradcheckFailure& f : failures) {
        if (f.input_index != in.index) continue;
        low = std::min(low, f.ratio());
        high = std::max(high, f.ratio());
      }
      if (in.failed && is_same_ratio(low, high)) text += fmt::format(", ratio {:.6g}", low);
    }
  }
  if (calls > 1) text += fmt::format(" ({} calls of {})", calls, op);
  if (!called_from.empty()) text += "\n    called from " + called_from;
  return text;
}

void GradcheckReport::refuse_nothing() {
  if (checked + unchecked == 0 && problems.empty())
    problems.push_back(
        "nothing was checked: no input that requires a gradient has an element; choose larger "
        "inputs");
}

std::string GradcheckReport::text() const {
  std::string text =
      fmt::format("ok: {} derivatives agree{}", checked, by_direction ? " along directions" : "");
  if (!ok) {
    const std::string mistake = text_of(diagnose(*this));
    text =
        fmt::format("gradcheck failed: {} of {} derivatives disagree{}{}{}{}", failed, checked,
                    culprits.empty() ? "" : ", because of ", culprits.empty() ? "" : culprits[0].op,
                    mistake.empty() ? "" : "; ", mistake);
  }
  list(text, problems, "", "problems");
  if (failed > 0 && leaves.size() > 1) text += table(leaves);
  for (const GradcheckCulprit& culprit : culprits) text += "\n  " + culprit.text();
  // with a table of leaves, a few examples are enough
  const size_t shown = leaves.size() > 1 ? std::min<size_t>(failures.size(), 4) : failures.size();
  for (size_t i = 0; i < shown; ++i) {
    const GradcheckFailure& f = failures[i];
    text +=
        fmt::format("\n  output {} ({}), {}, {} {}: analytic {:.7g}, numeric {:.7g}, ratio {:.6g}",
                    f.output_index, f.op, f.input, by_direction ? "direction" : "element",
                    f.element, f.analytic, f.numeric, f.ratio());
  }
  if (failed > static_cast<int64_t>(shown) && shown > 0)
    text += fmt::format("\n  … and {} more", failed - static_cast<int64_t>(shown));
  if (!smallest.empty())
    text += fmt::format(
        "\n  smallest inputs that fail:\n    #include <slope/autograd/gradcheck/cases/cases.h>\n"
        "    #include <slope/autograd/gradcheck/gradcheck.h>\n    #include <cmath>\n"
        "    using namespace slope;\n    int main() {{ {}({}, {}); }}{}",
        check, function, smallest, function == "f" ? "  // f: the function under check" : "");
  list(text, notes, "note: ", "notes");
  return text;
}

}  // namespace slope
