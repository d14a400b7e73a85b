#include <slope/models/run/train_settings.h>
#include <slope/optim/schedule.h>

namespace slope::train {

double learning_rate(const TrainSettings& t, int64_t step, int64_t total) {
  if (step <= t.warmup) return t.lr * optim::linear(step, t.warmup, 0, 1);
  const int64_t done = step - 1 - t.warmup, all = std::max<int64_t>(1, total - t.warmup);
  const double least = t.lr > 0 ? t.lr_min / t.lr : 0;
  if (t.schedule == "cosine") return t.lr * optim::cosine(done, all, least);
  if (t.schedule == "linear") return t.lr * optim::linear(done, all, 1, least);
  if (t.schedule == "inverse_sqrt") return t.lr * optim::inverse_sqrt(step - 1, t.warmup);
  return t.lr;
}

}  // namespace slope::train
