#include <slope/tests/golden.h>
#include <slope/tests/nn/models.h>

using namespace slope;
using namespace slope::nn;

namespace {
auto block(double p = 0.1) { return Sequential(Linear(8, 16), ReLU(), Dropout(p), Linear(16, 8)); }
}  // namespace

TEST_CASE("print: PyTorch's text, to the byte, for every module and for repeats") {
  ModuleList stack;
  stack.append(Embedding(10, 8));
  stack.append(Embedding(10, 8, {.padding_idx = 0}));
  stack.append(Linear(8, 16));
  stack.append(Linear(16, 8, false));
  stack.append(LayerNorm(8));
  stack.append(LayerNorm(8, {.eps = 1e-6}));
  stack.append(LayerNorm(8, {.elementwise_affine = false}));
  stack.append(LayerNorm(8, {.bias = false}));
  stack.append(LayerNorm(Dims{4, 8}));
  stack.append(RMSNorm(8));
  stack.append(RMSNorm(8, {.eps = 1e-6}));
  stack.append(RMSNorm(8, {.elementwise_affine = false}));
  stack.append(Dropout(0.1));
  stack.append(Dropout());
  stack.append(Dropout(0.0));
  stack.append(ReLU());
  stack.append(GELU());
  stack.append(GELU(Gelu::tanh));
  stack.append(SiLU());
  stack.append(Tanh());
  stack.append(Sigmoid());
  stack.append(MultiheadAttention(8, 2));
  stack.append(Sequential<>());
  stack.append(ModuleList());
  stack.append(Sequential(Tanh()));
  stack.append(block());
  stack.append(ModuleList::of(block(), block(), block()));
  stack.append(ModuleList::of(block(), block(), block(0.2), block(0.2), block()));
  stack.append(ReLU());
  stack.append(ReLU());
  for (int i = 0; i < 3; ++i) stack.append(Linear(8, 8));
  CHECK(to_string(stack) + "\n" == test::golden_text("stack.print.txt"));
}

TEST_CASE("print: a struct with a vector, an optional and a table") {
  CHECK(to_string(test::Block(4)) == R"(Block(
  (ln): LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)
  (ff): FeedForward(
    (linear1): Linear(in_features=4, out_features=8, bias=True)
    (dropout): Dropout(p=0.1, inplace=False)
    (linear2): Linear(in_features=8, out_features=4, bias=True)
  )
))");
  CHECK(to_string(LearnedPositions(100, 256)) == "Embedding(100, 256)");
  CHECK(to_string(test::Tiny(test::Config{})).find("(0-2): 3 x Block(") != std::string::npos);
}

TEST_CASE("print: floats as Python writes them") {
  CHECK(python(1e-5) == "1e-05");
  CHECK(python(0.0) == "0.0");
  CHECK(python(1.0) == "1.0");
  CHECK(python(0.30000000000000004) == "0.30000000000000004");
  CHECK(python(1e16) == "1e+16");
}
