#include <slope/core/error.h>
#include <slope/core/module_path.h>

namespace slope {

OperandError::OperandError(const std::string& text)
    : Error(current_module() ? fmt::format("{} (in module {})", text, current_module()) : text) {}

}  // namespace slope
