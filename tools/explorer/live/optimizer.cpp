#include <slope/optim/clip.h>
#include <slope/optim/elementwise/adamw.h>
#include <slope/optim/elementwise/sgd.h>
#include <slope/tools/explorer/explore.h>
#include <slope/tools/explorer/live/optimizer.h>
#include <slope/tools/explorer/write.h>

namespace slope::explorer {

namespace {

std::unique_ptr<optim::Optimizer> made(const std::string& name, const NamedTensors& leaves,
                                       double lr) {
  if (name == "sgd") return std::make_unique<optim::SGD>(leaves, optim::SgdOptions{.lr = lr});
  if (name == "momentum")
    return std::make_unique<optim::SGD>(leaves, optim::SgdOptions{.lr = lr, .momentum = 0.9});
  if (name == "adamw") return std::make_unique<optim::AdamW>(leaves, optim::AdamWOptions{.lr = lr});
  throw InputError(fmt::format("optimizer: there is no {}", JsonReader::quoted(name)));
}

// {"exp_avg": [...], …} of one leaf
std::string state_json(const optim::Optimizer& optimizer, const std::string& leaf) {
  std::string text;
  for (const NamedTensor& state : optimizer.state_dict())
    if (state.name.starts_with(leaf + "."))
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ",
                          json(state.name.substr(leaf.size() + 1)), json_elements(state.tensor));
  return "{" + text + "}";
}

// Each step is written with all its numbers.
void check_size(const NamedTensors& leaves, int64_t steps) {
  constexpr int64_t most = 200'000;
  int64_t elements = 0;
  for (const NamedTensor& leaf : leaves) elements += leaf.tensor.numel();
  if (elements * steps > most)
    throw Fault("limit",
                fmt::format("{} steps of {} numbers are more than {} numbers; take fewer steps or "
                            "smaller tensors",
                            steps, elements, most),
                {});
}

}  // namespace

std::string optimizer(const Fields& fields) try {
  Request request{.program = fields.text("program"), .dtype = f64};
  RunOptions options = options_of(request, f64);
  options.leaves = computed(request.program, options).leaves;
  const NamedTensors& leaves = options.leaves;
  const auto optimizer = made(fields.text("optimizer", "sgd"), leaves, fields.number("lr", 0.1));
  const double most_norm = fields.number("clip", 0);
  const int64_t count = fields.integer("steps", 10, 1, 500);
  check_size(leaves, count);
  std::vector<std::string> steps;
  for (int64_t i = count; i > 0; --i) {
    const Run now = run(request.program, options);
    if (fields.integer("forget", 0, 0, 1) == 0) optimizer->zero_grad();
    now.loss.backward();
    std::vector<std::string> before;
    for (const NamedTensor& leaf : leaves)
      before.push_back(
          fmt::format("\"name\": {}, \"value\": {}, \"gradient\": {}", json(leaf.name),
                      json_elements(leaf.tensor),
                      leaf.tensor.grad().defined() ? json_elements(leaf.tensor.grad()) : "null"));
    double norm = 0;
    if (most_norm > 0) {
      Tensors tensors;
      for (const NamedTensor& leaf : leaves) tensors.push_back(leaf.tensor);
      norm = optim::clip_grad_norm(tensors, most_norm);
    }
    std::vector<std::string> clipped;
    for (const NamedTensor& leaf : leaves)
      clipped.push_back(leaf.tensor.grad().defined() ? json_elements(leaf.tensor.grad()) : "null");
    optimizer->step();
    std::vector<std::string> rows;
    for (size_t k = 0; k < leaves.size(); ++k)
      rows.push_back(fmt::format("{{{}, \"used\": {}, \"state\": {}, \"next\": {}}}", before[k],
                                 clipped[k], state_json(*optimizer, leaves[k].name),
                                 json_elements(leaves[k].tensor)));
    steps.push_back(fmt::format("{{\"loss\": {}, \"norm\": {}, \"leaves\": {}}}",
                                json(now.loss.item()), json(norm),
                                json_list(rows, [](const std::string& s) { return s; })));
  }
  return fmt::format("{{\"steps\": {}}}\n",
                     json_list(steps, [](const std::string& s) { return s; }));
} catch (const Fault& fault) {
  return json_error(fault);
}

}  // namespace slope::explorer
