// What do the checks say of right functions with something beside x: a kink, a jump, a pole, a bend
// narrower than their steps? And of the same functions with gradients that are 5 % off? Random
// functions, drawn by seed: `beside 100` tries a hundred of each kind, with distances from 1e-9 to
// 0.1; `beside 100 tell` prints the reports. Exit code 1 if a check calls more than one right
// function of float64 in a hundred wrong, or two with float32, or if gradcheck lets a wrong one of
// float64 pass.
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/tensor/random.h>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace slope;

namespace {

// Of one function: z is x minus the place of the feature, `near` its distance from x and the width
// of a bend.
struct Kind {
  const char* name;
  Tensor (*f)(const Tensor& z, double near);
  bool bends = false;  // between x and the feature
};

Tensor step(const Tensor& z) { return where(z > 0.0, ones_like(z), zeros_like(z)); }

const std::vector<Kind> kinds = {
    {"relu", [](const Tensor& z, double) { return relu(z); }},
    {"abs", [](const Tensor& z, double) { return abs(z); }},
    {"leaky relu", [](const Tensor& z, double) { return where(z > 0.0, z, z * 0.01); }},
    {"a small kink", [](const Tensor& z, double) { return z + abs(z) * 0.02; }},
    {"huber",
     [](const Tensor& z, double) {
       const Tensor y = z + 1.0;
       return where(abs(y) > 1.0, abs(y) - 0.5, y * y * 0.5);
     }},
    {"z |z|", [](const Tensor& z, double) { return z * abs(z) + z; }},
    {"a hinge in a product", [](const Tensor& z, double) { return relu(z) * exp(z); }},
    {"three kinks",
     [](const Tensor& z, double near) {
       return relu(z) + relu(z - near) * 3.0 + relu(z + 3 * near);
     }},
    {"many kinks",
     [](const Tensor& z, double near) {
       Tensor sum = z;
       for (int i = -10; i <= 10; ++i) sum = sum + abs(z + near * (0.9 * i + 0.3)) * 0.1;
       return sum;
     }},
    {"clamp", [](const Tensor& z, double) { return clamp(z + 0.5, 0.5, 1.5); }},
    {"max", [](const Tensor& z, double) { return maximum(z, z * z - z); }},
    {"a jump", [](const Tensor& z, double) { return z + step(z); }},
    {"a small jump", [](const Tensor& z, double) { return z + step(z) * 1e-6; }},
    {"a kink and a jump",
     [](const Tensor& z, double near) { return relu(z) + step(z - 2 * near) + z; }},
    {"root", [](const Tensor& z, double) { return sqrt(abs(z)); }, true},
    {"log", [](const Tensor& z, double) { return log(abs(z)); }, true},
    {"pole", [](const Tensor& z, double) { return 1.0 / z; }, true},
    {"a bend: softplus", [](const Tensor& z, double near) { return softplus(z / near) * near; },
     true},
    {"a bend: sqrt", [](const Tensor& z, double near) { return sqrt(z * z + near * near); }, true},
    {"a steep slope: tanh", [](const Tensor& z, double near) { return tanh(z / near); }, true},
    {"a steep slope: sigmoid", [](const Tensor& z, double near) { return sigmoid(z / near); },
     true},
    {"a bump", [](const Tensor& z, double near) { return z + exp(-(z / near) * (z / near)); },
     true},
    {"waves", [](const Tensor& z, double near) { return z + sin(z / near) * near; }, true},
    {"waves in log z", [](const Tensor& z, double) { return z * sin(log(abs(z))); }, true},
};

enum class Numbers { float64, float32, a_float32_step };
constexpr const char* names_of[] = {"float64", "float32", "a float32 step"};

struct Counts {
  int64_t functions = 0, accused = 0, refused = 0, missed = 0;
};

enum class Check { whole, fast, second };
constexpr const char* checks[] = {"gradcheck", "gradcheck_fast", "gradgradcheck"};

GradcheckReport report_of(Check check, const TensorFunction& f, const Tensor& x) {
  const GradcheckOptions options{
      .raise_exception = false, .find_culprit = false, .find_smallest = false};
  if (check == Check::whole) return gradcheck(f, {x}, options);
  if (check == Check::second) return gradgradcheck(f, {x}, {}, options);
  return gradcheck_fast([&] { return f({x}); }, {{"x", x}},
                        {.raise_exception = false, .find_culprit = false});
}

// Multiplies the gradient that comes back by `factor`.
Tensor scaled_gradient(const Tensor& y, double factor) {
  Tensor same = y * 1.0;
  same.register_hook([factor](const Tensor& g) { return g * factor; });
  return same;
}

class Trial {
 public:
  explicit Trial(bool tells) : tells_(tells) {}

  void run(const Kind& kind, Numbers numbers, uint64_t seed) {
    const RandomSite site{.seed = seed};
    const auto u = [&](int64_t i) { return uniform_f64(site, i); };
    // float32 cannot move x by less than 1e-7, and differences need steps far above
    const double least = kind.bends && numbers != Numbers::float64 ? -2 : -9,
                 near = std::pow(10, least + (-1 - least) * u(0)),
                 size = std::pow(10, -2 + 4 * u(1));
    std::vector<double> at, place_at;
    for (int64_t i = 0; i < 3; ++i) {
      const double distance = near * (0.3 + 2 * u(5 + i));
      at.push_back(2 * u(2 + i) - 1);
      place_at.push_back(u(8 + i) < 0.5 ? at.back() - distance : at.back() + distance);
    }
    const DType dtype = numbers == Numbers::float32 ? f32 : f64;
    const Tensor x = from_vector(at, {3}).to(dtype).detach().set_requires_grad(),
                 place = from_vector(place_at, {3}).to(dtype);
    const auto f = [&](const Tensors& in, double factor) {
      const Tensor h = numbers == Numbers::a_float32_step ? in[0].to(f32) : in[0];
      const Tensor z = h - place.to(h.dtype());
      const Tensor y = kind.f(z, near) * size + sin(h);
      return Tensors{scaled_gradient(y.to(in[0].dtype()), factor)};
    };
    const auto right = [&](const Tensors& in) { return f(in, 1); };
    const auto wrong = [&](const Tensors& in) { return f(in, 1.05); };
    for (const Check check : {Check::whole, Check::fast, Check::second}) {
      if (check == Check::second && numbers != Numbers::float64) continue;
      Counts& c = counts_[{static_cast<int>(check), static_cast<int>(numbers), kind.name}];
      ++c.functions;
      const GradcheckReport r = report_of(check, right, x);
      c.accused += r.failed > 0;
      c.refused += r.failed == 0 && !r.ok;
      if (r.failed > 0) tell_of("accused", check, numbers, kind, seed, r);
      if (check == Check::second)
        continue;  // a scaled gradient has a derivative that is scaled too
      const GradcheckReport of_wrong = report_of(check, wrong, x);
      if (!of_wrong.ok) continue;
      ++c.missed;
      tell_of("missed", check, numbers, kind, seed, of_wrong);
    }
  }

  // Prints the counts; false if a bar is missed.
  bool tell() const {
    std::map<std::pair<int, int>, Counts> all;
    for (const auto& [key, c] : counts_) {
      const auto& [check, numbers, name] = key;
      Counts& sum = all[{check, numbers}];
      sum.functions += c.functions, sum.accused += c.accused;
      sum.refused += c.refused, sum.missed += c.missed;
      if (c.accused + c.missed > 0)
        fmt::print("  {}, {}, {}: of {} {} accused, {} refused, {} missed\n", checks[check],
                   names_of[numbers], name, c.functions, c.accused, c.refused, c.missed);
    }
    bool good = true;
    for (const auto& [key, c] : all) {
      good &= c.accused * (key.second == 0 ? 100 : 50) <= c.functions;
      good &= c.missed == 0 || key != std::pair(0, 0);
      fmt::print("{}, {}: of {} right functions {} accused, {} refused; of as many wrong {} ok\n",
                 checks[key.first], names_of[key.second], c.functions, c.accused, c.refused,
                 c.missed);
    }
    return good;
  }

 private:
  void tell_of(const char* what, Check check, Numbers numbers, const Kind& kind, uint64_t seed,
               const GradcheckReport& report) const {
    if (tells_)
      fmt::print("{}: {}, {}, {}, seed {}: {}\n", what, checks[static_cast<int>(check)],
                 names_of[static_cast<int>(numbers)], kind.name, seed, report.text());
  }

  bool tells_;
  std::map<std::tuple<int, int, std::string>, Counts> counts_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "10";
  uint64_t n = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  const bool tells = argc > 2 && argv[2] == std::string_view("tell");
  if (argc > (tells ? 3 : 2) || error != std::errc() || end != word.data() + word.size() ||
      n == 0) {
    std::fprintf(stderr, "usage: beside [functions of each kind, at least 1] [tell]\n");
    return 2;
  }
  Trial trial(tells);
  for (const Kind& kind : kinds)
    for (const Numbers numbers : {Numbers::float64, Numbers::float32, Numbers::a_float32_step})
      for (uint64_t seed = 0; seed < n; ++seed) trial.run(kind, numbers, seed);
  return trial.tell() ? 0 : 1;
}
