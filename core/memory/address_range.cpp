#include <slope/core/memory/address_range.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace slope::memory {

namespace {
std::byte* next_huge_page(void* address) {
  const auto beyond = reinterpret_cast<uintptr_t>(address) % huge_page;
  return static_cast<std::byte*>(address) + (beyond == 0 ? 0 : huge_page - beyond);
}
}  // namespace

#if defined(__linux__)

namespace {
// The bytes to reserve: the size of the machine's memory, but at most a quarter of a limit on
// addresses (ulimit -v), because the rest of the process needs some too.
size_t usual_room() {
  const auto of_machine = static_cast<size_t>(std::max(0l, sysconf(_SC_PHYS_PAGES))) *
                          static_cast<size_t>(sysconf(_SC_PAGESIZE));
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_AS, &limit);
  const size_t bytes = limit.rlim_cur == RLIM_INFINITY
                           ? of_machine
                           : std::min(of_machine, static_cast<size_t>(limit.rlim_cur) / 4);
  return bytes / huge_page * huge_page;
}
}  // namespace

bool AddressRange::renew(size_t least) {
  for (size_t bytes = std::max(least, usual_room());; bytes = std::max(least, bytes / 2)) {
    void* found = mmap(nullptr, bytes + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found != MAP_FAILED) {
      madvise(found, bytes + huge_page, MADV_HUGEPAGE);
      top_ = next_huge_page(found);
      room_ = bytes;
      return true;
    }
    if (bytes == least) return false;
  }
}

bool AddressRange::extend(size_t bytes) {
  if (mprotect(top_, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  top_ += bytes;
  room_ -= bytes;
  return true;
}

AddressRange::Stretch AddressRange::abandon() {
  if (room_ > 0) munmap(top_, room_);
  *this = {};
  return {nullptr, 0};
}

void give_back(std::byte* begin, size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t before = (page - reinterpret_cast<uintptr_t>(begin) % page) % page;
  if (before + page <= bytes)
    madvise(begin + before, (bytes - before) / page * page, MADV_DONTNEED);
}

#else

bool AddressRange::renew(size_t least) {
  const size_t bytes = std::max(least, 8 * huge_page);
  void* found = std::malloc(bytes + huge_page);
  if (!found) return false;
  top_ = next_huge_page(found);
  room_ = bytes;
  return true;
}

bool AddressRange::extend(size_t bytes) {
  top_ += bytes;
  room_ -= bytes;
  return true;
}

AddressRange::Stretch AddressRange::abandon() {
  const Stretch rest{top_, room_};
  *this = {};
  return rest;
}

void give_back(std::byte*, size_t) {}

#endif

}  // namespace slope::memory
