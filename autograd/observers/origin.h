// Where a node was made: the chain of calls above the operation, for anomaly mode. Empty if the
// platform has no backtraces.
#pragma once

#include <string>

namespace slope {
std::string describe_origin();
}
