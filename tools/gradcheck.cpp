// slope gradcheck: the check cases of every operation, and the parameters of whole models, in f64.
#include <slope/autograd/cases/run.h>
#include <slope/models/char_gpt.h>
#include <slope/models/c_scratch.h>
#include <slope/models/mlp.h>
#include <slope/tools/command.h>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace slope::tools {

namespace {

struct Flags {
  std::vector<std::string> ops;
  std::string model;
  bool all = false, json = false;
};

nlohmann::ordered_json to_json(const GradcheckReport& report) {
  const auto number = [](double v) { return std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json(fmt::format("{}", v)); };
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (const GradcheckFailure& f : report.failures)
    failures.push_back({{"input", f.input}, {"input_index", f.input_index}, {"output", f.output_index}, {"element", f.element}, {"analytic", number(f.analytic)},
                        {"numeric", number(f.numeric)}, {"ratio", number(f.ratio())}});
  return {{"ok", report.ok}, {"checked", report.checked}, {"failed", report.failed}, {"failures", failures}, {"problems", report.problems}, {"notes", report.notes}};
}

// Small enough that every element of every parameter can be nudged.
GradcheckReport check_model(const std::string& name) {
  manual_seed(1);
  std::vector<NamedLeaf> leaves;
  const auto check = [&](auto& model, const std::function<Tensors()>& loss) {
    nn::to(model, f64);
    nn::eval(model);
    for (const auto& [key, tensor] : nn::named_parameters(model)) leaves.push_back({key, tensor});
    return gradcheck(loss, leaves, {.raise_exception = false});
  };
  if (name == "mlp") {
    mlp::TwoMoonsMlp model({});
    const mlp::TwoMoons moons = mlp::two_moons(16);
    const Tensor x = to(moons.points, f64), y = to(moons.labels, f64);
    return check(model, [&] { return Tensors{bce_with_logits(model(x), y)}; });
  }
  if (name == "char-gpt") {
    char_gpt::CharGpt model({.vocab_size = 7, .block_size = 6, .n_layer = 2, .n_head = 2, .n_embd = 8, .bias = true});
    const Tensor x = randint(0, 7, {2, 5}), y = randint(0, 7, {2, 5});
    return check(model, [&] { return Tensors{model.loss(x, y)}; });
  }
  if (name == "c-scratch") {
    c_scratch::CScratch model({.source_vocab = 9, .target_vocab = 8, .d_model = 8, .n_heads = 2, .n_encoder_layers = 1, .n_decoder_layers = 1, .d_feedforward = 12, .max_len = 8});
    const Tensor source = tensor({{2, 5, 6, 3}, {2, 7, 3, 0}}), target = tensor({{2, 4, 5, 7, 3}, {2, 6, 3, 0, 0}});
    return check(model, [&] { return Tensors{model.loss(source, target)}; });
  }
  throw UsageError(fmt::format("--model {}: expected c-scratch, char-gpt or mlp", name));
}


int check_operations(const Flags& flags) {
  for (const std::string& op : flags.ops) SLOPE_CHECK_AS(UsageError, find_op(op), "gradcheck: no operation is called {}; slope gradcheck --all lists them", op);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  bool ok = true;
  for (const Op* op : registry()) {
    if (!flags.ops.empty() && std::find(flags.ops.begin(), flags.ops.end(), op->name) == flags.ops.end()) continue;
    int64_t cases = 0, checks = 0, failed = 0;
    for (const Case& c : all_cases()) {
      if (std::string(c.op) != op->name) continue;
      ++cases;
      for (const CaseOutcome& outcome : run_case(c)) {
        checks += outcome.report.checked;
        failed += !outcome.report.ok;
        if (flags.json)
          json.push_back({{"op", op->name}, {"case", c.label}, {"check", outcome.what}, {"report", to_json(outcome.report)}});
        else if (!outcome.report.ok)
          std::printf("%s (%s), %s: %s\n", op->name, c.label.c_str(), outcome.what.c_str(), outcome.report.text().c_str());
      }
    }
    ok &= failed == 0 && cases > 0;
    if (!flags.json) std::printf("%-32s %s  %ld cases, %ld derivatives\n", op->name, failed ? "FAILED" : "ok", static_cast<long>(cases), static_cast<long>(checks));
  }
  if (flags.json) std::printf("%s\n", json.dump(1).c_str());
  return ok ? 0 : 1;
}

int run(const Flags& flags) {
  const int said = !flags.ops.empty() + !flags.model.empty() + flags.all;
  SLOPE_CHECK_AS(UsageError, said == 1, "gradcheck: name operations, or --model MODEL, or --all");
  if (flags.model.empty()) return check_operations(flags);
  const GradcheckReport report = check_model(flags.model);
  if (flags.json)
    std::printf("%s\n", nlohmann::ordered_json{{"model", flags.model}, {"report", to_json(report)}}.dump(1).c_str());
  else
    std::printf("%s: %s\n", flags.model.c_str(), report.text().c_str());
  return report.ok ? 0 : 1;
}

}  // namespace

void add_gradcheck(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("gradcheck",
                                         "Compare derivatives with finite differences, in f64: first and second order, every memory layout.\n"
                                         "Example: slope gradcheck softmax layer_norm");
  static Flags flags;
  command->add_option("op", flags.ops, "operations")->type_name("OP");
  command->add_option("--model", flags.model, "all parameters of a small c-scratch, char-gpt or mlp")->type_name("MODEL");
  command->add_flag("--all", flags.all, "every operation");
  command->add_flag("--json", flags.json, "the whole report as JSON");
  command->callback([&action] { action = [] { return run(flags); }; });
}

}  // namespace slope::tools
