// Training steps of a translation model on the batches of a file, and writing such a file from a
// run with the preset multi30k: default settings and lower-cased words that occur at least twice.
#include <slope/core/files/safetensors.h>
#include <slope/core/memory/scarce.h>
#include <slope/core/text/parse_number.h>
#include <slope/core/text/visible.h>
#include <slope/models/data/training_batches.h>
#include <slope/models/kinds/translation.h>
#include <slope/tools/bench/tasks.h>
#include <slope/tools/bench/zoo_case.h>
#include <slope/tools/command.h>

#include <algorithm>
#include <span>

namespace slope::tools {

namespace {

// "source.007"
std::string numbered(const char* side, int64_t i) { return fmt::format("{}.{:03}", side, i); }

int64_t count_tokens(const Tensor& x) {
  const Tensor ids = contiguous(x);
  return ids.numel() -
         std::count(ids.data<int64_t>(), ids.data<int64_t>() + ids.numel(), data::pad_id);
}

std::unique_ptr<Workload> batched_steps(const std::string& path) {
  const TensorFile file = load_safetensors(path);
  const TranslationCase c = translation_model();
  const train::RunSettings settings = bench_settings(c.model, c.values);
  manual_seed(1);
  const auto vocab_size = [&](const char* key) {
    const auto found = file.metadata.find(key);
    SLOPE_CHECK_INPUT(found != file.metadata.end(),
                      "{}: not a file of batches, its __metadata__ lacks {}; slope bench real "
                      "--write-batches writes one",
                      path, key);
    int64_t size = 0;
    constexpr int64_t most = 1'000'000;
    SLOPE_CHECK_INPUT(parse_number(found->second, size) && size > 0 && size <= most,
                      "{}: {} in its __metadata__ must be a number from 1 to {}, is '{}'", path,
                      key, most, visible(found->second));
    return size;
  };
  const int64_t source_vocab = vocab_size("source_vocab"),
                target_vocab = vocab_size("target_vocab");
  auto model = dynamic_cast<const models::TranslationType&>(settings.type())
                   .make(settings.config(), {source_vocab, target_vocab}, models::Weights::drawn);
  const auto holds = [&](const std::string& name) {
    return std::any_of(file.tensors.begin(), file.tensors.end(),
                       [&](const auto& t) { return t.name == name; });
  };
  // (B, T), T from `least` to `most`: ids below `vocab`
  const auto ids = [&](const std::string& name, int64_t least, int64_t most, int64_t vocab) {
    const Tensor x = contiguous(file.at(name));
    SLOPE_CHECK_INPUT(x.dtype() == i64 && x.rank() == 2 && x.numel() > 0 && x.size(1) >= least &&
                          x.size(1) <= most,
                      "{}: {} must be int64 (B, T) with {} to {} ids in a row, is {} {}", path,
                      name, least, most, slope::name(x.dtype()), x.shape());
    for (const int64_t id : std::span(x.data<int64_t>(), static_cast<size_t>(x.numel())))
      SLOPE_CHECK_INPUT(id >= 0 && id < vocab, "{}: {} holds the id {}, its vocabulary has {}",
                        path, name, id, vocab);
    return x;
  };
  const int64_t positions = model->positions();
  std::vector<FixedBatch> batches;
  for (int64_t i = 0; holds(numbered("source", i)); ++i) {
    SLOPE_CHECK_INPUT(holds(numbered("target", i)), "{}: has {} but no {}", path,
                      numbered("source", i), numbered("target", i));
    const Tensor source = ids(numbered("source", i), 1, positions, source_vocab),
                 target = ids(numbered("target", i), 2, positions + 1, target_vocab),
                 predicted = target.narrow(1, 1, target.size(1) - 1);
    SLOPE_CHECK_INPUT(source.size(0) == target.size(0), "{}: {} has {} rows, {} has {}", path,
                      numbered("source", i), source.size(0), numbered("target", i), target.size(0));
    FixedBatch batch{.input = source, .target = target, .targets = count_tokens(predicted)};
    batch.tokens = count_tokens(source) + batch.targets;
    for (int64_t b = 0; b < source.size(0); ++b)  // padding counts as no work
      batch.flops += c.sizes.forward(1, count_tokens(source.narrow(0, b, 1)),
                                     count_tokens(predicted.narrow(0, b, 1)), target_vocab);
    batches.push_back(batch);
  }
  SLOPE_CHECK_INPUT(!batches.empty(), "{}: holds no batches (source.000, target.000, …)", path);
  const auto* m = model.get();
  const FixedLoss loss = [m](const FixedBatch& b) {
    return m->loss(b.input, b.target, /*label_smoothing=*/0);
  };
  using Held = std::unique_ptr<models::TranslationModel>;
  return std::make_unique<Training<Held>>(std::move(model), m->module(), std::move(batches), loss,
                                          settings.training);
}

// If an operation fails, the file holds tensors that are not batches.
std::unique_ptr<Workload> real_steps(const std::string& path) {
  try {
    return batched_steps(path);
  } catch (const InputError&) {
    throw;  // names the file
  } catch (const Error& e) {
    rethrow_if_scarce();
    throw InputError(fmt::format("{}: not a file of batches: {}", path, e.what()));
  }
}

}  // namespace

BenchCase real_case(const std::string& batches_file) {
  return {"real", "the model of the case translation on the batches of a file",
          [batches_file] { return real_steps(batches_file); }};
}

// Writes the first `count` training batches that a run with the preset multi30k would take from the
// text, or from the bundled corpus if the prefix is empty. PyTorch's side of a comparison reads the
// same file.
void write_batches(const std::string& file, const std::string& text_prefix, int64_t count) {
  const TranslationCase c = translation_model();
  const train::RunSettings settings = bench_settings(c.model, c.values);
  const train::TrainSettings& t = settings.training;
  const auto& d = settings.data<train::ParallelTextSettings>();
  const std::string prefix = text_prefix.empty() ? bundled_corpus() + "/train" : text_prefix;
  const data::ParallelText text = data::read_parallel(prefix, d.source, d.target);
  refuse_to_replace("--write-batches", file, {text.source_file, text.target_file});
  const auto word_tokenizer = [&](const std::vector<std::string>& lines) {
    return data::make_tokenizer({.kind = "words", .lowercase = true, .min_freq = 2}, {&lines});
  };
  const data::TokenizerPtr source = word_tokenizer(text.source),
                           target = word_tokenizer(text.target);
  const auto& type = dynamic_cast<const models::TranslationType&>(settings.type());
  const int64_t positions =  // they do not depend on the sizes of the vocabularies
      type.make(settings.config(), {4, 4}, models::Weights::unset)->positions();
  const data::Pairs encoded = data::encode_pairs(text, *source, *target, positions);
  data::TrainingBatches batches(
      encoded.pairs, {.batch_size = t.batch_size, .seed = static_cast<uint64_t>(t.seed)});
  NamedTensors tensors;
  for (int64_t i = 0; i < count; ++i) {
    const data::Batch b = batches.next();
    tensors.push_back({numbered("source", i), from_vector(b.source, {b.size, b.source_length})});
    tensors.push_back({numbered("target", i), from_vector(b.target, {b.size, b.target_length})});
  }
  save_safetensors(file, tensors,
                   {{"source_vocab", std::to_string(source->size())},
                    {"target_vocab", std::to_string(target->size())}});
}

}  // namespace slope::tools
