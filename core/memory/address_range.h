// Memory fresh from the system, one stretch after the other at growing addresses: blocks that are
// cut from it can merge with whatever stands beside them. Where the system can, addresses as many
// as the machine has memory are set aside at once, which costs nothing, and become memory as they
// are asked for; under a limit (ulimit -v) a quarter of what it allows. Private to
// core/memory/memory.cpp.
#pragma once

#include <cstddef>

namespace slope::memory {

inline constexpr size_t huge_page = size_t{2} << 20;

class AddressRange {
 public:
  std::byte* top() const { return top_; }  // where the next stretch begins
  size_t room() const { return room_; }    // bytes from there on

  // makes the next ones, at most room(), memory; false where the system has no more
  bool extend(size_t bytes);
  bool renew(size_t least);  // goes on at other addresses, with room for so much; false, and all as
                             // before, where there are none

  struct Stretch {
    std::byte* begin;
    size_t bytes;
  };
  Stretch abandon();  // ends the range; what is left of it, where that is memory already

 private:
  std::byte* top_ = nullptr;
  size_t room_ = 0;
};

// Lets the system have the whole pages of a stretch that is not needed for now. Its addresses can
// be used again at any time.
void give_back(std::byte* begin, size_t bytes);

}  // namespace slope::memory
