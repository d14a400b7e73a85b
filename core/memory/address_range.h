// AddressRange: fresh memory from the system, in stretches at growing addresses, so that blocks cut
// from it can merge with whatever is next to them. On Linux it reserves address space the size of
// RAM at once, which costs nothing, and commits it on demand; under a limit (ulimit -v) it reserves
// at most a quarter of the limit. Private to core/memory/memory.cpp.
#pragma once

#include <cstddef>

namespace slope::memory {

inline constexpr size_t huge_page = size_t{2} << 20;

class AddressRange {
 public:
  std::byte* top() const { return top_; }  // where the next stretch begins
  size_t room() const { return room_; }    // bytes left from there on

  // commits the next `bytes`, at most room(); false if the system has no more
  bool extend(size_t bytes);
  // continues at other addresses, with room for at least `least` bytes; false, without any change,
  // if there are none
  bool renew(size_t least);

  struct Stretch {
    std::byte* begin;
    size_t bytes;
  };
  // ends the range; returns its usable rest: none on Linux, where the rest was only reserved
  Stretch abandon();

 private:
  std::byte* top_ = nullptr;
  size_t room_ = 0;
};

// Returns the whole pages of a stretch to the system. Its addresses can be used again at any time.
void give_back(std::byte* begin, size_t bytes);

}  // namespace slope::memory
