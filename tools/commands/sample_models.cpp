#include <slope/core/text/spelling.h>
#include <slope/models/c_scratch.h>
#include <slope/models/char_gpt.h>
#include <slope/models/data/two_moons.h>
#include <slope/models/mlp.h>
#include <slope/tools/commands/sample_models.h>

namespace slope::tools {

namespace {

template <class Model, class Loss>
struct Sample : SampleModel {
  Model model;
  Loss of;
  Sample(Model m, Loss loss) : model(std::move(m)), of(std::move(loss)) {
    nn::to(model, f64);
    nn::eval(model);
  }
  std::vector<NamedLeaf> parameters() const override {
    std::vector<NamedLeaf> leaves;
    for (const auto& [name, tensor] : nn::named_parameters(model)) leaves.push_back({name, tensor});
    return leaves;
  }
  Tensor loss() const override { return of(model); }
};

template <class Model, class Loss>
std::unique_ptr<SampleModel> sample(Model model, Loss loss) {
  return std::make_unique<Sample<Model, Loss>>(std::move(model), std::move(loss));
}

}  // namespace

std::unique_ptr<SampleModel> sample_model(const std::string& name) {
  manual_seed(1);
  if (name == "mlp") {
    const data::TwoMoons moons = data::two_moons(16);
    return sample(mlp::TwoMoonsMlp({}),
                  [x = to(moons.points, f64), y = to(moons.labels, f64)](const auto& model) {
                    return bce_with_logits(model(x), y);
                  });
  }
  if (name == "char-gpt")
    return sample(char_gpt::CharGpt({.vocab_size = 7,
                                     .block_size = 6,
                                     .n_layer = 2,
                                     .n_head = 2,
                                     .n_embd = 8,
                                     .bias = true}),
                  [x = randint(0, 7, {2, 5}), y = randint(0, 7, {2, 5})](const auto& model) {
                    return model.loss(x, y);
                  });
  if (name == "c-scratch")
    return sample(c_scratch::CScratch({.source_vocab = 9,
                                       .target_vocab = 8,
                                       .d_model = 8,
                                       .n_heads = 2,
                                       .n_encoder_layers = 1,
                                       .n_decoder_layers = 1,
                                       .d_feedforward = 12,
                                       .max_len = 8}),
                  [source = tensor({{2, 5, 6, 3}, {2, 7, 3, 0}}),
                   target = tensor({{2, 4, 5, 7, 3}, {2, 6, 3, 0, 0}})](const auto& model) {
                    return model.loss(source, target);
                  });
  throw UsageError(fmt::format("no model is called {}{}; slope zoo lists them", name,
                               did_you_mean(name, {"mlp", "char-gpt", "c-scratch"})));
}

}  // namespace slope::tools
