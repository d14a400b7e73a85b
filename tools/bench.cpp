// slope bench: what things cost. `real`: training steps of C-scratch on fixed batches, alone or in turns with another side
// (bench/protocol.md). `node`: a recorded small operation, and the longest chain.
#include <slope/autograd/ops.h>
#include <slope/core/memory.h>
#include <slope/core/safetensors.h>
#include <slope/models/data/training_batches.h>
#include <slope/models/train/step.h>
#include <slope/models/train/translation.h>
#include <slope/tools/command.h>

#include <chrono>
#include <cstdio>
#include <iostream>

namespace slope::tools {

namespace {

using Clock = std::chrono::steady_clock;
double milliseconds(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

struct Flags {
  std::string batches, write_batches, train;
  int64_t count = 200, steps = 50;
  bool serve = false;
};

// The first `count` training batches of a run with its default settings, as the other side reads them.
void write_batches(const Flags& flags) {
  const train::TranslationSettings s;
  const std::string prefix = flags.train.empty() ? bundled_corpus() + "/train" : flags.train;
  const data::ParallelText text = data::read_parallel(prefix, s.source, s.target);
  const auto words = [&](const std::vector<std::string>& lines) {
    return data::Vocab::from_counts(data::count_words(lines), data::Specials::sentence, s.min_freq);
  };
  const data::Vocab source = words(text.source), target = words(text.target);
  data::TrainingBatches batches(data::encode_pairs(text, source, target, s.max_len).pairs,
                                {.batch_size = s.training.batch_size, .seed = static_cast<uint64_t>(s.training.seed)});
  NamedTensors tensors;
  for (int64_t i = 0; i < flags.count; ++i) {
    const data::Batch b = batches.next();
    tensors.emplace_back(fmt::format("source.{:03}", i), from_vector(b.source, {b.size, b.source_length}));
    tensors.emplace_back(fmt::format("target.{:03}", i), from_vector(b.target, {b.size, b.target_length}));
  }
  save_safetensors(flags.write_batches, tensors,
                   {{"source_vocab", std::to_string(source.size())}, {"target_vocab", std::to_string(target.size())}});
}

// C-scratch on given batches, over and over.
class FixedBatches : public train::Task {
 public:
  explicit FixedBatches(const TensorFile& file)
      : model_((manual_seed(1), train::make_model(train::TranslationSettings(), std::stoll(file.metadata.at("source_vocab")),
                                                  std::stoll(file.metadata.at("target_vocab"))))) {
    for (int64_t i = 0;
         std::any_of(file.tensors.begin(), file.tensors.end(), [&](const auto& t) { return t.first == fmt::format("source.{:03}", i); });
         ++i)
      batches_.emplace_back(file.at(fmt::format("source.{:03}", i)), file.at(fmt::format("target.{:03}", i)));
    SLOPE_CHECK_INPUT(!batches_.empty(), "bench: the file holds no batches");
    for (const auto& [name, tensor] : nn::named_parameters(model_)) parameters_.push_back({name, tensor});
  }
  const std::vector<NamedLeaf>& parameters() const override { return parameters_; }
  void set_training(bool training) override { nn::train(model_, training); }
  void seek(int64_t position) override { position_ = position; }
  int64_t position() const override { return position_; }
  int64_t epoch_length() const override { return static_cast<int64_t>(batches_.size()); }
  train::Work next() override {
    const auto& [source, target] = batches_[static_cast<size_t>(position_++) % batches_.size()];
    int64_t targets = 0;
    const Tensor labels = contiguous(target.narrow(1, 1, target.size(1) - 1));
    for (int64_t i = 0; i < labels.numel(); ++i) targets += labels.data<int64_t>()[i] != 0;
    return {.targets = targets, .tokens = targets, .loss = [this, source, target] { return model_.loss(source, target); }};
  }
  train::Evaluation evaluate() override { return {}; }
  void save(const FolderSink&) const override {}
  void load_weights(const std::string&) override {}
  std::string fingerprint() const override { return ""; }

 private:
  c_scratch::CScratch model_;
  std::vector<NamedLeaf> parameters_;
  std::vector<std::pair<Tensor, Tensor>> batches_;
  int64_t position_ = 0;
};

struct RealSide {
  explicit RealSide(const std::string& file) : task(load_safetensors(file)), updater(task.parameters(), settings) {}
  double run(int64_t steps) {  // mean loss
    double loss = 0;
    for (int64_t i = 0; i < steps; ++i) {
      const train::StepResult r = train::take_step(task, updater, settings, step++, INT64_MAX);
      loss += r.loss_sum / static_cast<double>(r.targets) / static_cast<double>(steps);
    }
    return loss;
  }
  train::TrainSettings settings;
  FixedBatches task;
  train::Updater updater;
  int64_t step = 0;
};

int serve(const Flags& flags) {
  std::unique_ptr<RealSide> side;
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    if (line == "load") {
      side = std::make_unique<RealSide>(flags.batches);
      int64_t parameters = 0;
      for (const NamedLeaf& p : side->task.parameters()) parameters += p.tensor.numel();
      std::cout << "loaded " << parameters << " " << side->task.epoch_length() << std::endl;
    } else {
      SLOPE_CHECK_AS(UsageError, side && line.starts_with("run ") && line.size() < 12, "bench: expected load, run K or quit, got '{}'",
                     line);
      const int64_t steps = std::atoll(line.c_str() + 4);
      const auto start = Clock::now();
      const double loss = side->run(steps);
      std::cout << fmt::format("{} {:.3f} {:.6f}", steps, milliseconds(start), loss) << std::endl;
    }
  }
  return 0;
}

int real(const Flags& flags) {
  if (!flags.write_batches.empty()) return write_batches(flags), 0;
  SLOPE_CHECK_AS(UsageError, !flags.batches.empty(), "bench real: give --batches FILE, made by --write-batches FILE");
  if (flags.serve) return serve(flags);
  RealSide side(flags.batches);
  side.run(3);
  memory::reset_peak();
  std::vector<double> times;
  for (int64_t i = 0; i < flags.steps; ++i) {
    const auto start = Clock::now();
    side.run(1);
    times.push_back(milliseconds(start));
  }
  std::sort(times.begin(), times.end());
  std::printf("%ld steps: median %.1f ms, least %.1f ms, most %.1f ms; peak of the allocator %.1f MB\n", static_cast<long>(flags.steps),
              times[times.size() / 2], times.front(), times.back(), static_cast<double>(memory::stats().peak) / 1e6);
  return 0;
}

int node() {
  const Tensor x = randn({16}).set_requires_grad(), y = randn({16});
  constexpr int n = 1000, rounds = 200;
  double best = 1e300;
  for (int r = 0; r < rounds; ++r) {
    const auto start = Clock::now();
    Tensor z = x;
    for (int i = 0; i < n; ++i) z = z + y;
    z.backward(ones({16}));
    x.set_grad({});
    best = std::min(best, milliseconds(start) * 1e3 / n);
  }
  std::printf("add of 16 floats, recorded, forward and backward: %.3f µs\n", best);
  memory::reset_peak();
  const int64_t before = memory::stats().live;
  const auto start = Clock::now();
  double forward = 0;
  {
    Tensor z = x;
    for (int i = 0; i < 1'000'000; ++i) z = z + 1.0;
    forward = milliseconds(start);
    z.backward(ones({16}));
  }
  std::printf("chain of 1,000,000 nodes: forward %.2f s, backward and freeing %.2f s, %.0f MB\n", forward / 1e3,
              (milliseconds(start) - forward) / 1e3, static_cast<double>(memory::stats().peak - before) / 1e6);
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measure. Timings on shared machines vary: repeat, alternate, compare ratios.\nExample: slope bench node");
  command->require_subcommand(1);
  static Flags flags;
  CLI::App* real_case = command->add_subcommand("real",
                                                "Training steps of C-scratch on fixed batches.\nExample: slope bench real --write-batches "
                                                "b.safetensors && slope bench real --batches b.safetensors");
  real_case->add_option("--batches", flags.batches, "the batches")->type_name("FILE");
  real_case->add_option("--write-batches", flags.write_batches, "write the first batches of a run and end")->type_name("FILE");
  real_case->add_option("--train", flags.train, "prefix of the text to make them of; without it the bundled corpus")->type_name("PREFIX");
  real_case->add_option("--count", flags.count, "how many batches to write")->check(CLI::Range(1, 999))->capture_default_str();
  real_case->add_option("--steps", flags.steps, "how many steps to time")->check(CLI::Range(1, 1000000))->capture_default_str();
  real_case->add_flag("--serve", flags.serve, "speak bench/protocol.md on standard input and output");
  add_threads(*real_case);
  real_case->callback([&action] { action = [] { return real(flags); }; });
  CLI::App* node_case = command->add_subcommand("node", "A recorded small operation, and a chain of 1,000,000.\nExample: slope bench node");
  node_case->callback([&action] { action = node; });
}

}  // namespace slope::tools
