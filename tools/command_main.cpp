// From a command line to an exit code: here exceptions become exit codes.
#include <slope/core/error.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/core/product/blas.h>
#include <slope/tools/command.h>
#include <slope/tools/command_line.h>
#include <slope/tools/main.h>
#include <slope/tools/process.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>

#include <unistd.h>

namespace slope::tools {

std::string version_text() {
  return fmt::format("slope {}\nkernels: {}\nmatrix products: {}\nbf16 products: {}\nthreads: {}",
                     SLOPE_VERSION, name(cpu_isa()), blas_description(), name(bf16_unit()),
                     num_threads());
}

namespace {

constexpr const char* out_of_memory = "out of memory";

int report(const std::string& what, int code) {
  try {
    std::fputs(fmt::format("slope: {}\n", visible(what)).c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "slope: %s\n", out_of_memory);
  }
  return code;
}

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
    return report(out_of_memory, 4);
  } catch (const std::exception& e) {  // from a library
    return report(e.what(), 3);
  }
}

}  // namespace

int command_main(int argc, char** argv) {
  occupy_standard_descriptors();
  reserve_memory();
  report_failed_allocations_of_libraries();
  // A closed pipe, or a file beyond `ulimit -f`, makes the write fail, which is reported.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  return exit_code_of([&] {
    const int code = parse_command_line(argc, argv)();
    flush();
    SLOPE_CHECK_AS(MemoryError, code != 0 || !memory_ran_out(),
                   "memory ran out; a reserve was enough to finish; free some memory");
    return code;
  });
}

}  // namespace slope::tools
