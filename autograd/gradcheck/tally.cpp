#include <slope/autograd/gradcheck/tally.h>

namespace slope {

namespace {

// "input 0, element 3 and 12 more: output 1 "
std::string place(const std::string& leaf, size_t output, const Tally::Kind& kind) {
  const std::string more = kind.count > 1 ? fmt::format(" and {} more", kind.count - 1) : "";
  return fmt::format("{}, element {}{}: output {} ", leaf, kind.element, more, output);
}

}  // namespace

void Tally::tell_cut(const std::string& leaf, size_t output,
                     const std::function<std::string()>& where_cut, GradcheckReport& report) const {
  if (cut.count > 0)
    report.problems.push_back(fmt::format(
        "the tape is cut: {} does not reach output {}, which changes with it ({} of {} derivatives "
        "are not 0; that of {} {} is {:.6g}); {}",
        leaf, output, cut.count, elements, report.by_direction ? "direction" : "element",
        cut.element, cut.derivative.value, where_cut()));
}

void Tally::tell(const std::string& leaf, size_t output, double most_unchecked,
                 const std::function<std::string()>& where_cut, GradcheckReport& report) const {
  tell_cut(leaf, output, where_cut, report);
  if (kinks.count > 0)
    report.notes.push_back(fmt::format(
        "{}has a kink here (its derivative is {:.6g} from the left and {:.6g} from the right); not "
        "checked",
        place(leaf, output, kinks), kinks.derivative.left, kinks.derivative.right));
  if (jumps.count > 0)
    report.notes.push_back(fmt::format("{}jumps here (by {:.6g}); not checked",
                                       place(leaf, output, jumps), jumps.derivative.height));
  if (edges.count > 0)
    report.notes.push_back(fmt::format(
        "{}is not finite when it moves by {:.3g}, at the edge of its domain; not checked",
        place(leaf, output, edges), edges.derivative.step));
  if (noisy.count > 0)
    report.notes.push_back(fmt::format(
        "{}is too noisy ({:.2g}{}): its derivative is {:.6g} +- {:.2g}; not checked",
        place(leaf, output, noisy), noisy.derivative.noise,
        coarsest == f64 ? "" : fmt::format("; rounding to {} does this", name(coarsest)),
        noisy.derivative.value, noisy.derivative.error));
  if (coarse.count > 0)
    report.notes.push_back(
        fmt::format("{}has noise of {:.2g} or is strongly curved: checked with other steps, up to "
                    "{:.2g}",
                    place(leaf, output, coarse), coarse.derivative.noise, coarse.derivative.step));
  if (static_cast<double>(unchecked()) > most_unchecked * static_cast<double>(elements))
    report.problems.push_back(fmt::format(
        "only {} of {} derivatives of output {} with respect to {} could be checked ({} at kinks "
        "and jumps, {} too noisy, {} at the edge of the domain): too few; choose other inputs",
        elements - unchecked(), elements, output, leaf, kinks.count + jumps.count, noisy.count,
        edges.count));
}

}  // namespace slope
