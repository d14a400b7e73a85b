// Gradcheck cases of pooling, padding, batch and instance norm, bags, transposed convolutions and
// distances.
#include <slope/nn/cases.h>
#include <slope/nn/functional/bags.h>
#include <slope/nn/functional/losses.h>
#include <slope/nn/functional/normalisation.h>
#include <slope/nn/functional/pooling.h>
#include <slope/nn/functional/transposed.h>

namespace slope::nn {

std::vector<Case> window_cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, const char* label, std::vector<CaseInput> inputs,
                       Tensor (*f)(const Tensors& x)) {
    cases.push_back(
        {name, label, std::move(inputs), [f](const Tensors& x) { return Tensors{f(x)}; }});
  };
  using X = const Tensors&;
  add("avg_pool1d", "stride, padding, cut off", {{{2, 2, 6}}}, [](X x) {
    return avg_pool1d(x[0], 3,
                      {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false});
  });
  add("avg_pool1d", "n = 1", {{{1, 1}}}, [](X x) { return avg_pool1d(x[0], 1); });
  add("max_pool1d", "stride, padding, dilation", {{{2, 2, 7}}},
      [](X x) { return max_pool1d(x[0], 3, {.stride = 2, .padding = 1, .dilation = 2}); });
  add("max_pool1d", "empty", {{{0, 2, 3}}}, [](X x) { return max_pool1d(x[0], 2); });
  add("max_unpool1d", "two of three places", {{{2, 2}}}, [](X x) {
    return max_unpool1d(x[0], tensor({{0, 2}, {2, 1}}), 3);
  });
  add("lp_pool1d", "p = 3", {{{2, 5}, 0.5, 2}}, [](X x) { return lp_pool1d(x[0], 3, 2); });
  add("adaptive_avg_pool1d", "windows that overlap", {{{2, 5}}},
      [](X x) { return adaptive_avg_pool1d(x[0], 3); });
  add("adaptive_max_pool1d", "windows that overlap", {{{2, 5}}},
      [](X x) { return adaptive_max_pool1d(x[0], 3); });
  add("pad", "reflect", {{{2, 4}}}, [](X x) { return pad(x[0], {2, 3}, PadMode::reflect); });
  add("pad", "replicate", {{{2, 3}}}, [](X x) { return pad(x[0], {1, 2}, PadMode::replicate); });
  add("pad", "circular", {{{2, 3}}}, [](X x) { return pad(x[0], {3, 2}, PadMode::circular); });
  add("batch_norm", "of the batch", {{{3, 2, 2}}, {{2}}, {{2}}},
      [](X x) { return batch_norm(x[0], {.training = true}, x[1], x[2], 0.5); });
  add("batch_norm", "of running averages", {{{3, 2}}, {{2}}, {{2}, 0.5, 2}},
      [](X x) { return batch_norm(x[0], {.running_mean = x[1], .running_var = x[2]}); });
  add("instance_norm", "weight and bias", {{{2, 2, 3}}, {{2}}, {{2}}},
      [](X x) { return instance_norm(x[0], x[1], x[2]); });
  add("embedding_bag", "factors", {{{4, 3}}, {{2, 2}}}, [](X x) {
    return embedding_bag(tensor({{1, 3}, {0, 1}}), x[0],
                         {.mode = BagMode::sum, .per_sample_weights = x[1]});
  });
  add("embedding_bag", "an empty bag, padding", {{{4, 3}}}, [](X x) {
    return embedding_bag(tensor({1, 3, 2}), x[0], {.padding_idx = 2, .offsets = tensor({0, 2, 2})});
  });
  add("embedding_bag", "max", {{{4, 3}}}, [](X x) {
    return embedding_bag(tensor({{1, 3}, {0, 1}}), x[0], {.mode = BagMode::max});
  });
  add("conv_transpose1d", "stride, padding, dilation, groups", {{{2, 4, 3}}, {{4, 2, 3}}, {{4}}},
      [](X x) {
        return conv_transpose1d(
            x[0], x[1], x[2],
            {.stride = 2, .padding = 1, .output_padding = 1, .groups = 2, .dilation = 2});
      });
  add("conv_tbc", "padding", {{{3, 1, 2}}, {{3, 2, 2}}, {{2}}},
      [](X x) { return conv_tbc(x[0], x[1], x[2], 1); });
  add("pdist", "p = 3", {{{3, 2}}}, [](X x) { return pdist(x[0], 3); });
  add("triplet_margin_with_distance_loss", "a distance of one's own",
      {{{3, 4}}, {{3, 4}, 3, 5}, {{3, 4}, -4, -3}}, [](X x) {
        const auto squares = [](const Tensor& a, const Tensor& b) {
          return sum((a - b) * (a - b), {-1});
        };
        return triplet_margin_with_distance_loss(x[0], x[1], x[2],
                                                 {.distance_function = squares, .margin = 300});
      });
  return cases;
}

}  // namespace slope::nn
