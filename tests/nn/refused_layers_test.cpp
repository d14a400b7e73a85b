// Arguments that layers and functions refuse, with an error that names them.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/nn/nn.h>

#include <string>
#include <vector>

using namespace slope;
using namespace slope::nn;

namespace {

template <class Call>
void refused(const std::string& name, const Call& call) {
  try {
    call();
    FAIL_CHECK("accepted: " << name);
  } catch (const Error& e) {
    CHECK_MESSAGE(std::string(e.what()).find(name) != std::string::npos, std::string(e.what()));
  }
}

}  // namespace

TEST_CASE("pooling, padding, bags: what does not fit is refused, by its name") {
  const Tensor x = zeros({2, 3, 5}), ids = tensor({1, 0});
  refused("avg_pool1d", [&] { (void)avg_pool1d(x, 6); });
  refused("avg_pool1d", [&] { (void)avg_pool1d(zeros({5}), 2); });
  refused("max_pool1d", [&] { (void)max_pool1d(x, 3, {.padding = 2}); });
  refused("lp_pool1d", [&] { (void)lp_pool1d(x, 0, 2); });
  refused("adaptive_avg_pool1d", [&] { (void)adaptive_avg_pool1d(x, 0); });
  refused("adaptive_max_pool1d", [&] { (void)adaptive_max_pool1d(zeros({2, 0}), 1); });
  refused("max_unpool1d", [&] { (void)max_unpool1d(x, zeros({2, 3}, i64), 9); });
  refused("max_unpool1d", [&] { (void)max_unpool1d(x, zeros({2, 3, 5}, i64), 0); });
  refused("pad", [&] { (void)nn::pad(x, {5, 0}, PadMode::reflect); });
  refused("pad", [&] { (void)nn::pad(x, {6, 0}, PadMode::circular); });
  refused("batch_norm", [&] { (void)batch_norm(x, {}); });
  refused("batch_norm", [&] { (void)batch_norm(zeros({1, 3}), {.training = true}); });
  refused("BatchNorm1d", [&] { (void)BatchNorm1d(4)(x); });
  const BatchNorm1d norm(3);
  refused("BatchNorm1d", [&] { (void)norm(zeros({2, 3, 5, 5})); });
  refused("BatchNorm1d", [&] { (void)norm(zeros({3})); });
  refused("batch_norm", [&] { (void)norm(zeros({1, 3})); });
  CHECK(norm.num_batches_tracked->item() == 0);
  (void)norm(x);
  CHECK(norm.num_batches_tracked->item() == 1);
  refused("instance_norm", [&] { (void)instance_norm(zeros({2, 3, 1})); });
  refused("embedding_bag", [&] { (void)embedding_bag(ids, zeros({3, 2})); });
  refused("embedding_bag", [&] { (void)embedding_bag(ids, zeros({3, 2}), {.offsets = ids}); });
  const auto bags = [&](const Tensor& offsets) {
    (void)embedding_bag(ids, zeros({3, 2}), {.offsets = offsets});
  };
  refused("embedding_bag: offsets", [&] { bags(tensor({0.0, 1.7})); });
  refused("embedding_bag: offsets", [&] { bags(tensor({{0, 1}, {1, 2}})); });
  refused("embedding_bag: offsets", [&] { bags(tensor(0)); });
  CHECK(embedding_bag(ids, ones({3, 2}), {.offsets = tensor({0, 1})}).shape() == Dims{2, 2});
  refused("one_hot", [&] { (void)one_hot(tensor({3}), 2); });
  refused("conv_transpose1d", [&] { (void)conv_transpose1d(x, zeros({4, 2, 3})); });
  refused("conv_transpose1d", [&] {
    (void)conv_transpose1d(x, zeros({3, 2, 3}), {}, {.output_padding = 1});
  });
  for (const Dims& shape : {Dims{1}, Dims{}, Dims{1, 2}, Dims{2, 1}, Dims{4}}) {
    refused("conv_transpose1d: bias", [&] {
      (void)conv_transpose1d(x, zeros({3, 2, 3}), ones(shape));
    });
    refused("conv1d: bias", [&] { (void)conv1d(x, zeros({2, 3, 3}), ones(shape)); });
    refused("bilinear: bias", [&] { (void)bilinear(x, x, zeros({2, 5, 5}), ones(shape)); });
  }
  CHECK(conv1d(x, zeros({2, 3, 5}), tensor({1.0, 2.0})).to_vector() ==
        std::vector<double>{1, 2, 1, 2});
  refused("conv_transpose1d: dtypes differ: bias", [&] {
    (void)conv_transpose1d(x, zeros({3, 2, 3}), ones({2}, f64));
  });
  refused("conv1d: dtypes", [&] { (void)conv1d(x, zeros({2, 3, 3}), ones({2}, i64)); });
  refused("bilinear: dtypes", [&] { (void)bilinear(x, x, zeros({2, 5, 5}), ones({2}, f64)); });
  const Tensor three = ones({3}), wide = ones({3}, f64);
  refused("group_norm: dtypes", [&] { (void)group_norm(x, 3, wide); });
  refused("group_norm: dtypes", [&] { (void)group_norm(x, 3, three, wide); });
  for (const bool training : {false, true}) {
    refused("batch_norm: dtypes differ: running_mean", [&] {
      (void)batch_norm(x, {wide, three, training});
    });
    refused("batch_norm: dtypes differ: running_var", [&] {
      (void)batch_norm(x, {three, wide, training});
    });
    refused("batch_norm: dtypes differ: bias", [&] {
      (void)batch_norm(x, {three, three, training}, three, wide);
    });
  }
  refused("prelu: dtypes", [&] { (void)prelu(x, wide); });
  refused("embedding_bag: dtypes", [&] {
    (void)embedding_bag(tensor({{1, 0}}), zeros({3, 2}),
                        {.mode = BagMode::sum, .per_sample_weights = ones({1, 2}, f64)});
  });
  refused("pdist", [&] { (void)pdist(x); });
  refused("gumbel_softmax", [&] { (void)gumbel_softmax(x, {.tau = 0}); });
}

TEST_CASE("functional: what does not fit is refused, by its name") {
  const Tensor x = zeros({2, 5}), t = tensor({1, 1}), none;
  refused("cross_entropy", [&] { (void)cross_entropy(x, t, ones({4})); });
  refused("cross_entropy", [&] { (void)cross_entropy(x, t, ones({5}, f64)); });
  refused("cross_entropy", [&] { (void)cross_entropy(x, zeros({2}), none); });
  refused("cross_entropy", [&] { (void)cross_entropy(x, zeros({2, 5}, f64), none); });
  refused("cross_entropy", [&] { (void)cross_entropy(x, tensor({1, 5}), ones({5})); });
  refused("cross_entropy", [&] { (void)cross_entropy(zeros({2, 5, 3}), t, none); });
  refused("nll_loss", [&] { (void)nll_loss(x, t, ones({5}), {.label_smoothing = 0.1}); });
  refused("kl_div", [&] { (void)kl_div(zeros({}), zeros({}), {.batchmean = true}); });
  refused("huber_loss", [&] { (void)huber_loss(x, x, {.delta = 0}); });
  refused("smooth_l1_loss", [&] { (void)smooth_l1_loss(x, x, {.beta = -1}); });
  refused("gaussian_nll_loss", [&] { (void)gaussian_nll_loss(x, x, ones({3})); });
  refused("gaussian_nll_loss", [&] { (void)gaussian_nll_loss(x, x, full({2, 5}, -1)); });
  refused("binary_cross_entropy", [&] { (void)binary_cross_entropy(x + 2, x); });
  refused("binary_cross_entropy", [&] { (void)binary_cross_entropy(x, zeros({2})); });
  refused("cosine_embedding_loss", [&] { (void)cosine_embedding_loss(x, x, zeros({3})); });
  refused("multi_margin_loss", [&] { (void)multi_margin_loss(x, t, {.p = 3}); });
  refused("multi_margin_loss", [&] { (void)multi_margin_loss(x, tensor({1})); });
  refused("multilabel_margin_loss", [&] { (void)multilabel_margin_loss(x, t); });
  refused("hardtanh", [&] { (void)hardtanh(x, 1, -1); });
  refused("softshrink", [&] { (void)softshrink(x, -1); });
  refused("celu", [&] { (void)celu(x, 0); });
  refused("glu", [&] { (void)glu(x); });
  refused("glu", [&] { (void)glu(zeros({})); });
  refused("prelu", [&] { (void)prelu(x, ones({3})); });
  refused("bilinear", [&] { (void)bilinear(x, x, zeros({2, 5, 4})); });
  refused("group_norm", [&] { (void)group_norm(x, 2); });
  refused("conv1d", [&] { (void)conv1d(zeros({2, 5, 3}), zeros({4, 4, 2})); });
  refused("conv1d", [&] { (void)conv1d(zeros({2, 5, 3}), zeros({4, 5, 4})); });
  refused("conv1d", [&] { (void)conv1d(zeros({2, 5, 3}), zeros({4, 5, 1}), {}, {.stride = 0}); });
  refused("embedding", [&] { (void)Embedding(5, 2, {.max_norm = 1})(tensor({7})); });
  refused("GroupNorm", [] { (void)GroupNorm(2, 5); });
  refused("Conv1d", [] { (void)Conv1d(3, 4, 2, {.groups = 2}); });
  refused("alibi", [] { (void)alibi_slopes(0); });
  refused("relative_position_bucket", [&] { (void)relative_position_bucket(t, {.buckets = 2}); });
}
