// How often do the checks call something wrong that is right? Every function with check cases, and
// every model of the zoo, element by element at first order, on a sample at second order, with
// values, directions and samples drawn by seed. `false_alarms 20` tries twenty seeds, `false_alarms
// 10 10` ten from seed 10 on.
#include <slope/autograd/gradcheck/cases/function_check.h>
#include <slope/models/infer/sample.h>
#include <slope/models/registry.h>
#include <slope/nn/cases.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>

using namespace slope;

namespace {

struct Count {
  int64_t checks = 0, derivatives = 0, alarms = 0;

  void add(const std::string& what, uint64_t seed, const GradcheckReport& report) {
    ++checks;
    derivatives += report.checked;
    if (report.ok) return;
    ++alarms;
    std::printf("%s, seed %d: %s\n", what.c_str(), static_cast<int>(seed), report.text().c_str());
  }
};

void try_functions(uint64_t seed, Count& count) {
  std::map<std::string, std::vector<Case>> functions;
  for (const auto* cases : {&all_cases(), &nn::function_cases()})
    for (const Case& c : *cases) functions[c.name].push_back(c);
  for (const auto& [name, cases] : functions)
    for (const FunctionCheck::Outcome& o : check_function(name, cases, seed).outcomes)
      count.add(name + ", " + o.label, seed, o.outcome.report);
}

void try_models(uint64_t seed, Count& count) {
  for (const models::ModelTypePtr& type : models::zoo()) {
    const train::Sample sample = train::sample_of(*type);
    nn::to(sample.model->module(), f64);
    const NamedTensors parameters = sample.parameters();
    const GradcheckOptions options{.raise_exception = false, .find_smallest = false, .seed = seed};
    const auto loss = [&] { return Tensors{sample.loss()}; };
    count.add(type->name, seed, gradcheck(loss, parameters, options));

    Tensors leaves;
    for (const NamedTensor& p : parameters) leaves.push_back(p.tensor);
    GradcheckOptions sampled = options;
    sampled.sample = 2;
    count.add(type->name + ", second order", seed,
              gradgradcheck([&](const Tensors&) { return loss(); }, leaves, {}, sampled));
  }
}

std::optional<uint64_t> whole_number(std::string_view word) {
  uint64_t n = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(n) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<uint64_t> count = whole_number(argc > 1 ? argv[1] : "1"),
                                from = whole_number(argc > 2 ? argv[2] : "0");
  if (argc > 3 || !count || *count == 0 || !from || *from > UINT64_MAX - *count) {
    std::fprintf(stderr, "usage: false_alarms [seeds, at least 1] [first seed]\n");
    return 2;
  }
  const uint64_t seeds = *count, first = *from;
  Count functions, models;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    try_functions(seed, functions);
    try_models(seed, models);
    std::printf("%d seeds:", static_cast<int>(seed - first + 1));
    for (const auto& [what, c] : {std::pair{"functions", functions}, {"models", models}})
      std::printf(" %s %lld derivatives in %lld checks, %lld false alarms;", what,
                  static_cast<long long>(c.derivatives), static_cast<long long>(c.checks),
                  static_cast<long long>(c.alarms));
    std::printf("\n");
    std::fflush(stdout);
  }
  return functions.alarms + models.alarms == 0 ? 0 : 1;
}
