// NotCopied<T>: T moves, but a program that copies a T does not compile, and the compiler's first
// error says what to write instead. (With a deleted copy constructor the error would say only that
// it is deleted; refuse() is instantiated where a copy is made.)
#pragma once

namespace slope::nn {

template <class T>
struct NotCopied {
  NotCopied() = default;
  NotCopied(NotCopied&&) noexcept = default;
  NotCopied& operator=(NotCopied&&) noexcept = default;
  NotCopied(const NotCopied&) { refuse(); }
  NotCopied& operator=(const NotCopied&) { refuse(); }

 private:
  static void refuse() {
    static_assert(sizeof(T) == 0,
                  "a module, a Parameter or a Buffer is not copied: std::move(x) hands it over, "
                  "nn::clone(module) makes an independent one, nn::tie(a, b) shares a parameter; "
                  "build the items of a list one by one");
  }
};

}  // namespace slope::nn
