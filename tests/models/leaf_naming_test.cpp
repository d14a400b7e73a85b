// The fast check names every parameter of a model whose gradient is 1 % off, and no other. Every
// second one is spoiled, then the others: each must stand out among right ones. The bias of keys
// that meet a softmax is left out: its gradient is 0, whatever it is multiplied by.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/models/infer/sample.h>
#include <slope/models/registry.h>
#include <slope/tests/sanitized.h>

using namespace slope;

namespace {

bool is_zero(const Tensor& loss, const Tensor& parameter) {
  return norm(grad({loss}, {parameter}, {.retain_graph = true})[0]).item() < 1e-12;
}

void check_that_each_is_named(const std::string& model, train::SampleSize size,
                              int64_t directions = test::sanitized ? 1 : 3) {
  const train::Sample sample = train::sample_named(model, size);
  nn::to(sample.model->module(), f64);
  const NamedTensors parameters = sample.parameters();
  const Tensor at = sample.loss();
  std::vector<bool> can_be_wrong;
  for (const NamedTensor& p : parameters) can_be_wrong.push_back(!is_zero(at, p.tensor));
  size_t spoiled = 0;  // the even ones or the odd ones
  for (size_t i = 0; i < parameters.size(); ++i)
    parameters[i].tensor.register_hook(
        [&spoiled, i](const Tensor& g) { return i % 2 == spoiled ? g * 1.01 : g; });
  const auto loss = [&] { return Tensors{sample.loss()}; };
  for (spoiled = 0; spoiled < 2; ++spoiled) {
    const GradcheckReport report =
        gradcheck_fast(loss, parameters,
                       {.directions = directions, .raise_exception = false, .find_culprit = false});
    CHECK(report.problems.empty());
    REQUIRE(report.leaves.size() == parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      const GradcheckLeaf& leaf = report.leaves[i];
      CHECK_MESSAGE((leaf.failed > 0) == (i % 2 == spoiled && can_be_wrong[i]), model, ": ",
                    leaf.text());
      CHECK_MESSAGE((can_be_wrong[i] || leaf.name.ends_with("bias")), model, ": ", leaf.name);
    }
  }
}

}  // namespace

TEST_CASE("leaf naming: each parameter of every model is named when its gradient is 1 % off") {
  for (const models::ModelTypePtr& type : models::zoo())
    check_that_each_is_named(type->name, train::SampleSize::small);
}

#ifndef SLOPE_SANITIZED  // the same memory is accessed in the small model
TEST_CASE("leaf naming: and of char-gpt at its default size") {
  check_that_each_is_named("char-gpt", train::SampleSize::full, 1);
}
#endif
