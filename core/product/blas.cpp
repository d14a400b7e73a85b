#include <slope/core/product/blas.h>

#include <algorithm>
#include <array>

#if defined(SLOPE_BLAS)
#include <cblas.h>

#include <cstdlib>
#include <mutex>
#if defined(SLOPE_OPENMP)
#include <omp.h>
#endif

// Only builds with several core types (DYNAMIC_ARCH) have these.
extern "C" {
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
}
#endif

namespace slope {

Vectors cpu_vectors() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return Vectors::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::avx2;
#endif
  return Vectors::sse;
}

std::optional<std::string> better_blas_core(const std::string& chosen, Vectors cpu) {
  constexpr std::array avx512 = {"SkylakeX", "Cooperlake", "SapphireRapids"},
                       avx2 = {"Haswell", "Zen", "Excavator"};
  const auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), chosen) != names.end();
  };
  const Vectors used = is_one_of(avx512) ? Vectors::avx512
                       : is_one_of(avx2) ? Vectors::avx2
                                         : Vectors::sse;
  if (used >= cpu) return std::nullopt;
  return cpu == Vectors::avx512 ? "SkylakeX" : "Haswell";
}

#if defined(SLOPE_BLAS)
namespace {

void correct_core_type() {
  const char* variable = "OPENBLAS_CORETYPE";
  // a user's choice wins
  if (std::getenv(variable) || !gotoblas_dynamic_init || !gotoblas_dynamic_quit) return;
  const std::optional<std::string> core = better_blas_core(openblas_get_corename(), cpu_vectors());
  if (!core) return;
  setenv(variable, core->c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(variable);
}

void keep_single_threaded() {
  if (openblas_get_num_threads() == 1) return;
#if defined(SLOPE_OPENMP)
  const int threads = omp_get_max_threads();  // OpenBLAS's OpenMP build changes this number too
#endif
  openblas_set_num_threads(1);
#if defined(SLOPE_OPENMP)
  omp_set_num_threads(threads);
#endif
}

// OpenBLAS's constructor has already run: libraries are loaded before their users. The first
// priority that is not the system's: a user's own static variables may start threads.
[[gnu::constructor(101)]] void set_up_at_load() {
  correct_core_type();
  keep_single_threaded();
}

}  // namespace

void initialise_blas() {
  static std::once_flag once;
  std::call_once(once, keep_single_threaded);
}

std::string blas_description() {
  initialise_blas();
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
  const size_t name_end = config.find(' '), version_end = config.find(' ', name_end + 1);
  constexpr const char* builds[] = {"serial", "pthread", "OpenMP"};
  return config.substr(0, version_end) + ", kernels " + openblas_get_corename() + ", " +
         builds[std::clamp(openblas_get_parallel(), 0, 2)] + " build, one thread a call";
}
#else
void initialise_blas() {}
std::string blas_description() { return "own loops"; }
#endif

}  // namespace slope
