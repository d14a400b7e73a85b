#include <slope/tools/process.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

// Replaces the C library's getenv, also for all libraries that this program loads.
extern "C" [[gnu::visibility("default")]] char* getenv(const char* name) noexcept {
  const std::string_view wanted = name;
  for (char** at = environ; at && *at; ++at) {
    const std::string_view entry = *at;
    if (entry.starts_with(wanted) && entry.substr(wanted.size()).starts_with('='))
      return *at + wanted.size() + 1;
  }
  static char spins[] = "10000", one_thread[] = "1";
  if (wanted == "GOMP_SPINCOUNT" && !getenv("OMP_WAIT_POLICY")) return spins;
  if (wanted == "OPENBLAS_NUM_THREADS") return one_thread;
  return nullptr;
}

namespace slope::tools {

void occupy_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) == -1)
      (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);  // reading and writing still fail
}

namespace {

constexpr size_t block = 32 << 10;
std::array<std::atomic<void*>, 16> reserve;
std::atomic<bool> ran_out{false}, reserve_is_spent{false};

void give_from_reserve() {
  ran_out = true;
  for (std::atomic<void*>& part : reserve)
    if (void* memory = part.exchange(nullptr)) return std::free(memory);  // `new` tries again
  reserve_is_spent = true;
  throw std::bad_alloc();
}

}  // namespace

void reserve_memory() {
  for (std::atomic<void*>& part : reserve)
    if (!part) part = std::malloc(block);
  std::set_new_handler(give_from_reserve);
}

void report_failed_allocations_of_libraries() {
  static const std::terminate_handler before = std::get_terminate();
  std::set_terminate([] {
    bool is_of_memory =
        reserve_is_spent;  // std::bad_alloc in a destructor may leave no current exception
    try {
      if (const std::exception_ptr e = std::current_exception()) std::rethrow_exception(e);
    } catch (const std::bad_alloc&) {
      is_of_memory = true;
    } catch (...) {  // a fault of the program
      is_of_memory = false;
    }
    if (!is_of_memory) before();
    constexpr std::string_view text = "slope: out of memory\n";
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    _exit(4);
  });
}

bool memory_ran_out() { return ran_out; }

}  // namespace slope::tools
