#include <slope/core/error.h>
#include <slope/core/text/parse_number.h>
#include <slope/models/run/train_settings.h>
#include <slope/optim/schedule.h>

#include <sstream>

namespace slope::train {

std::vector<int64_t> milestones_of(const TrainSettings& t) {
  std::vector<int64_t> steps;
  std::istringstream list(t.milestones);
  for (std::string item; std::getline(list, item, ',');) {
    int64_t step = 0;
    SLOPE_CHECK_AS(UsageError,
                   parse_number(item, step) && step > (steps.empty() ? 0 : steps.back()),
                   "--milestones {}: expected rising steps, such as 1000,1500", t.milestones);
    steps.push_back(step);
  }
  return steps;
}

double learning_rate(const TrainSettings& t, int64_t step, int64_t total) {
  if (step <= t.warmup && t.schedule != "noam") return t.lr * optim::linear(step, t.warmup, 0, 1);
  const int64_t done = step - 1 - t.warmup, all = std::max<int64_t>(1, total - t.warmup);
  const double least = t.lr > 0 ? t.lr_min / t.lr : 0;
  if (t.schedule == "cosine") return t.lr * optim::cosine(done, all, least);
  if (t.schedule == "linear") return t.lr * optim::linear(done, all, 1, least);
  if (t.schedule == "inverse_sqrt") return t.lr * optim::inverse_sqrt(step - 1, t.warmup);
  if (t.schedule == "noam") return t.lr * optim::noam(step - 1, t.noam_d_model, t.warmup);
  if (t.schedule == "step") return t.lr * optim::step_decay(done, t.step_size, t.gamma);
  if (t.schedule == "multistep")
    return t.lr * optim::multistep(step - 1, milestones_of(t), t.gamma);
  if (t.schedule == "exponential") return t.lr * optim::exponential(done, t.gamma);
  if (t.schedule == "polynomial") return t.lr * optim::polynomial(done, all, t.power);
  if (t.schedule == "cosine_restarts")
    return t.lr * optim::cosine_restarts(done, t.restart_steps, t.restart_factor, least);
  if (t.schedule == "one_cycle")
    return t.lr * optim::one_cycle(done, all,
                                   {.pct_start = t.rise_share,
                                    .div_factor = t.div_factor,
                                    .final_div_factor = t.final_div_factor});
  if (t.schedule == "wsd")
    return t.lr *
           optim::wsd(done, 0, all, std::llround(t.decay_share * static_cast<double>(all)), least);
  return t.lr;
}

}  // namespace slope::train
