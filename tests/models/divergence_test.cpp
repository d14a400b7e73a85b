// What the message of a run that diverges suggests.
#include <slope/models/train/divergence.h>

#include <doctest/doctest.h>

using namespace slope;
using train::Moment, train::remedy, train::TrainSettings;

namespace {

std::string after_some_steps(const TrainSettings& t) {
  return remedy(t, {.step = 8, .lr = t.lr, .updates = 7});
}

}  // namespace

TEST_CASE("divergence: the remedy names the settings that can be the cause") {
  CHECK(after_some_steps({.lr = 0.5}) == "try a smaller lr than 0.5");
  CHECK(after_some_steps({.lr = 0.5, .weight_decay = 0.1}) ==
        "try a smaller lr than 0.5 or weight_decay than 0.1");
  CHECK(after_some_steps({.optimizer = "sgd", .lr = 0.5, .momentum = 0.9, .clip = 0}) ==
        "try a smaller lr than 0.5 or momentum than 0.9 or --clip 1");
  CHECK(after_some_steps({.optimizer = "lbfgs", .lr = 1, .line_search_fn = "none", .clip = 0}) ==
        "try a smaller lr than 1 or --line-search-fn strong_wolfe");
  CHECK(after_some_steps({.optimizer = "rprop", .lr = 1, .weight_decay = 3}) ==
        "try a smaller lr than 1 or max_step_size than 50");
  CHECK(after_some_steps({.optimizer = "asgd", .lr = 1, .lambd = 3}) ==
        "try a smaller lr than 1 or lambd than 3");
}

TEST_CASE("divergence: weight decay that makes weights grow by itself is said to do so") {
  const auto grows = [](const TrainSettings& t) {
    return after_some_steps(t).starts_with("lr * weight_decay is ");
  };
  CHECK(after_some_steps({.optimizer = "adamw", .lr = 0.01, .weight_decay = 1e5}) ==
        "lr * weight_decay is 1e+03, which makes weights grow whatever the gradient is; try a "
        "smaller lr than 0.01 or weight_decay than 1e+05");
  for (const char* name : {"adafactor", "adamw", "asgd", "lion", "muon", "sgd"}) {
    CAPTURE(name);
    CHECK(grows({.optimizer = name, .lr = 0.1, .weight_decay = 20.1}));
    CHECK(!grows({.optimizer = name, .lr = 0.1, .weight_decay = 19.9}));
  }
  CHECK(!grows({.optimizer = "sgd", .lr = 0.1, .momentum = 0.5, .weight_decay = 29.9}));
  CHECK(grows({.optimizer = "sgd", .lr = 0.1, .momentum = 0.5, .weight_decay = 30.1}));
  CHECK(!grows({.optimizer = "adam", .lr = 0.1, .weight_decay = 1e5}));  // divided by its size
}

TEST_CASE("divergence: before the first update no setting of the optimizer is blamed") {
  const Moment first{.step = 1, .lr = 0.1, .updates = 0};
  CHECK(remedy({.lr = 0.1, .weight_decay = 1e5}, first) ==
        "no update has changed the weights: the cause is in the model or its input");
  CHECK(remedy({.from = "other"}, first) ==
        "no update has changed the weights of other: the cause is in them, in the model, or in its "
        "input");
  CHECK(after_some_steps({.lr = 0}) ==
        "no update has changed the weights: the cause is in the model or its input");
  // where the schedule has come down to nothing, the rate before that was not nothing
  CHECK(remedy({.lr = 0.1}, {.step = 8, .lr = 0, .updates = 7}) == "try a smaller lr than 0.1");
}
