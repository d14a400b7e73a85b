#include <slope/autograd/gradcheck/culprit/callers.h>

#if defined(__GLIBC__) && !defined(SLOPE_PLAIN)
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <vector>
#endif

namespace slope {

#if defined(__GLIBC__) && !defined(SLOPE_PLAIN)

namespace {

constexpr size_t most_callers = 4;

// What addr2line prints for the calls within the program itself: "function at file:line", and one
// more line for each inlined call; each address stands before its line. Address 0 ends an
// operation.
std::vector<std::string> lines_of(const std::vector<Frames>& operations) {
  std::string addresses;
  for (const Frames& frames : operations) {
    for (void* frame : frames) {
      Dl_info info;
      link_map* map = nullptr;
      if (!dladdr1(frame, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP)) continue;
      if (map->l_name[0]) continue;  // in a library
      // the call, not the instruction after it
      addresses += fmt::format("{:#x} ", reinterpret_cast<uintptr_t>(frame) - map->l_addr - 1);
    }
    addresses += "0x0 ";
  }
  const std::string command =
      fmt::format("addr2line -aCfipe /proc/{}/exe {} 2>/dev/null </dev/null",
                  static_cast<long>(getpid()), addresses);
  std::vector<std::string> result;
  if (FILE* pipe = addresses.empty() ? nullptr : popen(command.c_str(), "r")) {
    char buffer[4096];
    while (std::fgets(buffer, sizeof buffer, pipe)) {
      result.emplace_back(buffer);
      while (!result.back().empty() && result.back().back() == '\n') result.back().pop_back();
    }
    pclose(pipe);
  }
  return result;
}

std::string without(std::string text, const std::string& part) {
  for (size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

// "slope::Tensor slope::(anonymous namespace)::Net::forward(slope::Tensor const&) const" becomes
// "Net::forward".
std::string short_name(std::string name) {
  name = without(without(without(name, "(anonymous namespace)::"), "slope::"), " (inlined by) ");
  name = name.substr(0, name.find_first_of("(<"));
  return name.substr(name.rfind(' ') + 1);
}

// Text from the lines of one operation.
std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  size_t callers = 0;
  bool is_above = false;  // whether the frames of Op::record have been passed
  for (const std::string& line : lines) {
    const size_t at = line.rfind(" at ");
    if (at == std::string::npos || callers == most_callers) continue;
    const std::string function = line.substr(0, at), place = line.substr(at + 4);
    if (function.find("slope::Op::record") != std::string::npos) {
      is_above = true;
    } else if (function.find("slope::evaluate(") != std::string::npos ||
               function.find("std::_Function_handler") != std::string::npos) {
      return text;
    } else if (is_above && function.find("std::") != 0) {
      ++callers;
      text += (text.empty() ? "" : " < ") + short_name(function);
      if (place.find('?') == std::string::npos)
        text += fmt::format(" ({})", place.substr(place.rfind('/') + 1));
    }
  }
  return text;
}

}  // namespace

Frames frames_of_operation() {
  Frames frames(48);
  frames.resize(static_cast<size_t>(backtrace(frames.data(), 48)));
  return frames;
}

std::vector<std::string> callers_of(const std::vector<Frames>& operations) {
  std::vector<std::string> result, lines;
  for (const std::string& line : lines_of(operations)) {
    const size_t colon = line.starts_with("0x") ? line.find(": ") : std::string::npos;
    if (colon != std::string::npos && line.find_first_not_of("0x") == colon) {
      result.push_back(text_of(lines));
      lines.clear();
    } else {
      lines.push_back(colon == std::string::npos ? line : line.substr(colon + 2));
    }
  }
  result.resize(operations.size());
  return result;
}

#else

Frames frames_of_operation() { return {}; }
std::vector<std::string> callers_of(const std::vector<Frames>& operations) {
  return std::vector<std::string>(operations.size());
}

#endif

}  // namespace slope
