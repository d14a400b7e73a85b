#include <slope/autograd/grad_mode.h>
#include <slope/core/files/safetensors.h>
#include <slope/models/postnorm.h>
#include <slope/nn/module/capture.h>
#include <slope/nn/module/load.h>
#include <slope/tools/explorer/live/base64.h>
#include <slope/tools/explorer/live/translation.h>
#include <slope/tools/explorer/write.h>

#include <algorithm>
#include <numeric>

namespace slope::explorer {

namespace {

constexpr int64_t sos = 2, eos = 3;  // as in models/data/vocab.h

std::unique_ptr<postnorm::PostNormTransformer> model;  // the page has one

std::string load(const Fields& fields) {
  constexpr int64_t most_tokens = 100'000, most_wide = 4096, most_layers = 64;
  postnorm::Config config;
  config.source_vocab = fields.integer("source_vocab", 0, sos + 2, most_tokens);
  config.target_vocab = fields.integer("target_vocab", 0, sos + 2, most_tokens);
  config.d_model = fields.integer("d_model", 0, 2, most_wide);
  config.n_heads = fields.integer("n_heads", 0, 1, most_wide);
  config.n_encoder_layers = fields.integer("n_encoder_layers", 0, 1, most_layers);
  config.n_decoder_layers = fields.integer("n_decoder_layers", 0, 1, most_layers);
  config.d_feedforward = fields.integer("d_feedforward", 0, 1, most_wide);
  config.max_len = fields.integer("max_len", 0, 3, most_wide);
  const TensorFile file = parse_safetensors(from_base64(fields.text("model")), "the model");
  auto made = nn::init::skip_init(
      0, [&] { return std::make_unique<postnorm::PostNormTransformer>(config); });
  nn::load(*made, file);
  nn::eval(*made);
  model = std::move(made);
  return fmt::format("{{\"parameters\": {}}}\n", nn::count_parameters(*model));
}

// The likeliest tokens, best first: [[id, probability], …]
std::string likeliest(const Tensor& p, size_t count) {
  const std::vector<double> values = p.to_vector();
  std::vector<size_t> ids(values.size());
  std::iota(ids.begin(), ids.end(), size_t{0});
  count = std::min(count, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<int64_t>(count), ids.end(),
                    [&](size_t a, size_t b) { return values[a] > values[b]; });
  ids.resize(count);
  return json_list(ids, [&](size_t i) { return fmt::format("[{}, {}]", i, json(values[i])); });
}

std::string write(const Fields& fields) {
  SLOPE_CHECK_AS(UsageError, model, "translation: load a model first");
  const std::vector<double> numbers = fields.numbers("tokens");
  const postnorm::Config& config = model->config;
  SLOPE_CHECK_INPUT(!numbers.empty() && static_cast<int64_t>(numbers.size()) <= config.max_len,
                    "translation: 1 to {} tokens, got {}", config.max_len, numbers.size());
  std::vector<int64_t> tokens;
  for (const double x : numbers) {
    SLOPE_CHECK_INPUT(x == std::floor(x) && x >= 0 && x < static_cast<double>(config.source_vocab),
                      "translation: there is no token {}; there are {}", x, config.source_vocab);
    tokens.push_back(static_cast<int64_t>(x));
  }
  const NoGrad no_grad;
  const auto S = static_cast<int64_t>(tokens.size());
  const Tensor source = from_vector(tokens, {1, S});
  auto cache = model->start(source);
  std::vector<int64_t> target{sos};
  std::vector<std::string> best;
  while (static_cast<int64_t>(target.size()) < config.max_len) {
    const Tensor newest = from_vector(std::vector{target.back()}, {1});
    const Tensor p = softmax(model->step(newest, cache)).select(0, 0);  // (V)
    best.push_back(likeliest(p, 4));
    const int64_t next = static_cast<int64_t>(argmax(p, 0).item());
    if (next == eos) break;
    target.push_back(next);
  }
  // all tokens in one pass, to capture the attention
  const auto T = static_cast<int64_t>(best.size());
  const nn::AttentionPaths paths = model->attention_paths();
  const nn::Scope scope(*model);
  const nn::CaptureAttention capture("*");
  target.resize(static_cast<size_t>(T));
  (void)model->features(source, from_vector(target, {1, T}));
  const auto weights = [&](const std::string& path) {
    return json_elements(capture.last(path).select(0, 0));  // (H, T, S)
  };
  return fmt::format("{{\"target\": {}, \"likeliest\": {}, \"heads\": {}, \"cross\": {}}}\n",
                     json_list(target, [](int64_t n) { return std::to_string(n); }),
                     json_list(best, [](const std::string& text) { return text; }), config.n_heads,
                     json_list(paths.cross, weights));
}

}  // namespace

std::string translation(const Fields& fields) {
  const std::string what = fields.text("do");
  if (what == "load") return load(fields);
  if (what == "write") return write(fields);
  throw InputError(fmt::format("translation: there is no {}", JsonReader::quoted(what)));
}

}  // namespace slope::explorer
