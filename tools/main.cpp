// slope: train, translate, generate, evaluate, check gradients, look into files and graphs.
#include <slope/core/error.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/blas.h>
#include <slope/tools/command.h>
#include <slope/tools/command_line.h>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <string_view>
#include <vector>

namespace slope::tools {

std::string visible(const std::string& text) {
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]),
               next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : ' ');
    const bool is_c1 = c == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
    if (c < ' ' || c == 0x7F || is_c1)
      line += fmt::format("\\x{:02x}", is_c1 ? next : c);
    else
      line += text[i];
    if (is_c1) ++i;
  }
  return line;
}

void check_standard_output() {
  SLOPE_CHECK_AS(IoError, !std::ferror(stdout), "standard output could not be written");
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  check_standard_output();
}
void flush() {
  std::fflush(stdout);
  check_standard_output();
}

std::string version_text() {
  return fmt::format("slope {}\nkernels: {}\nmatrix products: {}\nthreads: {}", SLOPE_VERSION,
                     name(cpu_isa()), blas_description(), num_threads());
}

namespace {

int report(const std::string& what, int code) {
  std::fputs(fmt::format("slope: {}\n", visible(what)).c_str(), stderr);
  return code;
}

// The one place where an error becomes an exit code.
int exit_code_of(const std::function<int()>& run) {
  try {
    return run();
  } catch (const UsageError& e) {
    return report(e.what(), 2);
  } catch (const InputError& e) {
    return report(e.what(), 3);
  } catch (const IoError& e) {
    return report(e.what(), 4);
  } catch (const MemoryError& e) {
    return report(e.what(), 4);
  } catch (const NumericError& e) {
    return report(e.what(), 5);
  } catch (const Error& e) {
    return report(e.what(), 3);
  } catch (const std::filesystem::filesystem_error& e) {
    return report(fmt::format("{}: {}", e.path1().string(), e.code().message()), 4);
  } catch (const std::bad_alloc&) {
    return report("out of memory", 4);
  } catch (const std::exception& e) {  // a library's
    return report(e.what(), 3);
  }
}

// Where 0, 1 or 2 are closed, the next file that is opened would take that number, and what is
// printed would go into it.
void occupy_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) == -1)
      (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);  // reading and writing go on failing
}

// What libraries read from the environment when they are loaded: where it is not there, the program
// starts itself once more with it, before any constructor has run (.preinit_array; where that or
// the start fails, all works, only slower beside other programs). libgomp's threads spin for
// milliseconds between parallel loops, which costs much where cores are shared. OpenBLAS makes
// threads that nobody here uses; where addresses are limited (ulimit -v) they come half to life,
// and the program's end would wait for them for ever.
void set_up_libraries(int, char** argv, char** environment) {
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

[[gnu::used,
  gnu::section(".preinit_array")]] void (*const before_constructors)(int, char**,
                                                                     char**) = set_up_libraries;

}  // namespace

int run(int argc, char** argv) {
  return exit_code_of([&] {
    const int code = parse_command_line(argc, argv)();
    flush();
    return code;
  });
}

}  // namespace slope::tools

int main(int argc, char** argv) {
  slope::tools::occupy_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write, reported as such
  return slope::tools::run(argc, argv);
}
