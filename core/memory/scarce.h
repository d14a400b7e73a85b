// Tells apart caught errors: those that concern the code that threw them, and those that only say
// that the system gave no more memory, threads or files.
#pragma once

#include <slope/core/error.h>

#include <new>

namespace slope {

// In a catch block: throws the error again if it is of the second kind.
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
