#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/tests/golden.h>
#include <slope/tests/nn/models.h>

#include <set>
#if !defined(SLOPE_PLAIN)
#include <thread>
#endif

using namespace slope;
using test::Block;
using test::bytes_of;
using test::Config;
using test::Tiny;

// tests/conventions/wrong_modules.py tests what must not compile, such as copying a module.
static_assert(
    std::is_nothrow_move_constructible_v<nn::Parameter> &&
    std::is_nothrow_move_constructible_v<Block>);  // a std::vector<Block> moves as it grows
static_assert(std::is_move_constructible_v<Tiny> && std::is_move_assignable_v<Tiny>);

namespace {

std::vector<std::string> names(const NamedTensors& named) {
  std::vector<std::string> all;
  for (const auto& [name, x] : named) all.push_back(name);
  return all;
}

// PyTorch's order: a module's own tensors, then those of its submodules
std::vector<std::string> expected_keys() {
  std::vector<std::string> keys{"extra", "count", "embed.weight"};
  for (const char* block : {"blocks.0.", "blocks.1.", "blocks.2."})
    for (const char* key : {"ln.weight", "ln.bias", "ff.linear1.weight", "ff.linear1.bias",
                            "ff.linear2.weight", "ff.linear2.bias"})
      keys.push_back(std::string(block) + key);
  for (const char* key : {"list.0.weight", "list.0.bias", "net.0.weight", "net.0.bias",
                          "attention.in_proj_weight", "attention.in_proj_bias",
                          "attention.out_proj.weight", "attention.out_proj.bias", "head.weight"})
    keys.push_back(key);
  return keys;
}

}  // namespace

TEST_CASE("state: names are PyTorch's, tied tensors count once") {
  const Tiny model(Config{});
  std::vector<std::string> keys;
  for (const auto& entry : nn::state_entries(model)) keys.push_back(entry.name);
  CHECK(keys == expected_keys());

  const nn::StateDict state = nn::state_dict(model);
  CHECK(state.tensors.size() == keys.size() - 1);
  CHECK(state.tied == Metadata{{"head.weight", "embed.weight"}});
  CHECK(names(nn::named_buffers(model)) == std::vector<std::string>{"count", "table"});
  const NamedTensors parameters = nn::named_parameters(model);
  CHECK(parameters.size() == keys.size() - 2);  // without the buffer and the tied name
  CHECK(parameters[1].name == "embed.weight");
  CHECK(nn::count_parameters(model) ==
        4 + 44 + 3 * (8 + 8 * 4 + 8 + 4 * 8 + 4) + 20 + 20 + 48 + 12 + 20);
  CHECK(model.head.weight.is_same(model.embed.weight));
}

TEST_CASE("state: an optional that is empty has no name") {
  const Tiny model(Config{.with_extra = false});
  CHECK(nn::state_entries(model)[0].name == "count");
}

TEST_CASE("state: a moved model keeps its parameters' identity") {
  Tiny a(Config{});
  const Tensor weight = a.head.weight;
  Tiny b = std::move(a);
  CHECK(b.head.weight.is_same(weight));
  CHECK(b.embed.weight.is_same(weight));
  CHECK(nn::state_entries(b).size() == expected_keys().size());
}

TEST_CASE("load: what was saved comes back, ties stay") {
  manual_seed(1);
  const Tiny a(Config{});
  const Tiny b(Config{});
  CHECK(bytes_of(a) != bytes_of(b));
  const nn::StateDict state = nn::state_dict(a);
  const nn::LoadReport report =
      nn::load(b, parse_safetensors(format_safetensors(state.tensors, state.tied)));
  CHECK(report.ok());
  CHECK(report.message() == "<All keys matched successfully>");
  CHECK(bytes_of(a) == bytes_of(b));
  CHECK(b.head.weight.is_same(b.embed.weight));
  CHECK(b.head.weight.requires_grad());
}

TEST_CASE(
    "load: a file with both names of a tied tensor, equal or not; a file of a tied model into one "
    "that is not") {
  manual_seed(2);
  const Tiny a(Config{}), b(Config{});
  NamedTensors both;
  for (const auto& [name, x] : nn::state_entries(a)) both.push_back({name, contiguous_copy(x)});
  CHECK(nn::load(b, both).ok());
  CHECK(bytes_of(a) == bytes_of(b));
  fill(both.back().tensor, 3);
  CHECK_THROWS_WITH_AS(nn::load(b, both),
                       "Error(s) in loading state_dict for Tiny: values mismatch for head.weight: "
                       "tied in current model, but the checkpoint has other values under its other "
                       "name",
                       InputError);
  CHECK(bytes_of(a) == bytes_of(b));

  Tiny untied(Config{});
  untied.head.weight = nn::Parameter(zeros({11, 4}));
  const nn::StateDict state = nn::state_dict(a);
  CHECK(nn::load(untied, TensorFile{state.tied, state.tensors}).ok());
  CHECK(untied.head.weight.to_vector() == a.head.weight.to_vector());
  CHECK(!untied.head.weight.is_same(untied.embed.weight));
}

TEST_CASE(
    "load: every key lost, renamed, misshapen or of another dtype is found, and nothing changes") {
  manual_seed(3);
  const Tiny a(Config{}), b(Config{});
  const std::string before = bytes_of(b);
  const NamedTensors good = nn::state_dict(a).tensors;
  for (size_t k = 0; k < good.size(); ++k) {
    const std::string& key = good[k].name;
    NamedTensors lost = good, renamed = good, misshapen = good, retyped = good;
    lost.erase(lost.begin() + static_cast<long>(k));
    renamed[k].name = "model." + key;
    misshapen[k].tensor = zeros({9, 9, 9});
    retyped[k].tensor = is_floating(good[k].tensor.dtype()) ? zeros(good[k].tensor.shape(), i64)
                                                            : zeros(good[k].tensor.shape());
    for (const auto& trial :
         {std::pair{lost, "Missing key(s) in state_dict: \"" + key + "\""},
          {renamed, "\"" + key + "\" (did you mean \"model." + key + "\"?)"},
          {misshapen, "size mismatch for " + key + ": copying a param with shape (9, 9, 9) from"},
          {retyped, "dtype mismatch for " + key + ": "}}) {
      const std::string& say = trial.second;
      std::string message;
      try {
        (void)nn::load(b, trial.first);
      } catch (const InputError& e) {
        message = e.what();
      }
      CHECK_MESSAGE(message.find(say) != std::string::npos,
                    "'" << message << "' does not say '" << say << "'");
      CHECK(message.find('\n') == std::string::npos);
      CHECK(bytes_of(b) == before);
    }
  }
}

TEST_CASE("load: all kinds of trouble in one message; not strict takes what fits") {
  manual_seed(4);
  const Tiny a(Config{}), b(Config{});
  NamedTensors bad = nn::state_dict(a).tensors;
  bad[2].name = "embd.weight";
  bad[0].tensor = zeros({5});
  bad.push_back({"other", zeros({1})});
  CHECK_THROWS_WITH_AS(nn::load(b, bad),
                       "Error(s) in loading state_dict for Tiny: Missing key(s) in state_dict: "
                       "\"embed.weight\" (did you mean \"embd.weight\"?), \"head.weight\". "
                       "Unexpected key(s) in state_dict: \"embd.weight\", \"other\". "
                       "size mismatch for extra: copying a param with shape (5,) from checkpoint, "
                       "the shape in current model is (4,)",
                       InputError);
  bad[0].tensor = ones({4});
  const nn::LoadReport report = nn::load(b, bad, {.strict = false});
  CHECK(report.missing == std::vector<std::string>{"embed.weight", "head.weight"});
  CHECK(report.unexpected == std::vector<std::string>{"embd.weight", "other"});
  CHECK(b.extra->to_vector() == std::vector<double>(4, 1));
}

TEST_CASE("load: of names that fit equally well, each is suggested") {
  const Tiny model(Config{});
  NamedTensors two = nn::state_dict(model).tensors;
  for (auto& [name, tensor] : two)
    if (name == "extra") name = "a.extra";
  two.push_back({"b.extra", ones({4})});
  const std::string text = nn::load(model, two, {.strict = false}).message();
  CHECK_MESSAGE(text.find("\"extra\" (did you mean \"a.extra\" or \"b.extra\"?)") != text.npos,
                text);
}

TEST_CASE("load: of many unknown names only the first are listed") {
  const Tiny model(Config{});
  NamedTensors many = nn::state_dict(model).tensors;
  for (int i = 0; i < 20000; ++i) many.push_back({fmt::format("other.{}", i), zeros({})});
  try {
    nn::load(model, many);
    FAIL_CHECK("was not refused");
  } catch (const InputError& e) {
    const std::string text = e.what();
    CHECK(text.size() < 1000);
    CHECK(text.ends_with("\"other.19\", and 19980 more"));
  }
}

TEST_CASE("to: f64 and back, in place, with gradients; buffers follow, integers stay") {
  manual_seed(5);
  Tiny model(Config{});
  const Tensor held = model.head.weight;
  held.set_grad(ones(held.shape()));
  const auto values = held.to_vector();
  nn::to(model, f64);
  CHECK(held.dtype() == f64);
  CHECK(held.is_same(model.embed.weight));
  CHECK(held.to_vector() == values);
  CHECK(held.grad().dtype() == f64);
  CHECK(held.requires_grad());
  CHECK(model.table.dtype() == f64);
  CHECK(model.count.dtype() == i64);
  for (const Tensor& p : nn::parameters(model)) CHECK(p.dtype() == f64);
  nn::eval(model);
  const Tensor y = model(test::tiny_ids());
  CHECK(y.dtype() == f64);
  nn::to(model, f32);
  test::check_close(model(test::tiny_ids()), y, 1e-4, 1e-5, "f32");
  CHECK_THROWS_AS(nn::to(model, i64), DTypeError);
}

TEST_CASE("init: uniform numbers stay below the upper end, also where it is large") {
  manual_seed(1);
  const Tensor x = zeros({1'000'000});
  nn::init::uniform(x, 1000, 1001);
  const float* values = x.data<float>();
  CHECK(*std::max_element(values, values + x.numel()) < 1001);
  CHECK(*std::min_element(values, values + x.numel()) >= 1000);
  nn::init::uniform(x, 2, 2);
  CHECK(x.to_vector()[5] == 2);
  CHECK_THROWS_AS(nn::init::uniform(x, 2, 1), UsageError);
}

TEST_CASE(
    "modes: train and eval reach every module; EvalMode holds for one thread, writes nothing, and "
    "ends by an exception too") {
  Tiny model(Config{});
  CHECK(model.training());
  nn::eval(model);
  for (const auto& named : nn::named_modules(model))
    if (named.second.state()) CHECK_MESSAGE(!named.second.state()->training, named.first);
  nn::train(model);
  model.blocks[2].ff.dropout.module_state.training = false;
  try {
    const nn::EvalMode eval_mode;
    CHECK(!model.blocks[0].ff.dropout.training());
    CHECK(model.blocks[0].ff.dropout.rate() == 0);
    CHECK(model.blocks[0].ff.dropout.module_state.training);
#if !defined(SLOPE_PLAIN)
    double elsewhere = 0;
    std::thread([&] { elsewhere = model.blocks[0].ff.dropout.rate(); }).join();
    CHECK(elsewhere == 0.1);
#endif
    { const nn::EvalMode inner; }
    CHECK(!model.training());
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
  }
  CHECK(model.blocks[0].ff.dropout.training());
  CHECK(model.blocks[0].ff.dropout.rate() == 0.1);
  CHECK(!model.blocks[2].ff.dropout.training());
}

TEST_CASE("apply: every module once, parts before wholes; as<T> finds types") {
  const Tiny model(Config{});
  std::vector<std::string> seen;
  int linears = 0;
  nn::apply(model, [&](nn::ModuleRef m) {
    seen.push_back(m.type());
    linears += m.as<nn::Linear>() != nullptr;
  });
  CHECK(seen.front() == "Embedding");
  CHECK(seen.back() == "Tiny");
  CHECK(linears == 3 * 2 + 1 + 1 + 1 + 1);
  CHECK(std::multiset<std::string>(seen.begin(), seen.end()).count("Block") == 3);
}

TEST_CASE("zero_grad: forgets all gradients") {
  const Tiny model(Config{});
  for (const Tensor& p : nn::parameters(model)) p.set_grad(ones(p.shape()));
  nn::zero_grad(model);
  for (const Tensor& p : nn::parameters(model)) CHECK(!p.grad().defined());
}

TEST_CASE("tie: other shapes are refused") {
  nn::Linear a(2, 3), b(3, 2);
  CHECK_THROWS_AS(nn::tie(a.weight, b.weight), ShapeError);
}

TEST_CASE("parameters as one vector: there and back; gradients flow") {
  const nn::Linear layer(2, 3);
  const Tensors all = nn::parameters(layer);
  const Tensor vector = nn::parameters_to_vector(all);
  CHECK(vector.shape() == Dims{9});
  sum(vector * arange(9)).backward();
  CHECK(layer.bias->grad().to_vector() == std::vector<double>{6, 7, 8});
  nn::vector_to_parameters(arange(0, 9, 1, f32), all);
  CHECK(layer.weight.to_vector() == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(layer.bias->to_vector() == std::vector<double>{6, 7, 8});
  CHECK_THROWS_AS(nn::vector_to_parameters(zeros({8}), all), ShapeError);
  CHECK(layer.bias->to_vector() == std::vector<double>{6, 7, 8});
}
