// Training steps without the command: what a step computes, and models that do not affect each
// other.
#include <doctest/doctest.h>
#include <slope/core/memory/memory.h>
#include <slope/models/infer/load.h>
#include <slope/models/postnorm.h>
#include <slope/models/train/step.h>
#include <slope/models/train/tasks/language_model_task.h>
#include <slope/models/train/tasks/translation_task.h>
#include <slope/models/train/updater.h>
#include <slope/tests/file_text.h>
#include <slope/tests/models/idle_task.h>
#include <slope/tests/models/run_settings.h>
#include <slope/tests/temporary_folder.h>
#include <slope/tests/threads.h>

#include <cmath>
#include <fstream>
#include <thread>
#include <vector>

using namespace slope;
using namespace slope::train;
using slope::test::settings_of, slope::test::TemporaryFolder;

namespace {

data::ParallelText pairs() {
  const std::vector<std::string> nouns = {"hund", "mann", "baum", "tag"},
                                 names = {"dog", "man", "tree", "day"};
  data::ParallelText text;
  for (size_t i = 0; i < nouns.size(); ++i)
    for (size_t j = 0; j < nouns.size(); ++j) {
      text.source.push_back("der " + nouns[i] + " sieht den " + nouns[j] +
                            (j % 2 ? " nicht ." : " ."));
      text.target.push_back("the " + names[i] + (j % 2 ? " does not see" : " sees") + " the " +
                            names[j] + " .");
    }
  return text;
}

RunSettings small_translation(const std::map<std::string, std::string>& more = {}) {
  RunSettings s = settings_of("postnorm", {{"d_model", "32"},
                                           {"n_heads", "4"},
                                           {"n_encoder_layers", "1"},
                                           {"n_decoder_layers", "1"},
                                           {"d_feedforward", "64"},
                                           {"tokenizer", "words"},
                                           {"lowercase", "true"},
                                           {"min_freq", "1"},
                                           {"batch_size", "3"},
                                           {"accumulate", "2"}});
  for (const auto& [key, value] : more) s.set(key, value);
  return s;
}
RunSettings small_language_model(const std::map<std::string, std::string>& more = {}) {
  RunSettings s = settings_of("char-gpt", {{"block_size", "16"},
                                           {"n_layer", "2"},
                                           {"n_head", "2"},
                                           {"n_embd", "32"},
                                           {"dropout", "0.2"},
                                           {"seed", "5"},
                                           {"average", "0.9"}});
  for (const auto& [key, value] : more) s.set(key, value);
  return s;
}
std::string characters() {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::to_string(i * i) + (i % 7 ? " " : "\n");
  return text;
}

// A task with one batch of four points, for a model that need not list all its parameters.
template <class M>
struct OneBatch : test::IdleTask {
  M model;
  NamedTensors listed = nn::named_parameters(model);
  const NamedTensors& parameters() const override { return listed; }
  Work next() override {
    return {.targets = 4, .tokens = 4, .loss = [this](int64_t, int64_t) {
              return sum(model(ones({4, 2})));
            }};
  }
};
struct ListsOne {
  nn::Linear a{2, 3}, b{3, 1};
  Tensor forward(const Tensor& x) const { return b(tanh(a(x))); }
  SLOPE_MODULE(ListsOne, b)
};
struct ListsBoth {
  nn::Linear a{2, 3}, b{3, 1};
  Tensor forward(const Tensor& x) const { return b(tanh(a(x))); }
  SLOPE_MODULE(ListsBoth, a, b)
};
struct ListsOneLater {  // needs the unlisted member in its third call
  nn::Linear a{2, 2}, b{2, 1};
  mutable int calls = 0;
  Tensor forward(const Tensor& x) const { return b(++calls < 3 ? x : a(x)); }
  SLOPE_MODULE(ListsOneLater, b)
};
struct ListsOneEverySecond {  // needs the unlisted member in each second call
  nn::Linear a{2, 2}, b{2, 1};
  mutable int calls = 0;
  Tensor forward(const Tensor& x) const { return b(++calls % 2 ? x : a(x)); }
  SLOPE_MODULE(ListsOneEverySecond, b)
};

template <class M>
struct OneModule : OneBatch<M> {
  std::optional<nn::ModuleRef> module() const override { return this->model; }
};
struct DropsPart {
  nn::Linear a{2, 2};
  nn::Dropout drop;
  Tensor forward(const Tensor& x) const { return drop(a(x)); }
  SLOPE_MODULE(DropsPart, a)
};
struct DropsInPart {
  DropsPart part;
  nn::BatchNorm1d norm{2, {.affine = false}};
  Tensor forward(const Tensor& x) const { return norm(part(x)); }
  SLOPE_MODULE(DropsInPart, part)
};
struct SharesDrop {  // listed once, used by reference; a part without a mode need not be listed
  nn::Dropout drop;
  nn::Dropout& same = drop;
  nn::ReLU relu;
  nn::Linear a{2, 2};
  Tensor forward(const Tensor& x) const { return dropout(relu(a(x)), same.rate(), training()); }
  SLOPE_MODULE(SharesDrop, drop, a)
};

// The bytes of model.safetensors and state.safetensors after 20 steps.
std::string trained(Task& task, const TrainSettings& t) {
  const TemporaryFolder run;
  Updater updater(task.parameters(), t);
  for (int64_t step = 0; step < 20; ++step) take_step(task, updater, t, step, 20);
  FolderSink sink(run.file("step-20"));
  updater.save(sink, task);
  sink.commit();
  return test::file_text(run.file("step-20/model.safetensors")) +
         test::file_text(run.file("step-20/state.safetensors"));
}
std::string trained_translation() {
  const RunSettings s = small_translation();
  TranslationTask task(s, pairs(), pairs());
  return trained(task, s.training);
}
std::string trained_language_model() {
  const RunSettings s = small_language_model();
  LanguageModelTask task(s, characters());
  return trained(task, s.training);
}

}  // namespace

TEST_CASE("training: L-BFGS evaluates a step's micro-batches again, with the same dropout") {
  RunSettings s = small_language_model({{"dropout", "0.2"}});
  s.training.optimizer = "lbfgs";
  s.training.lr = 1;
  s.training.max_iter = 5;
  s.training.accumulate = 2;
  LanguageModelTask task(s, characters());
  Updater updater(task.parameters(), s.training);
  // each step starts on the same micro-batches and random numbers: its loss can only fall
  double before = HUGE_VAL;
  for (int i = 0; i < 4; ++i) {
    task.seek(0);
    const StepResult r = take_step(task, updater, s.training, 0, 20);
    CHECK(r.loss_sum < before);
    before = r.loss_sum;
    for (const NamedTensor& p : task.parameters()) CHECK(!p.tensor.grad().defined());
  }
}

TEST_CASE("training: steps after the first take no memory from the system") {
  const KeepThreads restore;
  set_num_threads(1);  // several would each keep free blocks, and how many is chance
  const RunSettings s = small_language_model();
  LanguageModelTask task(s, characters());
  Updater updater(task.parameters(), s.training);
  take_step(task, updater, s.training, 0, 20);
  const int64_t reserved = memory::stats().reserved;
  for (int64_t step = 1; step < 20; ++step) take_step(task, updater, s.training, step, 20);
  CHECK(memory::stats().reserved == reserved);
}

TEST_CASE(
    "training: a micro-batch in pieces takes the same step but for rounding, with fewer values "
    "kept for backward") {
  const KeepThreads restore;
  set_num_threads(1);  // makes the memory counts exact
  RunSettings s = small_language_model({{"dropout", "0"}});
  s.training.average = 0, s.training.optimizer = "sgd", s.training.lr = 0.1,
  s.training.batch_size = 64;  // 1024 tokens
  struct Run {
    Tensors weights;
    double loss, norm;
    int64_t peak;
  };
  const auto run = [&](int64_t piece_tokens) {
    s.training.piece_tokens = piece_tokens;
    LanguageModelTask task(s, characters());
    Updater updater(task.parameters(), s.training);
    take_step(task, updater, s.training, 0, 20);
    const int64_t before = memory::stats().live;
    memory::reset_peak();
    const StepResult r = take_step(task, updater, s.training, 1, 20);
    CHECK(r.targets == 1024);
    Run result{{}, r.loss_sum, r.gradient_norm, memory::stats().peak - before};
    for (const NamedTensor& p : task.parameters()) result.weights.push_back(p.tensor.detach());
    return result;
  };
  const Run whole = run(0), above = run(1024), pieces = run(300);  // four pieces
  CHECK(above.loss == whole.loss);
  CHECK(above.peak == whole.peak);
  CHECK(pieces.loss == doctest::Approx(whole.loss).epsilon(1e-6));
  CHECK(pieces.norm == doctest::Approx(whole.norm).epsilon(1e-5));
  CHECK(pieces.peak < whole.peak / 2);
  for (size_t i = 0; i < whole.weights.size(); ++i)
    CHECK(max(abs(pieces.weights[i] - whole.weights[i])).item() < 1e-6);
}

TEST_CASE("training: pieces of a micro-batch drop different values, the same in every run") {
  const data::ParallelText four{std::vector<std::string>(4, "der hund sieht den baum ."),
                                std::vector<std::string>(4, "the dog sees the tree .")};
  const auto loss = [&](int64_t batch_size, int64_t piece_tokens) {
    RunSettings s = small_translation({{"dropout", "0.3"}});
    s.training.batch_size = batch_size, s.training.accumulate = 1,
    s.training.piece_tokens = piece_tokens;
    TranslationTask task(s, four, four);
    Updater updater(task.parameters(), s.training);
    return take_step(task, updater, s.training, 0, 20).loss_sum;
  };
  CHECK(loss(4, 1) == loss(4, 1));
  CHECK(loss(4, 1) != doctest::Approx(4 * loss(1, 1)).epsilon(1e-4));
}

TEST_CASE(
    "training: tied embeddings stay one table through training, a checkpoint, decoding and a "
    "resume") {
  RunSettings s = small_translation();
  const TranslationTask untied(s, pairs(), pairs());
  s.set("tie_embeddings", "true");
  s.training.average = 0.9;
  const TemporaryFolder run;
  TranslationTask task(s, pairs(), pairs());
  CHECK(task.parameters().size() == untied.parameters().size() - 1);
  Updater updater(task.parameters(), s.training);
  for (int64_t step = 0; step < 5; ++step) take_step(task, updater, s.training, step, 20);
  FolderSink sink(run.file("step-5"));
  updater.save(sink, task);
  sink.commit();
  const Translator read = load_translator(run.file("step-5"));
  CHECK(read.settings.to_json() == s.to_json());
  const NamedTensors tensors = nn::named_parameters(read.model->module());
  CHECK(tensors.size() == task.parameters().size());

  TranslationTask again(s, pairs(), pairs());
  Updater resumed(again.parameters(), s.training);
  resumed.load(run.file("step-5"), again, 5);
  again.seek(task.position());
  take_step(task, updater, s.training, 5, 20);
  take_step(again, resumed, s.training, 5, 20);
  for (size_t i = 0; i < task.parameters().size(); ++i)
    CHECK(again.parameters()[i].tensor.to_vector() == task.parameters()[i].tensor.to_vector());
}

TEST_CASE("translation: weights drawn only once equal weights drawn twice") {
  const RunSettings s = small_translation();
  manual_seed(7);
  const auto model = dynamic_cast<const models::TranslationType&>(s.type()).make(
      s.config(), {20, 30}, models::Weights::drawn);
  manual_seed(7);
  const postnorm::PostNormTransformer twice({.source_vocab = 20,
                                             .target_vocab = 30,
                                             .d_model = 32,
                                             .n_heads = 4,
                                             .n_encoder_layers = 1,
                                             .n_decoder_layers = 1,
                                             .d_feedforward = 64});
  const Tensors once = nn::parameters(model->module()), drawn = nn::parameters(twice);
  REQUIRE(once.size() == drawn.size());
  for (size_t i = 0; i < once.size(); ++i) {
    if (drawn[i].rank() >= 2) nn::init::xavier_uniform(drawn[i]);
    CHECK(once[i].to_vector() == drawn[i].to_vector());
  }
}

TEST_CASE(
    "updater: beyond what it keeps, loading holds one file (weights or state) and no "
    "further copy") {
  RunSettings s = small_language_model({{"n_embd", "128"}});
  s.training.optimizer = "sgd";  // its state is small: both files hold mainly the weights
  LanguageModelTask task(s, characters());
  const TemporaryFolder run;
  Updater updater(task.parameters(), s.training);
  take_step(task, updater, s.training, 0, 20);
  FolderSink sink(run.file("step-1"));
  updater.save(sink, task);
  sink.commit();
  int64_t weights = 0;
  for (const NamedTensor& p : task.parameters()) weights += p.tensor.numel() * 4;
  const int64_t before = memory::stats().live;
  memory::reset_peak();
  updater.load(run.file("step-1"), task, 1);
  CHECK(memory::stats().peak - before < weights * 3 / 2);
}

TEST_CASE("training: models trained in four threads of one process get the same bits as alone") {
  const std::string translation = trained_translation(), language_model = trained_language_model();
  REQUIRE(translation.size() > 10'000);
  REQUIRE(language_model.size() > 10'000);
  for (int round = 0; round < 2; ++round) {
    std::string trained[4];
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back(
          [&, t] { trained[t] = t % 2 ? trained_language_model() : trained_translation(); });
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < 4; ++t) CHECK(trained[t] == (t % 2 ? language_model : translation));
  }
}

static void check_refused(Task& task, int64_t step, const std::string& says) {
  const TrainSettings t = small_language_model().training;
  Updater updater(task.parameters(), t);
  CHECK_THROWS_WITH_AS((void)take_step(task, updater, t, step, 40), doctest::Contains(says.c_str()),
                       UsageError);
}
static void take_steps(Task& task, int64_t steps) {
  const TrainSettings t = small_language_model().training;
  Updater updater(task.parameters(), t);
  for (int64_t step = 0; step < steps; ++step) (void)take_step(task, updater, t, step, 40);
}

TEST_CASE("training: the first step refuses a model that does not list a parameter of its loss") {
  OneBatch<ListsOne> forgets;
  check_refused(forgets, 0,
                "2 of the parameters that the loss depends on are not listed, so they would be "
                "neither trained nor saved: (3, 2), first used by linear; (3,), first used by "
                "linear; name the member in SLOPE_MODULE");
  CHECK(!forgets.listed[0].tensor.grad().defined());
  OneBatch<ListsBoth> whole;
  take_steps(whole, 1);
}

TEST_CASE("training: unlisted parameters are refused after a resume and in later steps too") {
  OneBatch<ListsOne> resumed;
  check_refused(resumed, 7, "name the member in SLOPE_MODULE");
  OneBatch<ListsOneLater> later;
  take_steps(later, 2);
  check_refused(later, 11, "name the member in SLOPE_MODULE");
  OneBatch<ListsOneEverySecond> alternates;
  const TrainSettings t = small_language_model().training;
  Updater updater(alternates.parameters(), t);
  CHECK_THROWS_AS(for (int64_t step = 0; step < 20; ++step)(void)
                      take_step(alternates, updater, t, step, 40),
                  UsageError);
}

TEST_CASE("training: parameters of the model that the task neither lists nor freezes are named") {
  OneModule<ListsBoth> head;
  head.listed = nn::named_parameters(head.model.b);
  check_refused(
      head, 0,
      "2 of the parameters that the loss depends on are not listed in Task::parameters(), "
      "so they would be neither trained nor saved: (3, 2), first used by linear in module "
      "a; (3,), first used by linear in module a; list them there, or freeze them");
  nn::set_requires_grad(head.model, "a.*", false);
  take_steps(head, 2);
}

TEST_CASE("training: a module with a mode that no line lists is refused: eval does not reach it") {
  OneModule<DropsInPart> forgets;
  check_refused(forgets, 0,
                "not listed, so in training mode in evaluation too: Dropout in module part; "
                "BatchNorm1d in DropsInPart; name the member in SLOPE_MODULE");
  OneModule<SharesDrop> shares;
  take_steps(shares, 1);
}

TEST_CASE("training: for weights that are not finite, the message names the current rate") {
  const TrainSettings t{
      .lr = 0.1, .schedule = "plateau", .warmup = 0, .gamma = 0.5, .plateau_patience = 0};
  OneBatch<ListsBoth> task;
  Updater updater(task.parameters(), t);
  for (int i = 0; i < 3; ++i) updater.validated(1);  // the factor falls twice
  task.listed[0].tensor.detach().write<float>()[0] = std::nanf("");
  CHECK_THROWS_WITH_AS((void)take_step(task, updater, t, 3, 20),
                       "step 4: the loss is nan; the first tensor that is not finite is a.weight; "
                       "try a smaller lr than 0.025",
                       NumericError);
}
