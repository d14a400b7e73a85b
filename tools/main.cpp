// slope: train, translate, generate, evaluate, check gradients, look into files and graphs.
#include <slope/core/blas.h>
#include <slope/core/error.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/parallel.h>
#include <slope/core/spelling.h>
#include <slope/tools/command.h>

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

namespace slope::tools {

void add_threads(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--threads",
          [](const std::string& text) {
            int n = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
            SLOPE_CHECK_AS(UsageError, error == std::errc() && end == text.data() + text.size() && n >= 1 && n <= 1024,
                           "--threads {}: expected a number from 1 to 1024", text);
            set_num_threads(n);
          },
          "threads; the results do not depend on it (default: all cores)")
      ->type_name("N");
}

void check_text(const std::string& flag, const std::string& value) {
  SLOPE_CHECK_AS(UsageError, !value.empty(), "{}: expected a name, got an empty one", flag);
}

std::string version_text() {
  return fmt::format("slope {}\nkernels: {}\nmatrix products: {}\nthreads: {}", SLOPE_VERSION, name(cpu_isa()), blas_description(),
                     num_threads());
}

namespace {

int report(const char* what, int code) {
  std::fputs(fmt::format("slope: {}\n", what).c_str(), stderr);
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
    return report(fmt::format("{}: {}", e.path1().string(), e.code().message()).c_str(), 4);
  } catch (const std::bad_alloc&) {
    return report("out of memory", 4);
  } catch (const std::exception& e) {  // a library's
    return report(e.what(), 3);
  }
}

// Which subcommand was reached: where its help is.
std::string command_path(const CLI::App& app) {
  const auto reached = app.get_subcommands();
  return app.get_name() + (reached.empty() ? "" : " " + command_path(*reached.front()));
}

// What CLI11 refuses, as one line that names the word it is about.
std::string usage_fault(const CLI::App& app, const CLI::ParseError& e) {
  const std::string help = command_path(app) + " --help";
  const CLI::App* reached = &app;
  while (!reached->get_subcommands().empty()) reached = reached->get_subcommands().front();
  std::vector<std::string> known, unknown = reached->remaining();
  for (const CLI::App* sub : reached->get_subcommands([](const CLI::App*) { return true; })) known.push_back(sub->get_name());
  for (const CLI::Option* option : reached->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string what = e.what();
  if (const size_t lacks = what.find(": 1 required "); lacks != what.npos)
    return fmt::format("{} needs a value; see {}", what.substr(0, lacks), help);
  if (unknown.empty()) return fmt::format("{}; see {}", what, help);
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  return fmt::format("{} is not known to {}{}; see {}", unknown.front(), command_path(app), did_you_mean(word, known), help);
}

// Where 0, 1 or 2 are closed, the next file that is opened would take that number, and what is printed would go into it.
void occupy_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) == -1) (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);  // reading and writing go on failing
}

}  // namespace

// libgomp's threads spin for milliseconds between parallel loops, which costs much where cores are shared. Its limit is read when it is
// loaded, so it has to be in the environment before: the program starts itself once more with it.
void bound_spinning(char** argv) {
#if defined(SLOPE_OPENMP)
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
  setenv("GOMP_SPINCOUNT", "10000", 1);  // about 20 µs
  unbind_thread();
  execv("/proc/self/exe", argv);  // where that fails, all works, only slower beside other programs
#else
  (void)argv;
#endif
}

int run(int argc, char** argv) {
  CLI::App app{"Reverse-mode autodiff and Transformers on a CPU.\nExample: slope train translation --out runs/first"};
  app.name("slope");
  app.set_version_flag("--version", version_text, "version, instruction set, BLAS");
  app.require_subcommand(1);
  app.option_defaults()->take_last();
  Action action;
  for (auto add : {add_train, add_translate, add_generate, add_eval, add_gradcheck, add_inspect, add_graph, add_zoo, add_bench})
    add(app, action);
  return exit_code_of([&] {
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& e) {  // --help, --version
      action = [&app, e] { return app.exit(e); };
    } catch (const CLI::ParseError& e) {
      throw UsageError(usage_fault(app, e));
    }
    const int code = action ? action() : 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw IoError("standard output could not be written");
    return code;
  });
}

}  // namespace slope::tools

int main(int argc, char** argv) {
  slope::tools::occupy_standard_descriptors();
  slope::tools::bound_spinning(argv);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write, reported as such
  return slope::tools::run(argc, argv);
}
