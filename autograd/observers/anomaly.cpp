// Anomaly mode is an observer: it notes where each node is made and checks every contribution.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/observer.h>
#include <slope/autograd/observers/origin.h>

#include <cmath>

namespace slope {

namespace {

thread_local bool mode = false;

struct Anomaly : Observer {
  bool sees_contributions() const override { return mode; }

  void recorded(const Recorded& made) override {
    if (mode && made.node) made.node->origin = std::make_unique<std::string>(describe_origin());
  }

  void contributed(const Node& node, size_t input, const Tensor& g) override {
    if (!mode) return;
    const std::vector<double> values = g.detach().to_vector();
    for (size_t k = 0; k < values.size(); ++k)
      SLOPE_CHECK_AS(NumericError, std::isfinite(values[k]),
                     "backward of {}{}{}: the gradient of input {} is {} at element {} of shape "
                     "{}{}{}",
                     node.op->name, node.module ? " in module " : "",
                     node.module ? node.module : "", input, std::isnan(values[k]) ? NAN : values[k],
                     k, g.shape(),
                     node.origin ? "; made by "
                                 : "; run the forward under DetectAnomaly to see where it was made",
                     node.origin ? *node.origin : "");
  }
};

thread_local Anomaly anomaly;

}  // namespace

bool anomaly_enabled() { return mode; }

DetectAnomaly::DetectAnomaly(bool enabled)
    : before_(mode), observe_(enabled && !mode ? std::make_unique<Observe>(anomaly) : nullptr) {
  mode = enabled;
}
DetectAnomaly::~DetectAnomaly() { mode = before_; }

}  // namespace slope
