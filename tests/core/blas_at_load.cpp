// A program that multiplies with cblas in its own threads while slope's first product runs. slope
// corrects OpenBLAS when the program is loaded, before main; nothing changes later, neither the
// environment nor the kernels that those threads run.
//
// A CPU that OpenBLAS knows needs no correction. Here a constructor that runs before slope's has
// OpenBLAS choose the old core to which it falls back on a CPU that it does not know.
#include <slope/core/product/blas.h>
#include <slope/core/product/gemm.h>

#include <fmt/format.h>

#include <cblas.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

extern "C" {
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
}

namespace {

std::atomic<int> changes{0};  // of the environment, by any code

constexpr const char* variable = "OPENBLAS_CORETYPE";
bool has_cores() { return gotoblas_dynamic_init && gotoblas_dynamic_quit; }
const char* asked = nullptr;  // by the user; then slope corrects nothing

[[gnu::constructor(101)]] void choose_an_old_core() {
  asked = std::getenv(variable);
  if (asked || !has_cores()) return;
  setenv(variable, "Prescott", 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(variable);
}

bool failed(const char* what) { return fmt::print(stderr, "blas_at_load: {}\n", what), true; }

// n x n matrices of small integers, whose product is exact with any kernel.
constexpr int n = 48;

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(n * n);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0,
              c.data(), n);
  return c;
}

}  // namespace

// Replaces the C library's, for slope and OpenBLAS too.
extern "C" int setenv(const char* name, const char* value, int overwrite) noexcept {
  ++changes;
  static const auto next = reinterpret_cast<decltype(&setenv)>(dlsym(RTLD_NEXT, "setenv"));
  return next(name, value, overwrite);
}

extern "C" int unsetenv(const char* name) noexcept {
  ++changes;
  static const auto next = reinterpret_cast<decltype(&unsetenv)>(dlsym(RTLD_NEXT, "unsetenv"));
  return next(name);
}

int main() {
  const std::string core = openblas_get_corename();
  bool bad = false;
  if (has_cores() && !asked) {
    if (slope::better_blas_core("Prescott", slope::cpu_vectors()) && core == "Prescott")
      bad = failed("the old core was not corrected at load");
    if (slope::better_blas_core(core, slope::cpu_vectors()))
      bad = failed("the core in use is less than the CPU offers");
  }
  if (std::getenv(variable) != asked) bad = failed("the environment is not as it was");

  std::vector<float> a(n * n), b(n * n), expected(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 7 - 3);
    b[i] = static_cast<float>(i % 5 - 2);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) expected[i * n + j] += a[i * n + k] * b[k * n + j];

  const int changes_at_load = changes;
  std::atomic<int> running{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      ++running;
      for (int round = 0; round < 200; ++round) wrong += product(a, b) != expected;
    });
  while (running < 4) std::this_thread::yield();
  std::vector<float> c(n * n);
  slope::gemm<float>(false, false, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
  wrong += c != expected;
  for (std::thread& thread : threads) thread.join();

  if (wrong) bad = failed("a product is wrong");
  if (changes != changes_at_load) bad = failed("the environment was changed after the load");
  if (core != openblas_get_corename()) bad = failed("the core was changed after the load");
  return bad;
}
