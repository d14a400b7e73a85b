// Separates caught errors about the code that threw them from those about the system (no memory, no
// thread, a read or write that failed).
#pragma once

#include <slope/core/error.h>

#include <new>

namespace slope {

// In a catch block: throws the error again if it is about the system.
inline void rethrow_if_scarce() {
  try {
    throw;
  } catch (const MemoryError&) {
    throw;
  } catch (const IoError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
  }
}

}  // namespace slope
