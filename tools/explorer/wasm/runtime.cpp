// What C++ needs in WebAssembly besides its libraries for WASI.
#include <cstdint>
#include <cstdlib>

// The tag under which exceptions are thrown.
asm(R"(
  .globl __cpp_exception
  .tagtype __cpp_exception i32
__cpp_exception:
)");

extern "C" {
// Destructors of thread-local variables never run: there is one thread, which does not end.
int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

// Debian compiles clang's runtime library, which calls these, with stack protection.
uintptr_t __stack_chk_guard = 0x5107e;
void __stack_chk_fail() { abort(); }
}
