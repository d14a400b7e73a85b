#include <slope/tools/process.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace slope::tools {

void occupy_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) == -1)
      (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);  // reading and writing still fail
}

void set_up_libraries(char** argv, char** environment) {
  std::vector<char*> entries;
  for (char** entry = environment; *entry; ++entry) entries.push_back(*entry);
  const auto is_set = [&](std::string_view name) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](std::string_view entry) { return entry.starts_with(name); });
  };
  // about 20 µs
  static char spins[] = "GOMP_SPINCOUNT=10000", one_thread[] = "OPENBLAS_NUM_THREADS=1";
  const size_t before = entries.size();
  if (!is_set("GOMP_SPINCOUNT=") && !is_set("OMP_WAIT_POLICY=")) entries.push_back(spins);
  if (!is_set("OPENBLAS_NUM_THREADS=")) entries.push_back(one_thread);
  if (entries.size() == before) return;
  entries.push_back(nullptr);
  execve("/proc/self/exe", argv, entries.data());
}

namespace {

constexpr size_t block = 32 << 10;
std::array<std::atomic<void*>, 16> reserve;
std::atomic<bool> ran_out{false};

void give_from_reserve() {
  ran_out = true;
  for (std::atomic<void*>& part : reserve)
    if (void* memory = part.exchange(nullptr)) return std::free(memory);  // `new` tries again
  throw std::bad_alloc();
}

}  // namespace

void reserve_memory() {
  for (std::atomic<void*>& part : reserve)
    if (!part) part = std::malloc(block);
  std::set_new_handler(give_from_reserve);
}

bool memory_ran_out() { return ran_out; }

}  // namespace slope::tools
