#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/models/data/two_moons.h>
#include <slope/nn/nn.h>
#include <slope/optim/elementwise/sgd.h>
#include <slope/tools/explorer/live/histogram.h>
#include <slope/tools/explorer/live/moons.h>
#include <slope/tools/explorer/write.h>

#include <cmath>

namespace slope::explorer {

namespace {

struct Net {
  std::vector<nn::Linear> layers;
  std::string activation;

  // (N, 2) -> (N, 1), and the outputs of all layers but the last
  Tensor forward(Tensor x, Tensors* activations) const {
    for (size_t i = 0; i + 1 < layers.size(); ++i) {
      const Tensor z = layers[i](x);
      x = activation == "relu" ? relu(z) : activation == "sigmoid" ? sigmoid(z) : tanh(z);
      if (activations) activations->push_back(x);
    }
    return layers.back()(x);
  }
  SLOPE_MODULE(Net, layers)
};

struct Training {
  Net net;
  Tensor points, labels;
  std::unique_ptr<optim::SGD> sgd;
  int64_t step = 0;
};
std::unique_ptr<Training> training;  // the page has one

Training& started() {
  SLOPE_CHECK_AS(UsageError, training, "moons: start first");
  return *training;
}

std::string points_json(const data::TwoMoons& moons) {
  const std::vector<double> p = moons.points.to_vector(), l = moons.labels.to_vector();
  std::string text = "[";
  for (size_t i = 0; i < l.size(); ++i)
    text += fmt::format("{}[{}, {}, {}]", i ? ", " : "", json(p[2 * i]), json(p[2 * i + 1]), l[i]);
  return fmt::format("{{\"points\": {}]}}\n", text);
}

std::string start(const Fields& fields) {
  const std::vector<double> given = fields.numbers("points");
  const size_t n = given.size() / 3;
  SLOPE_CHECK_INPUT(n > 0 && given.size() % 3 == 0 && n <= 2000,
                    "moons: needs x, y and label of 1 to 2000 points, got {} numbers",
                    given.size());
  std::vector<float> xy, label;
  for (size_t i = 0; i < n; ++i) {
    xy.push_back(static_cast<float>(given[3 * i]));
    xy.push_back(static_cast<float>(given[3 * i + 1]));
    label.push_back(given[3 * i + 2] > 0.5 ? 1 : 0);
  }
  manual_seed(static_cast<uint64_t>(fields.integer("seed", 0, 0, 1'000'000'000)));
  const int64_t hidden = fields.integer("hidden", 16, 1, 64),
                depth = fields.integer("depth", 2, 1, 12);
  auto made = std::make_unique<Training>();
  made->net.activation = fields.text("activation", "tanh");
  for (int64_t i = 0; i < depth; ++i) made->net.layers.emplace_back(i == 0 ? 2 : hidden, hidden);
  made->net.layers.emplace_back(hidden, 1);
  const double scale = fields.number("scale", 1);
  for (const nn::Linear& layer : made->net.layers) {
    const NoGrad no_grad;
    const Tensor scaled = (layer.weight * scale).clone();
    std::copy_n(scaled.data<float>(), scaled.numel(), layer.weight.write<float>().get());
  }
  const auto rows = static_cast<int64_t>(n);
  made->points = from_vector(xy, {rows, 2});
  made->labels = from_vector(label, {rows, 1});
  made->sgd = std::make_unique<optim::SGD>(
      nn::named_parameters(made->net),
      optim::SgdOptions{.lr = fields.number("lr", 0.1), .momentum = fields.number("momentum", 0)});
  training = std::move(made);
  return fmt::format("{{\"parameters\": {}}}\n", nn::count_parameters(training->net));
}

std::string train(const Fields& fields) {
  Training& t = started();
  const int64_t steps = fields.integer("steps", 1, 1, 10'000);
  std::vector<double> losses;
  Tensors activations;
  for (int64_t i = 0; i < steps; ++i) {
    activations.clear();
    const Tensor logits = t.net.forward(t.points, &activations);
    const Tensor loss = bce_with_logits(logits, t.labels);
    t.sgd->zero_grad();
    loss.backward();
    t.sgd->step();
    ++t.step;
    losses.push_back(loss.item());
  }
  std::vector<std::string> layers;
  for (size_t i = 0; i < t.net.layers.size(); ++i) {
    const Tensor g = t.net.layers[i].weight.grad();
    layers.push_back(
        fmt::format("{{\"gradient\": {}, \"gradient_norm\": {}, \"activation\": {}}}",
                    log_histogram_json(g), json(norm(g.detach()).item()),
                    i < activations.size() ? histogram_json(activations[i], -1, 1) : "null"));
  }
  return fmt::format("{{\"step\": {}, \"losses\": {}, \"layers\": {}}}\n", t.step,
                     json_list(losses, [](double x) { return json(x); }),
                     json_list(layers, [](const std::string& s) { return s; }));
}

std::string map(const Fields& fields) {
  const Training& t = started();
  const int64_t size = fields.integer("size", 40, 2, 200);
  const std::vector<double> span = fields.numbers("span");  // left, right, bottom, top
  SLOPE_CHECK_INPUT(span.size() == 4, "moons: the span must have 4 numbers, got {}", span.size());
  std::vector<float> grid;
  for (int64_t r = 0; r < size; ++r)
    for (int64_t c = 0; c < size; ++c) {
      const double u = (static_cast<double>(c) + 0.5) / static_cast<double>(size),
                   v = (static_cast<double>(r) + 0.5) / static_cast<double>(size);
      grid.push_back(static_cast<float>(span[0] + u * (span[1] - span[0])));
      grid.push_back(static_cast<float>(span[3] + v * (span[2] - span[3])));
    }
  const NoGrad no_grad;
  const Tensor p = sigmoid(t.net.forward(from_vector(grid, {size * size, 2}), nullptr));
  return fmt::format("{{\"size\": {}, \"map\": {}}}\n", size,
                     json_list(p.to_vector(), [](double x) {
                       return std::isnan(x) ? json(x) : fmt::format("{:.3f}", x);
                     }));
}

// "[[1, 2], [3, 4]]"
std::string literal(const Tensor& x) {
  if (x.rank() == 1) return json_elements(x);
  std::string text = "[";
  for (int64_t i = 0; i < x.size(0); ++i)
    text += (i ? ", " : "") + literal(x.detach().select(0, i));
  return text + "]";
}

std::string program(const Fields& fields) {
  const Training& t = started();
  const int64_t batch = std::min(fields.integer("batch", 6, 1, 64), t.points.size(0));
  for (const Tensor& p : nn::parameters(t.net))
    SLOPE_CHECK_INPUT(std::isfinite(sum(p.detach()).item()),
                      "moons: the weights are no longer finite: start again");
  const std::string f = t.net.activation;
  std::string text =
      fmt::format("x = const({})\nt = const({})\n", literal(t.points.narrow(0, 0, batch)),
                  literal(t.labels.narrow(0, 0, batch)));
  std::string body, in = "x";
  for (size_t i = 0; i < t.net.layers.size(); ++i) {
    const bool is_last = i + 1 == t.net.layers.size();
    text += fmt::format("w{0} = {1}\nb{0} = {2}\n", i + 1, literal(t.net.layers[i].weight),
                        literal(*t.net.layers[i].bias));
    const std::string out = is_last ? "z" : fmt::format("h{}", i + 1);
    body += is_last ? fmt::format("z = linear({}, w{}, b{})\n", in, i + 1, i + 1)
                    : fmt::format("{} = {}(linear({}, w{}, b{}))\n", out, f, in, i + 1, i + 1);
    in = out;
  }
  return fmt::format("{{\"program\": {}}}\n", json(text + body + "L = bce_with_logits(z, t)"));
}

}  // namespace

std::string moons(const Fields& fields) {
  const std::string what = fields.text("do");
  if (what == "points") {
    manual_seed(static_cast<uint64_t>(fields.integer("seed", 0, 0, 1'000'000'000)));
    return points_json(data::two_moons(fields.integer("n", 100, 2, 2000)));
  }
  if (what == "start") return start(fields);
  if (what == "train") return train(fields);
  if (what == "map") return map(fields);
  if (what == "program") return program(fields);
  throw InputError(fmt::format("moons: there is no {}", JsonReader::quoted(what)));
}

}  // namespace slope::explorer
