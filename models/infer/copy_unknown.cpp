#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/infer/copy_unknown.h>
#include <slope/nn/module/capture.h>

#include <algorithm>

namespace slope::train {

using data::Ids, data::Tokens, data::unk_id;

void check_attends(const Translator& translator) {
  SLOPE_CHECK_AS(UsageError, !translator.model->attention_paths().cross.empty(),
                 "copy unknown words: the model {} does not expose its attention; write or ban "
                 "them instead",
                 translator.settings.type().name);
}

Tokens words_for_unknown(const Translator& translator, const std::string& line, const Ids& source,
                         const Ids& translation) {
  if (std::find(translation.begin(), translation.end(), unk_id) == translation.end()) return {};
  const NoGrad no_grad;
  const nn::EvalMode eval;
  const std::string path = translator.model->attention_paths().cross.back();
  const nn::CaptureAttention capture(path);
  Ids read = {data::sos_id};  // position t is where token t of the translation is written
  read.insert(read.end(), translation.begin(), translation.end() - 1);
  (void)translator.model->features(as_batch(source), as_batch(read));
  const Tensor weights = mean(capture.last(path).select(0, 0), {0});  // (T, S)
  const std::vector<double> w = weights.to_vector();
  const auto S = static_cast<std::ptrdiff_t>(source.size());
  const Tokens words = translator.source->tokens(line);
  Tokens found;
  for (size_t t = 0; t < translation.size(); ++t) {
    if (translation[t] != unk_id) continue;
    const auto first = w.begin() + static_cast<std::ptrdiff_t>(t) * S;
    const auto place = std::max_element(first + 1, first + S - 1) - first - 1;
    found.push_back(words.at(static_cast<size_t>(place)));
  }
  return found;
}

}  // namespace slope::train
