// Where a node was made: the chain of calls above the operation, for anomaly mode. Empty where the
// platform cannot tell.
#pragma once

#include <string>

namespace slope {
std::string describe_origin();
}
