#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/graph/trace.h>
#include <slope/models/microgpt.h>
#include <slope/optim/elementwise/adam.h>
#include <slope/tools/explorer/live/names.h>
#include <slope/tools/explorer/results.h>
#include <slope/tools/explorer/write.h>

#include <cmath>

namespace slope::explorer {

namespace {

constexpr int64_t letters = 27;

struct Training {
  microgpt::MicroGpt model{microgpt::Config{.vocab_size = letters}};
  std::vector<std::vector<int64_t>> names;
  std::unique_ptr<optim::Adam> adam;
  int64_t step = 0, steps = 1000;
};
std::unique_ptr<Training> training;  // the page has one

Training& started() {
  SLOPE_CHECK_AS(UsageError, training, "names: start first");
  return *training;
}

// 0, the name's letters, 0; letters that exceed the model's context are left out
std::vector<int64_t> tokens_of(std::string_view name, int64_t most) {
  std::vector<int64_t> tokens{0};
  for (const char c : name) {
    SLOPE_CHECK_INPUT(c >= 'a' && c <= 'z', "names: letters must be a to z, got {}",
                      JsonReader::quoted(std::string(1, c)));
    if (static_cast<int64_t>(tokens.size()) < most) tokens.push_back(c - 'a' + 1);
  }
  SLOPE_CHECK_INPUT(tokens.size() > 1, "names: a name must have a letter");
  tokens.push_back(0);
  return tokens;
}

struct Letters {
  Tensor seen, next;  // (1, T), (T)
};
Letters letters_of(const std::vector<int64_t>& tokens) {
  const auto T = static_cast<int64_t>(tokens.size()) - 1;
  const Tensor all = from_vector(tokens, {T + 1});
  return {all.narrow(0, 0, T).reshape({1, T}), all.narrow(0, 1, T)};
}

Tensor loss_of(const microgpt::MicroGpt& model, const Letters& name) {
  const Tensor logits = model(name.seen);  // (1, T, V)
  return cross_entropy(logits.select(0, 0), name.next);
}

std::string start(const Fields& fields) {
  constexpr int64_t most_names = 50'000;
  manual_seed(static_cast<uint64_t>(fields.integer("seed", 42, 0, 1'000'000'000)));
  auto made = std::make_unique<Training>();
  made->model.init_weights();
  const std::string text = fields.text("names");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at)
      made->names.push_back(
          tokens_of(std::string_view(text).substr(at, end - at), made->model.config.block_size));
    at = end + 1;
  }
  const auto n = static_cast<int64_t>(made->names.size());
  SLOPE_CHECK_INPUT(n > 0 && n <= most_names, "names: 1 to {} names, got {}", most_names, n);
  const std::vector<double> order = randperm(n).to_vector();
  std::vector<std::vector<int64_t>> shuffled;
  for (const double i : order) shuffled.push_back(made->names[static_cast<size_t>(i)]);
  made->names = std::move(shuffled);
  made->steps = fields.integer("steps", 1000, 1, 100'000);
  made->adam = std::make_unique<optim::Adam>(
      nn::named_parameters(made->model),
      optim::AdamOptions{.lr = fields.number("lr", 0.01), .betas = {0.85, 0.99}});
  training = std::move(made);
  return fmt::format("{{\"parameters\": {}, \"names\": {}}}\n",
                     nn::count_parameters(training->model), n);
}

std::string train(const Fields& fields) {
  Training& t = started();
  std::vector<double> losses;
  const int64_t steps = fields.integer("steps", 1, 1, 10'000);
  for (int64_t i = 0; i < steps && t.step < t.steps; ++i) {
    const auto& name = t.names[static_cast<size_t>(t.step) % t.names.size()];
    const Tensor loss = loss_of(t.model, letters_of(name));
    t.adam->zero_grad();
    loss.backward();
    t.adam->set_lr_factor(1 - static_cast<double>(t.step) / static_cast<double>(t.steps));
    t.adam->step();
    ++t.step;
    losses.push_back(loss.item());
  }
  return fmt::format("{{\"step\": {}, \"of\": {}, \"losses\": {}}}\n", t.step, t.steps,
                     json_list(losses, [](double x) { return json(x); }));
}

// One name, letter by letter, with a cache of keys and values.
std::string sample_one(const microgpt::MicroGpt& model, double temperature) {
  auto cache = model.start();
  std::string name;
  int64_t token = 0;
  for (int64_t i = 0; i < model.config.block_size; ++i) {
    const Tensor logits = model.step(from_vector(std::vector{token}, {1, 1}), cache);  // (1, V)
    const std::vector<double> p = softmax(logits / temperature).to_vector();
    double u = rand({}, f64).item();
    token = 0;
    while (token + 1 < letters && u >= p[static_cast<size_t>(token)])
      u -= p[static_cast<size_t>(token++)];
    if (token == 0) break;
    name += static_cast<char>('a' + token - 1);
  }
  return name;
}

std::string sample(const Fields& fields) {
  const Training& t = started();
  const NoGrad no_grad;
  const double temperature = fields.number("temperature", 0.7);
  SLOPE_CHECK_INPUT(temperature > 0, "names: the temperature has to be positive, got {}",
                    temperature);
  std::vector<std::string> found(static_cast<size_t>(fields.integer("count", 10, 1, 100)));
  for (std::string& name : found) name = sample_one(t.model, temperature);
  return fmt::format("{{\"names\": {}}}\n",
                     json_list(found, [](const std::string& name) { return json(name); }));
}

// The model with attention written out, so that the attention weights are on the tape; those of
// each block, (1, H, T, T), are appended to `weights`.
Tensor logits_written_out(const microgpt::MicroGpt& model, const Tensor& seen, Tensors& weights) {
  const int64_t T = seen.size(1);
  const Tensor places = model.wpe(nn::positions(T, 0));
  Tensor x = model.norm(model.wte(seen) + places);
  const Tensor hidden = !(tril(ones({T, T})) > 0.5);
  for (const microgpt::Block& block : model.layers) {
    const Tensor normed = block.norm(x);
    const Tensor q = nn::split_heads(block.attn_wq(normed), block.n_head);  // (1, H, T, D)
    const Tensor k = nn::split_heads(block.attn_wk(normed), block.n_head);
    const Tensor v = nn::split_heads(block.attn_wv(normed), block.n_head);
    const double scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
    const Tensor scores = matmul(q, k.transpose(-2, -1)) * scale;
    const Tensor a = softmax(masked_fill(scores, hidden, -INFINITY));
    a.retain_grad();
    weights.push_back(a);
    x = x + block.attn_wo(nn::merge_heads(matmul(a, v)));
    x = x + block.mlp(block.norm(x));
  }
  return model.lm_head(x);
}

std::string look(const Fields& fields) {
  const Training& t = started();
  const std::vector<int64_t> tokens =
      tokens_of(fields.text("name", "emma"), t.model.config.block_size);
  const Letters name = letters_of(tokens);
  Tensors weights;
  const Tensor logits = logits_written_out(t.model, name.seen, weights).select(0, 0);  // (T, V)
  const Tensor losses = cross_entropy(logits, name.next, {.reduction = Reduction::none});
  const int64_t T = losses.size(0), position = fields.integer("position", -1, -1, T - 1);
  const std::vector<Tensor> before = [&] {
    std::vector<Tensor> all;
    for (const NamedTensor& p : nn::named_parameters(t.model)) all.push_back(p.tensor.grad());
    return all;
  }();
  (position < 0 ? mean(losses) : losses.select(0, position)).backward();
  size_t i = 0;
  for (const NamedTensor& p : nn::named_parameters(t.model)) p.tensor.set_grad(before[i++]);
  const auto matrices = [](const Tensor& x) { return json_elements(x.detach()); };
  return fmt::format(
      "{{\"tokens\": {}, \"losses\": {}, \"probabilities\": {}, \"heads\": {}, "
      "\"attention\": {}, \"attention_gradient\": {}}}\n",
      json_list(tokens, [](int64_t n) { return std::to_string(n); }), json_elements(losses),
      json_elements(softmax(logits)), weights[0].size(1), json_list(weights, matrices),
      json_list(weights, [&](const Tensor& a) { return matrices(a.grad()); }));
}

std::string trace(const Fields& fields) {
  const Training& t = started();
  const Letters name =
      letters_of(tokens_of(fields.text("name", "emma"), t.model.config.block_size));
  NamedTensors named = nn::named_parameters(t.model);
  std::vector<Tensor> before;
  for (const NamedTensor& p : named) before.push_back(p.tensor.grad());
  const size_t parameters = named.size();
  Results results;
  const Tensor loss = [&] {
    const Observe observe(results);
    return loss_of(t.model, name);
  }();
  results.all.back().name = "loss";
  named.insert(named.end(), results.all.begin(), results.all.end());
  const std::string text =
      trace_json(trace_backward({loss}, {.names = named, .most_values = 2048}));
  for (size_t i = 0; i < parameters; ++i) named[i].tensor.set_grad(before[i]);
  return fmt::format(
      "{{\"loss\": \"loss\", \"operations\": [], \"variables\": [], \"again\": null, "
      "\"trace\": {}}}\n",
      text);
}

}  // namespace

std::string names(const Fields& fields) {
  const std::string what = fields.text("do");
  if (what == "start") return start(fields);
  if (what == "train") return train(fields);
  if (what == "sample") return sample(fields);
  if (what == "look") return look(fields);
  if (what == "trace") return trace(fields);
  throw InputError(fmt::format("names: there is no {}", JsonReader::quoted(what)));
}

}  // namespace slope::explorer
