#include <slope/nn/module/mode.h>

namespace slope::nn {

constinit thread_local int detail::eval_modes = 0;

}  // namespace slope::nn
