// What a run tells: the norms of its layers, tokens that are <unk>, and data that a resume finds
// changed.
#include <doctest/doctest.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/run/settings.h>
#include <slope/models/train/report/layer_norms.h>
#include <slope/models/train/sameness.h>
#include <slope/models/train/tasks/unknown.h>
#include <slope/tests/models/run_settings.h>

using namespace slope;
using namespace slope::train;
using slope::test::settings_of;

TEST_CASE("report: the norms of layers are right for values whose squares leave the range of f32") {
  for (const double value : {1e20, 3.0, 1e-24}) {
    const Tensor w = full({4}, value), b = full({5}, value);
    w.set_requires_grad().set_grad(full({4}, 2 * value));
    const std::vector<NormsOf> layers = layer_norms({{"fc.weight", w}, {"fc.bias", b}});
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].layer == "fc");
    CHECK(layers[0].weights / value == doctest::Approx(3));   // sqrt(4 + 5)
    CHECK(layers[0].gradient / value == doctest::Approx(4));  // sqrt(4 * 2^2)
  }
}

TEST_CASE("report: what to do about many <unk> depends on where the vocabulary is from") {
  const auto warning = [](const RunSettings& settings) {
    return unknown_warning("tokens", 0.05, settings);
  };
  const std::string says = "\nmany tokens are <unk>, and nothing is learned about them: ";
  RunSettings words = settings_of("char-gpt", {{"tokenizer", "words"}});
  CHECK(warning(words) == says + "try --tokenizer subwords or a smaller --min-freq");
  CHECK(unknown_warning("tokens", 0.049, words).empty());
  CHECK(
      warning(settings_of("char-gpt", {{"tokenizer", "subwords"}, {"subword_model", "a.model"}})) ==
      says + "the subword model lacks them; let slope learn the subwords");
  words.tokenizers_from = "run/best";  // also of a resume, whose vocabulary was made from its text
  CHECK(warning(words) == says + "try --tokenizer subwords or a smaller --min-freq");
  words.training.from = "run";
  CHECK(warning(words) == says + "the vocabulary of --from lacks them");
}

TEST_CASE("report: the share of <unk> where a loss is measured, with a warning if it is large") {
  CHECK(unknown_measured("tokens", {}).empty());
  CHECK(unknown_measured("tokens", 0).empty());
  CHECK(unknown_measured("tokens", 0.0125) == "\n1.25 % of the tokens are <unk>");
  CHECK(unknown_measured("de tokens", 1) ==
        "\n100 % of the de tokens are <unk>: loss and perplexity say nothing about these");
}

TEST_CASE("report: a resume names the data that changed") {
  const auto blamed = [&](const std::string& before, const std::string& now) -> std::string {
    try {
      check_same_data(before, now, "run");
    } catch (const UsageError& e) {
      const std::string text = e.what(), begin = "--resume: ";
      return text.substr(begin.size(), text.find(" not what run was started with") - begin.size());
    }
    return "";
  };
  const std::string a = "00000000", b = "11111111", c = "22222222";
  CHECK(blamed(a, a).empty());
  CHECK(blamed(a, b) == "the text is");
  CHECK(blamed(a + "/" + c, b + "/" + c) == "the text is");  // a language model's, on subwords
  CHECK(blamed(a + "/" + c, a + "/" + b) == "the tokenizer is");
  CHECK(blamed(a + b, c + b) == "the training text is");
  CHECK(blamed(a + b + "/" + c, a + c + "/" + c) == "the validation text is");
  CHECK(blamed(a + b, b + a) == "training and validation text are");
  CHECK(blamed(a + b + "/" + c, a + b + "/" + a) == "the tokenizer is");
  CHECK(blamed("", a).empty());           // the run ended before its data were read
  CHECK(blamed(a + "/" + c, a).empty());  // before the text is encoded
  CHECK(blamed(a + "/" + c, b) == "the text is");
  CHECK(blamed(a + b + "/" + c, c + b) == "the training text is");
}
