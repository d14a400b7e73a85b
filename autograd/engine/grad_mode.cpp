#include <slope/autograd/grad_mode.h>

namespace slope {

static thread_local bool records = true;

bool grad_enabled() { return records; }
GradMode::GradMode(bool enabled) : before_(records) { records = enabled; }
GradMode::~GradMode() { records = before_; }

}  // namespace slope
