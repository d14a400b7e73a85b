#include <slope/autograd/grad_mode.h>

namespace slope {

namespace {
thread_local bool grad_mode = true, anomaly_mode = false;
}

bool grad_enabled() { return grad_mode; }
bool anomaly_enabled() { return anomaly_mode; }

GradMode::GradMode(bool enabled) : before_(grad_mode) { grad_mode = enabled; }
GradMode::~GradMode() { grad_mode = before_; }

DetectAnomaly::DetectAnomaly(bool enabled) : before_(anomaly_mode) { anomaly_mode = enabled; }
DetectAnomaly::~DetectAnomaly() { anomaly_mode = before_; }

}  // namespace slope
