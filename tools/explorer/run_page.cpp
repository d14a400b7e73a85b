#include <slope/autograd/graph/trace.h>
#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/models/infer/sample.h>
#include <slope/tools/explorer/results.h>
#include <slope/tools/explorer/run_page.h>
#include <slope/tools/explorer/write.h>

#include <filesystem>

namespace slope::explorer {

namespace {

constexpr int64_t most_operations = 20'000;  // the page folds them by module
constexpr size_t most_bytes = 20'000'000;    // of the recorded step

// The page to use if none is named: installed beside the command, or built beside its folder.
std::string found_page() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* place : {"../share/slope/explorer.html", "../build-wasm/explorer.html"})
    if (fs::exists(folder / place, ignored)) return (folder / place).lexically_normal().string();
  throw IoError(
      "explore: the page is not built; run tools/explorer/build in slope's sources, or name one: "
      "--page FILE.html");
}

// {"title", "answer"}; the answer has the form of what explore() returns
std::string recorded_step(const RunPage& options) {
  const train::Sample sample = train::sample_named(options.model);
  Results results;
  const Tensor loss = [&] {
    const Observe observe(results);
    return sample.loss();
  }();
  NamedTensors names = sample.parameters();
  if (!results.all.empty()) results.all.back().name = "loss";
  names.insert(names.end(), results.all.begin(), results.all.end());
  const Trace trace = trace_backward(
      {loss}, {.names = names, .most_operations = most_operations, .most_values = options.values});
  std::string text = trace_json(trace);
  SLOPE_CHECK_INPUT(text.size() <= most_bytes,
                    "explore: the recorded step has {} bytes, more than {}; show fewer numbers: "
                    "--values {}",
                    text.size(), most_bytes, options.values / 4);
  return fmt::format(
      R"({{"title": {}, "answer": {{"loss": "loss", "operations": [], "variables": [], )"
      R"("again": null, "trace": {}}}}})",
      json("a training step of " + options.model + ", on made-up data"), text);
}

}  // namespace

std::string page_of_run(const RunPage& options) {
  constexpr std::string_view begin = R"(<script id="run" type="application/json">)";
  const std::string path = options.page.empty() ? found_page() : options.page;
  std::string page = read_file(path);
  const size_t found = page.find(begin), from = found + begin.size();
  const size_t to = found == std::string::npos ? found : page.find("</script>", from);
  SLOPE_CHECK_INPUT(to != std::string::npos,
                    "{}: this is not the explorer's page; tools/explorer/build makes it", path);
  std::string run;
  for (const char c : recorded_step(options))  // nothing in it may end the script
    if (c == '<')
      run += "\\u003c";
    else
      run += c;
  return page.replace(from, to - from, run);
}

}  // namespace slope::explorer
