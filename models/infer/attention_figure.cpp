#include <slope/autograd/grad_mode.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/text/visible.h>
#include <slope/models/infer/attention_figure.h>
#include <slope/nn/module/capture.h>

namespace slope::train {

AttentionKind attention_kind(const std::string& name) {
  if (name == "encoder") return AttentionKind::encoder;
  if (name == "decoder") return AttentionKind::decoder;
  SLOPE_CHECK_AS(UsageError, name == "cross", "--kind {}: there are cross, encoder and decoder",
                 quoted_if_empty(name));
  return AttentionKind::cross;
}

namespace {

struct Labels {
  const char *title, *stack, *row_axis, *column_axis;
};
Labels labels_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder: return {"Encoder self-attention", "encoder", "attends", "to"};
    case AttentionKind::decoder:
      return {"Decoder self-attention", "decoder", "writes", "attends to what it wrote"};
    case AttentionKind::cross: break;
  }
  return {"Cross-attention", "decoder", "writes", "attends to"};
}

const std::vector<std::string>& paths_of(AttentionKind kind, const nn::AttentionPaths& paths) {
  switch (kind) {
    case AttentionKind::encoder: return paths.encoder;
    case AttentionKind::decoder: return paths.decoder;
    case AttentionKind::cross: break;
  }
  return paths.cross;
}

// Unknown words appear as written, not as <unk>: the picture is for people.
std::vector<std::string> source_labels(const data::Tokenizer& tokenizer,
                                       const std::string& sentence, const Sentence& source) {
  std::vector<std::string> labels = tokenizer.tokens(sentence);
  labels.resize(source.size() - 2);
  labels.insert(labels.begin(), "<sos>");
  labels.push_back("<eos>");
  return labels;
}

}  // namespace

draw::HeatMaps attention_figure(const Translator& translator, const std::string& sentence,
                                const AttentionChoice& choice, const DecodeOptions& options,
                                const LineOptions& line_options) {
  const Labels labels = labels_of(choice.kind);
  const nn::AttentionPaths all_paths = translator.model->attention_paths();
  const std::vector<std::string>& paths = paths_of(choice.kind, all_paths);
  const auto layers = static_cast<int64_t>(paths.size());
  SLOPE_CHECK_AS(UsageError, layers > 0,
                 "attention: the model {} has no attention_paths() of this kind",
                 translator.settings.type().name);
  const int64_t layer = choice.layer < 0 ? choice.layer + layers : choice.layer;
  SLOPE_CHECK_AS(UsageError, layer >= 0 && layer < layers, "attention: no layer {}: the {} has {}",
                 choice.layer, labels.stack, layers);
  const std::string& path = paths[static_cast<size_t>(layer)];

  const Sentence source = fitting_source(translator, sentence, line_options, "attention");
  const Sentence found = translate_sentences(translator, {source}, options)[0];
  Sentence target = {data::sos_id};
  target.insert(target.end(), found.begin(), found.end());
  const bool cut_off = static_cast<int64_t>(found.size()) == longest_target(translator, options);
  if (cut_off) target.pop_back();  // the last token was never read

  const NoGrad no_grad;
  const nn::EvalMode eval;
  const nn::CaptureAttention capture(path);
  [[maybe_unused]] const Tensor features =
      translator.model->features(as_batch(source), as_batch(target));
  const Tensor weights = capture.last(path).select(0, 0).contiguous();  // (H, T, S)
  const auto [H, T, S] = weights.dims<3>();

  std::vector<std::string> read;
  for (int64_t id : target) read.push_back(translator.target->token(id));
  std::vector<std::string> written(read.begin() + 1, read.end());
  written.push_back(cut_off ? translator.target->token(found.back()) : "<eos>");
  const std::vector<std::string> words = source_labels(*translator.source, sentence, source);
  draw::HeatMaps maps{.title = fmt::format("{}, layer {} of {}", labels.title, layer + 1, layers),
                      .rows = choice.kind == AttentionKind::encoder ? words : written,
                      .columns = choice.kind == AttentionKind::decoder ? read : words,
                      .row_axis = labels.row_axis,
                      .column_axis = labels.column_axis};
  const std::vector<double> values = weights.to_vector();
  for (int64_t h = 0; h < H; ++h) {
    const auto first = values.begin() + h * T * S;
    maps.panels.push_back({fmt::format("head {}", h + 1), {first, first + T * S}});
  }
  return maps;
}

}  // namespace slope::train
