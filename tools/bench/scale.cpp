// The cost of the character GPT's training step as one size grows and the others are fixed: curves,
// their exponents and two plots.
#include <slope/core/files/file_sink.h>
#include <slope/core/files/folder_sink.h>
#include <slope/core/loops/parallel.h>
#include <slope/models/draw/line_plot.h>
#include <slope/tools/bench/report.h>
#include <slope/tools/bench/zoo_case.h>
#include <slope/tools/command.h>

#include <fmt/format.h>

#include <cmath>

namespace slope::tools {

namespace {

// B batch · T tokens · C channels · L layers · V vocabulary
struct Shape {
  int64_t B = 4, T = 128, C = 256, L = 4, V = 1000;
};

struct Sweep {
  const char *name, *color;
  int64_t Shape::*size;
  std::vector<int64_t> values;
  Shape others = {};
};

std::vector<Sweep> sweeps() {
  return {
      {"batch", "#1f6feb", &Shape::B, {1, 2, 4, 8, 16, 32}},
      {"sequence length, batch 1",
       "#cf222e",
       &Shape::T,
       {64, 128, 256, 512, 1024, 2048, 4096},
       {.B = 1}},
      {"channels", "#1a7f37", &Shape::C, {64, 128, 256, 512, 1024}},
      {"layers", "#8250df", &Shape::L, {1, 2, 4, 8, 16}},
      {"vocabulary", "#bf8700", &Shape::V, {128, 512, 2048, 8192, 32768}},
  };
}

Measured measure_step(const Shape& s) {
  const BenchCase step{"scale", "", [&] {
                         return gpt_steps({.C = s.C, .layers = s.L}, s.C / 64, false, s.T, 1e-3,
                                          s.B, s.T, s.V);
                       }};
  return measure(step, 0);
}

struct Curve {
  std::string name, color;
  std::vector<double> sizes, ms, mb;
};

// The slope of log y against log x by least squares over the last three points, where fixed costs
// weigh least.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  const size_t n = std::min<size_t>(3, x.size()), first = x.size() - n;
  double mx = 0, my = 0, xy = 0, xx = 0;
  for (size_t i = first; i < x.size(); ++i)
    mx += std::log(x[i]) / static_cast<double>(n), my += std::log(y[i]) / static_cast<double>(n);
  for (size_t i = first; i < x.size(); ++i) {
    const double dx = std::log(x[i]) - mx;
    xy += dx * (std::log(y[i]) - my), xx += dx * dx;
  }
  return xx > 0 ? xy / xx : 0;
}

void show(const Curve& curve) {
  print(fmt::format("\n| {} | median ms | MB |\n|---:|---:|---:|\n", curve.name));
  for (size_t i = 0; i < curve.sizes.size(); ++i)
    print(fmt::format("| {:.0f} | {:.1f} | {:.1f} |\n", curve.sizes[i], curve.ms[i], curve.mb[i]));
  print(fmt::format("\nTime grows as the power {:.2f}, memory as {:.2f} (last three sizes).\n",
                    exponent(curve.sizes, curve.ms), exponent(curve.sizes, curve.mb)));
  flush();
}

// Cost against size, each as a multiple of the smallest, both axes logarithmic: straight lines
// whose slopes are the exponents.
std::string plot(const std::vector<Curve>& curves, const std::string& title,
                 const std::vector<double> Curve::*cost) {
  draw::LinePlot p{.title = title,
                   .x_label = "multiple of the smallest size",
                   .y_label = "multiple of its cost",
                   .log_x = true,
                   .log_y = true};
  for (const Curve& c : curves) {
    draw::Series series{.name = c.name, .color = c.color, .dots = true};
    for (size_t i = 0; i < c.sizes.size(); ++i)
      series.points.push_back({c.sizes[i] / c.sizes[0], (c.*cost)[i] / (c.*cost)[0]});
    p.series.push_back(std::move(series));
  }
  return draw::to_svg(p);
}

}  // namespace

int measure_scale(const std::string& folder) {
  make_folders(folder);
  print(fmt::format(
      "A step of the character GPT, {} threads; 4 x 128 tokens, 256 channels, 4 layers, vocabulary "
      "1000 unless varied.\n",
      num_threads()));
  flush();
  std::vector<Curve> curves;
  for (const Sweep& sweep : sweeps()) {
    Curve curve{sweep.name, sweep.color, {}, {}, {}};
    for (const int64_t value : sweep.values) {
      Shape shape = sweep.others;
      shape.*sweep.size = value;
      const Measured m = measure_step(shape);
      curve.sizes.push_back(static_cast<double>(value)), curve.ms.push_back(m.median_ms),
          curve.mb.push_back(m.peak_mb);
    }
    show(curve);
    curves.push_back(std::move(curve));
  }
  const int all = num_threads();
  Curve threads{"threads", "", {}, {}, {}};
  for (int n = 1; n <= all; n = n < all ? std::min(2 * n, all) : n + 1) {
    set_num_threads(n);
    const Measured m = measure_step({});
    threads.sizes.push_back(n), threads.ms.push_back(m.median_ms), threads.mb.push_back(m.peak_mb);
  }
  set_num_threads(all);
  show(threads);
  write_file(folder + "/scale_time.svg", plot(curves, "Time of a training step", &Curve::ms));
  write_file(folder + "/scale_memory.svg", plot(curves, "Memory of a training step", &Curve::mb));
  return 0;
}

}  // namespace slope::tools
