// The table of a model's layers, against torchinfo 1.8 and against numbers worked out by hand.
#include <doctest/doctest.h>
#include <slope/autograd/ops.h>
#include <slope/nn/layers/round_weights.h>
#include <slope/nn/nn.h>

using namespace slope;

namespace {

struct Block {
  nn::Linear fc1{8, 32};
  nn::GELU act;
  nn::Linear fc2{32, 8};
  nn::LayerNorm norm{8};
  Tensor forward(const Tensor& x) const { return norm(x + fc2(act(fc1(x)))); }
  SLOPE_MODULE(Block, fc1, act, fc2, norm)
};
struct Net {
  nn::Embedding embed{11, 8};
  std::vector<Block> blocks = std::vector<Block>(2);
  nn::Linear head{8, 11, false};
  nn::Linear unused{2, 3};
  Tensor forward(const Tensor& tokens) const {
    Tensor x = embed(tokens);
    for (const Block& block : blocks) x = block(x);
    return head(x);
  }
  SLOPE_MODULE(Net, embed, blocks, head, unused)
};

const nn::LayerSummary& layer(const nn::Summary& s, const std::string& name) {
  const auto at = std::find_if(s.layers.begin(), s.layers.end(),
                               [&](const nn::LayerSummary& l) { return l.name == name; });
  REQUIRE(at != s.layers.end());
  return *at;
}

}  // namespace

TEST_CASE(
    "summary: shapes, parameters and sizes are torchinfo's; a frozen weight and a spare one") {
  Net net;
  net.blocks[0].fc1.weight.set_requires_grad(false);
  const nn::Summary s = nn::summary(net, zeros({2, 5}, i64));
  CHECK("\n" + s.text() == R"(
Layer (type (name): depth-index)   Output shape  Param #  Mult-adds  Output bytes
=================================================================================
Net                                [2, 5, 11]         --         --           440
├─Embedding (embed): 1-1           [2, 5, 8]          88         --           320
├─ModuleList (blocks): 1-2         --                 --         --            --
│    └─Block (0): 2-1              [2, 5, 8]          --         --           320
│    │    └─Linear (fc1): 3-1      [2, 5, 32]        288      2,880         1,280
│    │    └─GELU (act): 3-2        [2, 5, 32]         --         --         1,280
│    │    └─Linear (fc2): 3-3      [2, 5, 8]         264      2,640           320
│    │    └─LayerNorm (norm): 3-4  [2, 5, 8]          16         --           320
│    └─Block (1): 2-2              [2, 5, 8]          --         --           320
│    │    └─Linear (fc1): 3-5      [2, 5, 32]        288      2,880         1,280
│    │    └─GELU (act): 3-6        [2, 5, 32]         --         --         1,280
│    │    └─Linear (fc2): 3-7      [2, 5, 8]         264      2,640           320
│    │    └─LayerNorm (norm): 3-8  [2, 5, 8]          16         --           320
├─Linear (head): 1-3               [2, 5, 11]         88        880           440
├─Linear (unused): 1-4             --                  9         --            --
=================================================================================
Total params: 1,321
Trainable params: 1,065
Non-trainable params: 256
Total mult-adds (M): 0.01
=================================================================================
Input size (MB): 0.00
Forward/backward pass size (MB): 0.01
Params size (MB): 0.01
Estimated Total Size (MB): 0.01
)");
  // total_params, trainable_params, total_input, total_output_bytes, total_param_bytes
  CHECK(s.parameters == 1321);
  CHECK(s.trainable == 1065);
  CHECK(s.input_bytes == 80);
  CHECK(s.pass_bytes == 9200);
  CHECK(s.parameter_bytes == 4 * 1321);
  CHECK(!net.blocks[0].fc1.weight.requires_grad());
  CHECK(net.training());
}

TEST_CASE("summary: multiply-adds are torchinfo's where inputs are rows, for other inputs all") {
  nn::Sequential mlp(nn::Linear(7, 5), nn::Tanh(), nn::Linear(5, 3, false));
  // torchinfo: 120 and 45, total_mult_adds 165
  const nn::Summary rows = nn::summary(mlp, zeros({3, 7}));
  CHECK(layer(rows, "0").multiply_adds == 3 * (7 * 5 + 5));
  CHECK(layer(rows, "2").multiply_adds == 3 * 5 * 3);
  CHECK(rows.multiply_adds == 165);
  // torchinfo leaves out all dims but the first: 165 again
  CHECK(nn::summary(mlp, zeros({3, 2, 7})).multiply_adds == 330);
  CHECK(nn::summary(mlp, zeros({0, 7})).multiply_adds == 0);
}

TEST_CASE("summary: products of attention and of losses belong to the module that makes them") {
  nn::TransformerEncoderLayer encoder(6, 2, {.dim_feedforward = 10});
  const nn::Summary s = nn::summary(encoder, zeros({3, 5, 6}));
  const int64_t B = 3, L = 5, E = 6, F = 10;
  // q, k, v; scores and values of every head; out_proj
  const int64_t attention = 3 * (B * L * E * (E + 1)) + 2 * B * L * L * E + B * L * E * (E + 1);
  int64_t of_attention = 0;
  for (const nn::LayerSummary& l : s.layers)
    if (l.name.starts_with("self_attn")) of_attention += l.multiply_adds;
  CHECK(of_attention == attention);
  CHECK(layer(s, "linear1").multiply_adds == B * L * F * (E + 1));
  CHECK(layer(s, "linear2").multiply_adds == B * L * E * (F + 1));
  CHECK(layer(s, "").output == Dims{3, 5, 6});

  nn::Linear head(4, 9);
  const Tensor x = zeros({5, 4}), target = zeros({5}, i64);
  const nn::Summary loss = nn::summary_of(head, {x}, [&] {
    const nn::Scope scope(head);
    return linear_cross_entropy(x, head.weight, nn::or_none(head.bias), target);
  });
  CHECK(layer(loss, "").multiply_adds == 5 * 9 * (4 + 1));
  CHECK(layer(loss, "").output == Dims{});
}

namespace {

struct Twice {
  nn::Linear fc{4, 4, false};
  nn::MultiheadAttention mha{4, 2};
  Tensor forward(const Tensor& x) const {
    const Tensor y = fc(fc(x));
    return mha(y, y, y, nn::AttentionArguments{}).output;
  }
  SLOPE_MODULE(Twice, fc, mha)
};

}  // namespace

TEST_CASE("summary: a module called twice; one that gives no single tensor; hooks stay hooks") {
  const Twice twice;
  const Tensor x = zeros({1, 3, 4});
  const nn::Summary s = nn::summary(twice, x);
  CHECK(layer(s, "fc").calls == 2);
  CHECK(layer(s, "fc").multiply_adds == 2 * 3 * 4 * 4);
  CHECK(layer(s, "fc").output_bytes == 2 * 48);
  CHECK(!layer(s, "mha").output);
  CHECK(layer(s, "mha").parameters == 3 * 16 + 12);
  CHECK(layer(s, "mha").multiply_adds > 0);
  (void)twice(x);  // the watchers are gone
  nn::HookHandle hook =
      nn::register_forward_hook(twice.mha, [](const Tensors&, const Tensor&) { return Tensor(); });
  CHECK_THROWS_WITH_AS((void)twice(x),
                       "forward hook: the result of MultiheadAttention is not one tensor; put the "
                       "hook on a module whose forward gives a Tensor",
                       UsageError);
  hook.remove();
  (void)twice(x);
}

TEST_CASE("summary: weights in bf16 are refused, and what is frozen stays so") {
  const nn::Sequential net(nn::Linear(3, 2), nn::Linear(2, 1));
  CHECK(nn::set_requires_grad(net, "*", false) == 4);
  CHECK(nn::round_weights(net) == 8);
  CHECK_THROWS_WITH_AS((void)nn::summary(net, zeros({1, 3})),
                       "summary: a model with weights in bfloat16 records no tape; convert it with "
                       "to(f32)",
                       UsageError);
  for (const Tensor& p : nn::parameters(net)) CHECK(!p.requires_grad());
}
