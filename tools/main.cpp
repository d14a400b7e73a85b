// slope: train, translate, generate, evaluate, check gradients, look into files and graphs.
#include <slope/tools/main.h>
#include <slope/tools/process.h>

namespace {

void before_constructors(int, char** argv, char** environment) {
  slope::tools::set_up_libraries(argv, environment);
  slope::tools::reserve_memory();  // constructors allocate too
}
[[gnu::used, gnu::section(".preinit_array")]] void (*const first)(int, char**,
                                                                  char**) = before_constructors;

}  // namespace

int main(int argc, char** argv) { return slope::tools::command_main(argc, argv); }
