// slope: train, translate, generate, evaluate, check gradients, look into files and graphs.
#include <slope/tools/main.h>
#include <slope/tools/process.h>

namespace {

// Reserves memory for when the process runs out of it (process.h). Constructors of global objects
// already allocate, so this runs before them.
void reserve(int, char**, char**) { slope::tools::reserve_memory(); }
[[gnu::used, gnu::section(".preinit_array")]] void (*const first)(int, char**, char**) = reserve;

}  // namespace

int main(int argc, char** argv) { return slope::tools::command_main(argc, argv); }
