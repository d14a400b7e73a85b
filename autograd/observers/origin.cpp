#include <slope/autograd/observers/origin.h>

#if defined(__GLIBC__) && !defined(SLOPE_PLAIN)
#include <cxxabi.h>
#include <execinfo.h>

#include <cstdlib>
#endif

namespace slope {

std::string describe_origin() {
  std::string text;
#if defined(__GLIBC__) && !defined(SLOPE_PLAIN)
  constexpr int own_frames = 3, most = 12;  // describe_origin, recorded, record
  void* frames[own_frames + most];
  const int n = backtrace(frames, own_frames + most);
  char** symbols = backtrace_symbols(frames, n);
  for (int i = own_frames; symbols && i < n; ++i) {
    std::string frame = symbols[i];  // "program(mangled+0x1f) [0x…]"
    const size_t open = frame.find('('), plus = frame.find('+', open);
    if (open != std::string::npos && plus != std::string::npos && plus > open + 1) {
      int status = 0;
      char* plain = abi::__cxa_demangle(frame.substr(open + 1, plus - open - 1).c_str(), nullptr,
                                        nullptr, &status);
      if (status == 0 && plain) frame = plain;
      std::free(plain);
    }
    text += (text.empty() ? "" : " < ") + frame;
  }
  std::free(symbols);
#endif
  return text;
}

}  // namespace slope
