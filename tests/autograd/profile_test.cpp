// The profile names every operation with its module, misses no time, and changes no result.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/observers/profile.h>
#include <slope/autograd/ops.h>
#include <slope/core/product/autocast.h>
#include <slope/core/tensor/factories.h>
#include <slope/nn/nn.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

using namespace slope;

namespace {

int64_t calls(const Profile& profile, const std::string& name, bool backward) {
  int64_t n = 0;
  for (const Profile::Row& row : profile.rows())
    n += row.name == name && row.backward == backward ? row.calls : 0;
  return n;
}

struct Two {
  std::vector<nn::Linear> layers;
  Two() {
    for (int i = 0; i < 12; ++i) layers.emplace_back(3, 3);
  }
  Tensor forward(Tensor x) const {
    for (const nn::Linear& layer : layers) x = layer(x);
    return x;
  }
  SLOPE_MODULE(Two, layers)
};

}  // namespace

TEST_CASE(
    "profile: every operation and derivative is an event, one after the other, with its module") {
  const Two model;
  const Tensor x = ones({2, 3});
  const Profile profile;
  sum(exp(model(x))).backward();
  Profile::mark("the rest");
  CHECK(calls(profile, "linear", false) == 12);
  CHECK(calls(profile, "linear", true) == 12);
  CHECK(calls(profile, "exp", false) == 1);
  CHECK(calls(profile, "exp", true) == 1);
  CHECK(calls(profile, "the rest", false) == 1);
  double last = 0;
  for (const Profile::Event& e : profile.events()) {
    CHECK(e.start == last);  // no time is left out or counted twice
    CHECK(e.end >= e.start);
    last = e.end;
  }
  const auto rows = profile.rows();
  CHECK(std::count_if(rows.begin(), rows.end(), [](const Profile::Row& row) {
          return row.module == "layers.*" && row.calls == 12;
        }) == 2);
  CHECK(profile.table(3).find("… and ") != std::string::npos);
  const std::string trace = profile.chrome_trace();
  CHECK(trace.starts_with("[{\"name\":\"linear\",\"cat\":\"forward\",\"ph\":\"X\",\"ts\":0.000,"));
  CHECK(static_cast<size_t>(std::count(trace.begin(), trace.end(), '\n')) ==
        profile.events().size());
}

TEST_CASE("profile: operations are events also where nothing is recorded") {
  const NoGrad no_grad;
  const Tensor x = ones({2, 3});
  const Profile profile;
  (void)sum_to(mean(sum(x * 2, {0}, true), {1}, true), {1});
  for (const char* name : {"mul_scalar", "sum", "mean", "sum_to"})
    CHECK(calls(profile, name, false) == 1);
}

TEST_CASE("profile: linear_cross_entropy is one event, without those of its steps") {
  const Tensor x = ones({4, 3}).set_requires_grad(), W = ones({5, 3}).set_requires_grad();
  for (const DType dtype : {f32, bf16}) {
    const Autocast autocast(dtype);
    const Profile profile;
    (void)linear_cross_entropy(x, W, {}, tensor({0, 1, 2, 3}));
    CHECK(calls(profile, "linear_cross_entropy", false) == 1);
    CHECK(profile.events().size() == 1);
  }
}

TEST_CASE("profile: an inner one hides the outer one, and without one nothing is noted") {
  const Tensor x = ones({2});
  Profile::mark("nobody listens");
  const Profile outer;
  {
    const Profile inner;
    [[maybe_unused]] const Tensor y = x + x;
    CHECK(inner.events().size() == 1);
  }
  CHECK(outer.events().empty());
  [[maybe_unused]] const Tensor y = x + x;
  CHECK(outer.events().size() == 1);
}

TEST_CASE("profile: profiles, like all observers, may end in any order") {
  const Tensor x = ones({2});
  auto first = std::make_unique<Profile>(), second = std::make_unique<Profile>();
  first.reset();
  (void)(x + x);
  CHECK(second->events().size() == 1);
  first = std::make_unique<Profile>();
  second.reset();
  (void)(x + x);
  Profile::mark("the rest");
  CHECK(first->events().size() == 2);
  first = std::make_unique<Profile>();  // the new one begins before the old one ends
  (void)(x + x);
  CHECK(first->events().size() == 1);
  first.reset();
  (void)(x + x);
  Profile::mark("nobody listens");
}

TEST_CASE("profile: a pass that an outer observer refuses has ended for the inner one too") {
  struct Refusing : Observer {
    bool refuses = true;
    void pass_begins() override {
      if (refuses) throw std::runtime_error("no pass");
    }
  } outer;
  const Observe observe(outer);
  const Profile inner;
  const Tensor x = ones({2}).set_requires_grad(), y = sum(exp(x));
  CHECK_THROWS_AS(y.backward(), std::runtime_error);
  outer.refuses = false;
  y.backward();
  CHECK(calls(inner, "exp", true) == 1);
}

TEST_CASE("profile: names are escaped in the trace") {
  Profile profile;
  Profile::mark("a\"b");
  CHECK(profile.chrome_trace().find(R"("name":"a\"b")") != std::string::npos);
}
