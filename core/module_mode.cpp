#include <slope/core/module_mode.h>

namespace slope {

constinit thread_local ModuleMode module_mode;

}  // namespace slope
