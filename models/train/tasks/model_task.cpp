#include <slope/core/files/file_sink.h>
#include <slope/core/files/input_stream.h>
#include <slope/core/files/system_call.h>
#include <slope/core/text/items.h>
#include <slope/core/text/visible.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/train/sameness.h>
#include <slope/models/train/tasks/document_task.h>
#include <slope/models/train/tasks/language_model_task.h>
#include <slope/models/train/tasks/model_task.h>
#include <slope/models/train/tasks/points_task.h>
#include <slope/models/train/tasks/translation_task.h>
#include <slope/nn/module/scope.h>

#include <algorithm>

namespace slope::train {

void ModelTask::choose_parameters(const models::Model& model) {
  module_ = model.module();
  buffers_ = nn::saved_buffers(*module_);
  parameters_ = nn::named_parameters(*module_);
  for (const std::string& pattern : items_of(settings_.training.freeze)) {
    const Tensors named = nn::parameters_named(*module_, pattern);
    SLOPE_CHECK_AS(UsageError, !named.empty(),
                   "--freeze {}: no parameter has such a name; the first is {} (slope inspect RUN "
                   "lists all)",
                   quoted_if_empty(pattern), nn::named_parameters(*module_).at(0).name);
    for (const Tensor& p : named) {
      p.set_requires_grad(false);
      frozen_ +=
          std::erase_if(parameters_, [&](const NamedTensor& t) { return t.tensor.is_same(p); }) *
          p.numel();
    }
  }
  SLOPE_CHECK_AS(UsageError, !parameters_.empty(), "--freeze {}: leaves nothing to train",
                 settings_.training.freeze);
}

std::string ModelTask::same_data(std::string fingerprint) const {
  check_same_data(settings_.resumed.fingerprint, fingerprint, settings_.resumed.folder);
  return fingerprint;
}

namespace {

// An error whose message names a file other than the text.
struct OtherFileError : InputError {
  using InputError::InputError;
};

}  // namespace

data::TokenizerPtr ModelTask::tokenizer(const std::string& stem,
                                        const std::function<data::TokenizerPtr()>& make) const {
  const std::string& folder = settings_.tokenizers_from;
  const data::TokenizerOptions options = settings_.tokenizer();
  if (folder.empty() && (options.kind != "subwords" || options.model_file.empty())) return make();
  try {
    if (folder.empty()) return make();
    const data::TokenizerPtr read = data::read_tokenizer(options, folder + "/" + stem);
    // before a text is encoded, whose words a damaged vocabulary would not know
    const std::string weights = folder + "/model.safetensors";
    if (sys::kind_followed(weights) == sys::Kind::file)
      check_tokenizer(inspect_safetensors(weights).metadata, *read, folder + "/" + stem);
    return read;
  } catch (const InputError& e) {
    throw OtherFileError(e.what());
  }
}

void ModelTask::save(const FolderSink& folder) const {
  save_model(folder, *module_, tokenizers(), settings_.of_weights_json());
  write_file(folder.file("config.json"), settings_.to_json());
  save_more(folder);
}

void ModelTask::load_weights(const std::string& folder) {
  start_from(folder + "/model.safetensors");
}

void ModelTask::start_from(const std::string& safetensors) {
  TensorFile read = load_finite(safetensors);
  const std::string& folder = settings_.tokenizers_from;
  for (const auto& [stem, own] : tokenizers())
    if (folder.empty())
      check_made_tokenizer(read, *own, stem, safetensors);
    else
      check_tokenizer(read.metadata, *own, folder + "/" + stem);
  load_named(*module_, std::move(read), safetensors);
}

std::string ModelTask::validates_on(bool is_cut, const std::string& part) {
  return is_cut ? fmt::format(" (validates on {}: --validation-size)", part) : "";
}

std::string ModelTask::parameter_count() const {
  const std::string all = fmt::format("{} parameters", nn::count_parameters(*module_));
  return frozen_ > 0 ? fmt::format("{}, {} of them frozen", all, frozen_) : all;
}

namespace {

std::unique_ptr<ModelTask> translation_task(const RunSettings& settings,
                                            const std::function<std::string()>& corpus) {
  const auto& d = settings.data<ParallelTextSettings>();
  SLOPE_CHECK_AS(
      UsageError, d.train.empty() == d.valid.empty(),
      "--train and --valid belong together: give both, or neither for the bundled corpus");
  const auto read = [&](const std::string& given, const char* bundled) {
    return data::read_parallel(given.empty() ? corpus() + bundled : given, d.source, d.target);
  };
  return std::make_unique<TranslationTask>(settings, read(d.train, "/train"),
                                           read(d.valid, "/valid"));
}

std::unique_ptr<ModelTask> language_model_task(const RunSettings& settings,
                                               const std::function<std::string()>& corpus) {
  const auto& d = settings.data<TextSettings>();
  const std::string file = d.text.empty() ? corpus() + "/train.en" : d.text;
  const std::string text = data::read_text(file);
  SLOPE_CHECK_INPUT(text.find_first_not_of(" \t\n") != text.npos, "{}: contains no text",
                    InputStream::name_of(file));
  try {
    if (d.documents == "lines") return std::make_unique<DocumentTask>(settings, text);
    return std::make_unique<LanguageModelTask>(settings, text);
  } catch (const OtherFileError&) {
    throw;
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", InputStream::name_of(file), e.what()));
  }
}

}  // namespace

std::unique_ptr<ModelTask> make_task(const RunSettings& settings,
                                     const std::function<std::string()>& corpus) {
  switch (settings.type().kind) {
    case models::Kind::translation: return translation_task(settings, corpus);
    case models::Kind::language_model: return language_model_task(settings, corpus);
    case models::Kind::points: return std::make_unique<PointsTask>(settings);
  }
  return nullptr;
}

}  // namespace slope::train
