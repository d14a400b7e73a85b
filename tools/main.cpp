// slope: train, translate, generate, evaluate, check gradients, look into files and graphs.
#include <slope/tools/main.h>
#include <slope/tools/process.h>

namespace {

// For when the process runs out of memory (process.h). Constructors of global objects already
// allocate (CLI11's do), so this runs before them.
void prepare(int, char**, char**) {
  slope::tools::reserve_memory();
  slope::tools::report_failed_allocations_of_libraries();
}
[[gnu::used, gnu::section(".preinit_array")]] void (*const first)(int, char**, char**) = prepare;

}  // namespace

int main(int argc, char** argv) { return slope::tools::command_main(argc, argv); }
