#include <slope/autograd/grad_mode.h>

namespace slope {

static thread_local bool mode = true;

bool grad_enabled() { return mode; }
GradMode::GradMode(bool enabled) : before_(mode) { mode = enabled; }
GradMode::~GradMode() { mode = before_; }

}  // namespace slope
