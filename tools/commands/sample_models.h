// Small instances of the zoo's models with data of their own: for checking every parameter's
// gradient and for drawing.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

#include <memory>

namespace slope::tools {

struct SampleModel {
  virtual ~SampleModel() = default;
  virtual std::vector<NamedLeaf> parameters() const = 0;  // f64
  virtual Tensor loss() const = 0;                        // the same at each call
};

// UsageError naming those that there are
std::unique_ptr<SampleModel> sample_model(const std::string& name);

}  // namespace slope::tools
