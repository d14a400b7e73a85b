#include <slope/core/files/system_call.h>
#include <slope/core/text/visible.h>
#include <slope/models/infer/load.h>
#include <slope/models/lint/lint_model.h>
#include <slope/models/lint/subject.h>
#include <slope/models/registry.h>
#include <slope/models/run/run_folder.h>

#include <algorithm>

namespace slope::train {

using namespace models;
using namespace nn::lint;

namespace {

constexpr int64_t padding = 2;  // positions that padding_influence and masked_rows append

struct Linter {
  LintReport report;
  void add(const std::string& check, const std::string& of, const Findings& found) {
    const std::string prefix = of.empty() ? "" : of + ": ";
    report.checks.push_back(prefix + check);
    for (Finding f : found) {
      f.text = prefix + f.text;
      report.findings.push_back(f);
    }
  }

  // Checks of the outputs as functions of the inputs, which must hold for any weights.
  void outputs(const Subject& s) {
    const nn::EvalMode eval_mode;
    const nn::ModuleRef model = s.model->module();
    const Tensor loss = s.loss(0, s.rows);
    add("unused-parameter", "", unused_parameters(model, loss));
    add("foreign-parameter", "", foreign_parameters(model, loss));
    add("dead-gradient", "", dead_gradients(model, loss));
    for (const LintInput& in : s.inputs) {
      if (in.has_positions) {
        const Dependence d = dependence(in.f, in.x);
        add("ignored-input", in.name, ignored_inputs(d));
        add("lengths", in.name, refused_lengths(in.f, in.x));
        if (in.causal) add("causality", in.name, leaks(d));
      }
      add("batch", in.name, batch_influence(in.f, in.x));
      if (!in.pad || in.x.size(1) + padding > s.longest) continue;  // no room for padding
      add("padding", in.name, padding_influence(in.f, in.x, *in.pad));
      if (!in.causal) add("masked-rows", in.name, masked_rows(in.f, in.x, *in.pad));
    }
  }
  // Checks that need a model without dropout.
  void training(const Subject& s) {
    const nn::ModuleRef model = s.model->module();
    add("train-eval", "", train_against_eval(model, [&] { return s.loss(0, s.rows); }));
    add("accumulation", "",
        accumulation(
            model,
            [&](int64_t parts) {
              for (int64_t i = 0; i < parts; ++i)
                s.loss(i * s.rows / parts, s.rows / parts).backward();
            },
            2));
    add("mode", "", modes_left(model, s.use));
  }
};

}  // namespace

std::unique_ptr<ModelConfig> without_dropout(const ModelConfig& config) {
  auto copy = config.clone();
  for (const Setting& s : copy->settings())
    if (auto* const* p = std::get_if<double*>(&s.place); p && s.key.ends_with("dropout")) **p = 0;
  return copy;
}

LintReport lint_model(const ModelType& type) {
  const auto config = without_dropout(*type.small());
  const Subject subject = subject_of(type, *config);
  Linter linter{{type.name, {}, {}}};
  linter.outputs(subject);
  linter.training(subject);
  linter.add("setting", "", idle_settings(type, *config));
  return linter.report;
}

LintReport lint_run(const std::string& checkpoint) {
  const RunSettings settings = read_config(checkpoint + "/config.json");
  const ModelType& type = settings.type();
  VocabSizes sizes{11, 12};
  Subject subject;
  const auto columns = [](int64_t longest) { return std::min<int64_t>(5, longest); };
  switch (type.kind) {
    case Kind::translation: {
      Translator t = load_translator(checkpoint);
      sizes = {t.source->size(), t.target->size(),
               settings.data<ParallelTextSettings>().shared_vocabulary};
      const int64_t longest = t.model->positions();
      subject = subject_of(std::move(t.model), sizes, columns(longest));
      break;
    }
    case Kind::language_model: {
      TextModel t = load_language_model(checkpoint);
      sizes.source = t.tokenizer->size();
      const int64_t longest = t.model->block_size();
      subject = subject_of(std::move(t.model), sizes.source, columns(longest));
      break;
    }
    case Kind::points: subject = subject_of(load_points_model(checkpoint).model); break;
  }
  Linter linter{{checkpoint, {}, {}}};
  linter.outputs(subject);
  linter.training(subject_of(type, *without_dropout(settings.config()), sizes));
  linter.add("setting", "", idle_settings(type, *without_dropout(*type.small())));
  return linter.report;
}

LintReport lint_named(const std::string& name) {
  if (const ModelType* type = find_model(name)) return lint_model(*type);
  if (!sys::is_folder(name)) static_cast<void>(model_named(name));  // which throws
  LintReport report = lint_run(checkpoint_folder(name));
  report.name = name;
  return report;
}

std::string LintReport::text() const {
  const auto count = [](size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  const auto unexplained = static_cast<size_t>(count_unexplained(findings));
  std::string text = fmt::format("{}: {}, {}", visible(name), count(checks.size(), "check"),
                                 unexplained ? count(unexplained, "finding") : "no finding");
  if (const size_t explained = findings.size() - unexplained)
    text += fmt::format(", {} explained", explained);
  text += "\n";
  for (const Finding& f : findings)
    text += fmt::format("  {}{}: {}\n", f.detector, f.reason.empty() ? "" : " (explained)",
                        f.reason.empty() ? f.text : f.text + "; " + f.reason);
  return text;
}

}  // namespace slope::train
