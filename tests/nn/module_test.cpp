#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/node.h>
#include <slope/core/loops/copy.h>
#include <slope/core/module_path.h>
#include <slope/nn/module/unlisted.h>
#include <slope/tests/golden.h>
#include <slope/tests/nn/models.h>

using namespace slope;
using test::Block;
using test::Config;
using test::Tiny;

namespace {

struct Probe {  // records the module path in which it runs
  std::vector<std::string>* seen;
  explicit Probe(std::vector<std::string>* seen) : seen(seen) {}
  Tensor forward(const Tensor& x) const {
    seen->push_back(current_module() ? current_module() : "(none)");
    return x;
  }
  SLOPE_MODULE(Probe)
};

struct Misfit {  // its second part takes other sizes than the first returns
  nn::Linear fc1{2, 4};
  std::vector<nn::Linear> fc2;
  nn::Embedding table{3, 2};
  Misfit() { fc2.emplace_back(5, 2); }
  Tensor forward(const Tensor& x) const {
    return is_floating(x.dtype()) ? fc2[0](fc1(x)) : table(x);
  }
  SLOPE_MODULE(Misfit, fc1, fc2, table)
};

struct Inner {
  Probe first;  // has the address of its owner
  std::vector<Probe> probes;
  explicit Inner(std::vector<std::string>* seen) : first(seen) {
    for (int i = 0; i < 2; ++i) probes.emplace_back(seen);
  }
  Tensor forward(const Tensor& x) const { return probes[1](probes[0](first(x))); }
  SLOPE_MODULE(Inner, first, probes)
};

struct Outer {
  Inner a, b;
  explicit Outer(std::vector<std::string>* seen) : a(seen), b(seen) {}
  // the last call bypasses b's operator()
  Tensor forward(const Tensor& x) const { return b.probes[0](b(a(x))); }
  Tensor encode(const Tensor& x) const {
    const nn::Scope scope(*this);
    return a(x);
  }
  SLOPE_MODULE(Outer, a, b)
};

struct Parts {  // whose types are known only at run time
  std::vector<nn::AnyModule> parts;
  Tensor forward(Tensor x) const {
    for (const nn::AnyModule& part : parts) x = part(x);
    return x;
  }
  SLOPE_MODULE(Parts, parts)
};

struct Forgets {  // `shift` and `last` are missing from SLOPE_MODULE
  nn::Linear first{2, 3}, last{3, 1, false};
  nn::Parameter shift{zeros({3})};
  nn::Parameter frozen{zeros({3})};
  Tensor forward(const Tensor& x) const { return last(tanh(first(x) + shift + frozen.detach())); }
  SLOPE_MODULE(Forgets, first)
};
struct Holds {
  Forgets part;
  Tensor forward(const Tensor& x) const { return part(x); }
  SLOPE_MODULE(Holds, part)
};

struct Chain {  // made with b and c tied
  nn::Linear a{2, 2, false}, b{2, 2, false}, c{2, 2, false};
  Chain() { nn::tie(b.weight, c.weight); }
  Chain blank() const { return {}; }
  Tensor forward(const Tensor& x) const { return c(b(a(x))); }
  SLOPE_MODULE(Chain, a, b, c)
};

struct Pair {
  nn::Linear linear{2, 2};
  std::pair<Tensor, Tensor> forward(const Tensor& x) const { return {linear(x), x}; }
  SLOPE_MODULE(Pair, linear)
};

struct RenamedDrop : nn::Dropout {
  using Dropout::Dropout;
  SLOPE_MODULE(RenamedDrop)
};
struct WithoutLine : nn::Dropout {};
static_assert(nn::has_own_line<nn::Dropout> && nn::has_own_line<RenamedDrop>);
static_assert(!nn::has_own_line<WithoutLine>);  // state_of refuses it
struct RenamedTwice : RenamedDrop {
  using RenamedDrop::RenamedDrop;
  SLOPE_MODULE(RenamedTwice)
};
template <class M>
struct Around {
  M module;
  Tensor forward(const Tensor& x) const { return module(x); }
  SLOPE_MODULE(Around, module)
};

struct TwoLists {
  std::vector<nn::MultiheadAttention> enc, dec;
  TwoLists() { enc.emplace_back(4, 1), dec.emplace_back(4, 1); }
  Tensor forward(const Tensor& x) const {
    const Tensor y = enc[0](x, x, x);
    return dec[0](y, y, y);
  }
  SLOPE_MODULE(TwoLists, enc, dec)
};

}  // namespace

TEST_CASE("scope: paths are places below the outermost module, also after a move") {
  std::vector<std::string> seen;
  Outer model(&seen);
  const Tensor x = ones({1});
  const std::vector<std::string> expected{"a.first",    "a.probes.0", "a.probes.1", "b.first",
                                          "b.probes.0", "b.probes.1", "b.probes.0"};
  for (int i = 0; i < 2; ++i) {  // searched, then cached
    seen.clear();
    (void)model(x);
    CHECK(seen == expected);
  }
  seen.clear();
  (void)model.encode(x);
  CHECK(seen == std::vector<std::string>{"a.first", "a.probes.0", "a.probes.1"});
  seen.clear();
  (void)model.b(x);  // b itself is the outermost module
  CHECK(seen == std::vector<std::string>{"first", "probes.0", "probes.1"});
  seen.clear();
  std::swap(model.a, model.b);
  Outer moved = std::move(model);
  (void)moved(x);
  CHECK(seen == expected);
  CHECK(current_module() == nullptr);
}

TEST_CASE("scope: nodes and errors name the module") {
  const Tiny model(Config{});
  const nn::Scope scope(model);
  const Tensor y = model.blocks[1](zeros({2, 4}));
  CHECK(current_module() == nullptr);
  CHECK(std::string(gradient_node(y)->module) == "blocks.1");
  const Tensor z = model.blocks[1].ff(zeros({2, 4}));
  CHECK(std::string(gradient_node(z)->module) == "blocks.1.ff.linear2");
}

TEST_CASE("scope: patterns") {
  CHECK(nn::path_matches("transformer.decoder.layers.0.mha2", "decoder.layers.*"));
  CHECK(nn::path_matches("decoder.layers.0.mha2", "decoder.*.mha2"));
  CHECK(nn::path_matches("decoder.layers.0.mha2", "mha2"));
  CHECK(nn::path_matches("", "*"));
  CHECK(!nn::path_matches("xdecoder.layers.0", "decoder.*"));
  CHECK(!nn::path_matches("decoder.layers.0.mha2", "decoder.layers"));
  CHECK(!nn::path_matches("", "a*"));
}

TEST_CASE("hooks: see inputs and output, may replace it, can be removed by themselves") {
  manual_seed(1);
  const nn::Sequential net(nn::Linear(2, 3), nn::Tanh());
  const Tensor x = randn({4, 2});
  const Tensor plain = net(x);
  Tensor input, output;
  nn::HookHandle watch =
      nn::register_forward_hook(net.get<0>(), [&](const Tensors& inputs, const Tensor& y) {
        REQUIRE(inputs.size() == 1);
        input = inputs[0];
        output = y;
        return Tensor();
      });
  CHECK(net(x).to_vector() == plain.to_vector());
  CHECK(input.is_same(x));
  CHECK(output.shape() == Dims{4, 3});
  nn::HookHandle replace = nn::register_forward_hook(net, [&](const Tensors&, const Tensor& y) {
    replace.remove();
    return y * 2.0;
  });
  test::check_close(net(x), plain * 2.0, 1e-7, 0, "replaced");
  CHECK(net(x).to_vector() == plain.to_vector());
  watch.remove();
  output = {};
  (void)net(x);
  CHECK(!output.defined());
}

TEST_CASE("hooks: a module whose result is not one tensor says so") {
  const Pair pair;
  (void)nn::register_forward_hook(pair, [](const Tensors&, const Tensor&) { return Tensor(); });
  CHECK_THROWS_WITH_AS(pair(zeros({1, 2})),
                       "forward hook: the result of Pair is not one tensor; put the hook on a "
                       "module whose forward gives a Tensor",
                       UsageError);
}

TEST_CASE("parameters: leaves that require grad, found by backward") {
  manual_seed(2);
  const Tiny model(Config{});
  const Tensor y = model(test::tiny_ids());
  y.backward(ones(y.shape()));
  for (const auto& named : nn::named_parameters(model)) {
    CHECK_MESSAGE(named.tensor.is_leaf(), named.name);
    CHECK_MESSAGE(named.tensor.grad().defined(), named.name);
  }
}

TEST_CASE(
    "scope: modules known at run time only have the path of the place that they were moved to") {
  std::vector<std::string> seen;
  Parts model;
  for (int i = 0; i < 3; ++i) model.parts.emplace_back(Probe(&seen));
  const Tensor x = ones({1});
  (void)model(x);
  std::swap(model.parts[0], model.parts[2]);
  (void)model(x);
  CHECK(seen ==
        std::vector<std::string>{"parts.0", "parts.1", "parts.2", "parts.0", "parts.1", "parts.2"});
}

TEST_CASE("scope: operands that do not fit say in which module") {
  const auto message = [](const Tensor& x) {
    try {
      (void)Misfit()(x);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(message(ones({3, 2})) ==
        "linear: input 1 of shape (2, 5) does not fit (out, in): size in is 4 in input 0 of shape "
        "(3, "
        "4) (in module fc2.0)");
  CHECK(message(ones({3, 7})) ==
        "linear: input 1 of shape (4, 2) does not fit (out, in): size in is 7 in input 0 of shape "
        "(3, "
        "7) (in module fc1)");
  CHECK(message(ones({3, 2}, f64)) ==
        "linear: dtypes differ: input float64, weight float32, bias float32 (in module fc1)");
  CHECK(message(full({1}, 9, i64)) ==
        "embedding: index 9 at position 0 is out of range [0, 3) (in module table)");
  CHECK(current_module() == nullptr);
}

TEST_CASE("module list: of modules known at run time only") {
  nn::ModuleList list;
  list.append(nn::Linear(2, 2));
  list.append(Pair{});
  CHECK(list.size() == 2);
  CHECK(list[0](zeros({1, 2})).shape() == Dims{1, 2});
  CHECK_THROWS_AS((void)list[1](zeros({1, 2})), UsageError);
  CHECK_THROWS_AS((void)nn::clone(list), UsageError);
}

TEST_CASE("unlisted parameters: each that the loss depends on, with shape, operation and module") {
  const Tensor x = ones({4, 2});
  const Forgets forgets;
  CHECK(nn::unlisted_parameters(forgets, sum(forgets(x))) ==
        std::vector<std::string>{"(3,), first used by add", "(1, 3), first used by linear"});
  const Holds holds;
  CHECK(nn::unlisted_parameters(holds, sum(holds(x)))[0] ==
        "(3,), first used by add in module part");
  const Pair pair;
  CHECK(nn::unlisted_parameters(pair, sum(pair(x).first)).empty());
}

TEST_CASE(
    "module: a type that derives from a module, with a line of its own, has the base's mode") {
  const Tensor x = ones({64});
  const RenamedDrop drop(0.9);
  CHECK(drop.rate() == 0.9);
  nn::eval(drop);
  CHECK(!drop.training());
  CHECK(drop.rate() == 0);
  CHECK(equal(drop(x), x));
  const RenamedTwice twice(0.9);
  nn::eval(twice);
  CHECK(equal(twice(x), x));
  const Around<RenamedDrop> around;  // not a base, although its name is found too
  nn::eval(around);
  CHECK(equal(around(x), x));
  int calls = 0;
  const auto handle = nn::watch_calls(drop, [&](const Tensor&) { ++calls; });
  (void)drop(x);
  CHECK(calls == 1);
  CHECK(nn::to_string(twice) == "RenamedTwice(p=0.9, inplace=False)");
}

TEST_CASE("scope: attention is captured under the right path after two std::vectors were swapped") {
  TwoLists model;
  const Tensor x = ones({1, 2, 4});
  (void)model(x);
  std::swap(model.enc, model.dec);
  const nn::CaptureAttention capture;
  (void)model(x);
  CHECK(capture.paths() == std::vector<std::string>{"enc.0", "dec.0"});
}

TEST_CASE("clone: of a model with other ties than its constructor makes") {
  Chain model;
  nn::tie(model.a.weight, model.c.weight);
  const Chain copy = nn::clone(model);
  CHECK(copy.a.weight.is_same(copy.c.weight));
  CHECK(!copy.b.weight.is_same(copy.a.weight));
  CHECK(!(copy.b.weight.storage() == copy.a.weight.storage()));
  CHECK(equal(copy.a.weight, model.a.weight));
  CHECK(equal(copy.b.weight, model.b.weight));
}
