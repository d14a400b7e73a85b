// Runs all detectors on a model of the registry or on a run.
#pragma once

#include <slope/models/kinds/model.h>
#include <slope/nn/lint/lint.h>

namespace slope::train {

struct LintReport {
  std::string name;
  std::vector<std::string> checks;  // the checks that ran, in order: "source: padding"
  nn::lint::Findings findings;
  bool ok() const { return nn::lint::count_unexplained(findings) == 0; }
  std::string text() const;  // a summary line, then one for each finding
};

LintReport lint_model(const models::ModelType& type);  // with its small config and new weights
// With the run's weights; new ones where a check needs a model without dropout; the small config to
// check settings.
LintReport lint_run(const std::string& checkpoint);
// A model's name or a run's folder; if it is neither, a UsageError lists the models.
LintReport lint_named(const std::string& name);

// Settings that change neither parameters, nor the loss in training, nor the longest input.
nn::lint::Findings idle_settings(const models::ModelType& type, const models::ModelConfig& config);

// A copy of the config with every dropout probability 0.
std::unique_ptr<models::ModelConfig> without_dropout(const models::ModelConfig& config);

}  // namespace slope::train
