// Checks a program's gradients by central differences.
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/tools/explorer/explore.h>
#include <slope/tools/explorer/write.h>

namespace slope::explorer {

namespace {

std::string json_failure(const GradcheckFailure& f) {
  return fmt::format(R"({{"op": {}, "input": {}, "element": {}, "analytic": {}, "numeric": {}}})",
                     json(f.op), json(f.input), f.element, json(f.analytic), json(f.numeric));
}

std::string json_culprit(const GradcheckCulprit& c) {
  return fmt::format(R"({{"op": {}, "calls": {}, "text": {}}})", json(c.op), c.calls,
                     json(c.text()));
}

// Each claim grad(NAME) = …, compared with the engine's gradient.
std::string json_claims(const Run& run) {
  if (!run.claims.empty()) run.loss.backward();
  return json_list(run.claims, [&](const Claim& claim) -> std::string {
    for (const NamedTensor& leaf : run.leaves)
      if (leaf.name == claim.name) {
        const bool is_used = leaf.tensor.grad().defined();
        const Tensor g = is_used ? leaf.tensor.grad() : zeros(leaf.tensor.shape(), f64);
        if (g.shape() != claim.value.shape())
          throw Fault("ShapeError",
                      fmt::format("grad({}) must have the shape of {}, {}, not {}", claim.name,
                                  claim.name, leaf.tensor.shape(), claim.value.shape()),
                      claim.place);
        const Tensor said = claim.value.detach().to(f64);
        return fmt::format(R"({{"name": {}, "ok": {}, "claimed": {}, "gradient": {}, {}}})",
                           json(claim.name), allclose(said, g.detach().to(f64), 1e-6, 1e-9),
                           json_elements(said), json_elements(g), json(claim.place));
      }
    throw Fault("name", fmt::format("grad({}): no leaf has this name", claim.name), claim.place);
  });
}

// Refuses a check that would take minutes: differences run the program twice for each element of a
// leaf.
void check_cost(const Run& run) {
  constexpr int64_t most_elements = 4096, most_work = 3'000'000'000;
  int64_t elements = 0;
  for (const NamedTensor& leaf : run.leaves) elements += leaf.tensor.numel();
  if (elements <= most_elements && 2 * elements * run.work <= most_work) return;
  throw Fault(
      "limit",
      fmt::format("the check would run the program {} times, twice for each of {} elements; "
                  "take smaller tensors",
                  2 * elements, elements),
      run.loss_place);
}

}  // namespace

std::string check(const Request& request) try {
  const Run first = run(request.program, options_of(request, f64));
  if (!first.loss.defined() || !first.loss.requires_grad())
    throw Fault("AutogradError", "the last value depends on no leaf: there is nothing to check",
                first.loss_place);
  check_cost(first);
  try {
    const NamedTensors leaves = first.leaves;
    RunOptions moved = options_of(request, f64);
    moved.leaves = leaves;
    moved.round_integers = true;
    const auto f = [&] { return Tensors{run(request.program, moved).loss}; };
    const GradcheckReport report =
        gradcheck(f, leaves, {.raise_exception = false, .find_callers = false});
    const auto text = [](const std::string& t) { return json(t); };
    return fmt::format(
        "{{\"ok\": {}, \"checked\": {}, \"failed\": {}, \"unchecked\": {}, "
        "\"text\": {}, \"failures\": {}, \"culprits\": {}, \"problems\": {}, \"notes\": {}, "
        "\"claims\": {}}}\n",
        report.ok, report.checked, report.failed, report.unchecked, json(report.text()),
        json_list(report.failures, json_failure), json_list(report.culprits, json_culprit),
        json_list(report.problems, text), json_list(report.notes, text),
        json_claims(run(request.program, options_of(request, f64))));
  } catch (const Fault&) {
    throw;
  } catch (const Error& e) {
    throw Fault(kind_of(e), e.what(), first.loss_place);
  }
} catch (const Fault& fault) {
  return json_error(fault);
}

}  // namespace slope::explorer
