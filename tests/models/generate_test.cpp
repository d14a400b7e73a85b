// Generation: the window of nanoGPT's definition, the distribution of the draws, the same text for
// the same seed.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/char_gpt.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/data/tokenizers/characters.h>
#include <slope/models/infer/evaluate.h>
#include <slope/models/infer/generate.h>
#include <slope/models/infer/known_text.h>
#include <slope/tests/models/characters.h>
#include <slope/tests/models/run_settings.h>

#include <cmath>
#include <map>

using namespace slope;
using namespace slope::train;
using slope::test::settings_of;

namespace {

data::CharacterTokenizer letters() {
  return data::CharacterTokenizer(data::Vocab::from_counts(
      test::count_tokens(test::split_characters("abcdefgh \nä")), data::Specials::none));
}

using Gpt = models::LanguageModelOf<char_gpt::CharGpt>;

char_gpt::CharGpt small_module(uint64_t seed) {
  manual_seed(seed);
  auto model = nn::init::make<char_gpt::CharGpt>({.vocab_size = letters().size(),
                                                  .block_size = 8,
                                                  .n_layer = 2,
                                                  .n_head = 2,
                                                  .n_embd = 12,
                                                  .dropout = 0.2});
  nn::to(model, f64);
  for (const auto& [name, weight] : nn::named_parameters(model))
    if (weight.rank() >= 2)
      nn::init::normal(weight, 0, 0.5);  // so that characters differ in probability
  return model;
}
Gpt small_model(uint64_t seed) { return Gpt(small_module(seed)); }

}  // namespace

TEST_CASE(
    "generate: cached and uncached give the same text, also beyond the block, whose last "
    "characters are all that the model sees") {
  const data::CharacterTokenizer vocab = letters();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const Gpt model = small_model(seed);
    for (const std::string prompt : {"", "a", "abc abc", "abcdefgh", "abcdefgh abcdefgh"})
      for (double temperature : {0.0, 1.0}) {
        const std::string text =
            generate(model, vocab, prompt,
                     {.tokens = 30, .sampling = {.temperature = temperature, .seed = seed}});
        CHECK(text == generate(model, vocab, prompt,
                               {.tokens = 30,
                                .sampling = {.temperature = temperature, .seed = seed},
                                .cached = false}));
        CHECK(test::split_characters(text).size() == 30);
      }
    // nanoGPT's loop: crop to the last block_size tokens, whole forward, last position.
    const NoGrad no_grad;
    const char_gpt::CharGpt module = small_module(seed);
    const nn::EvalMode eval;
    std::vector<int64_t> ids = vocab.encode("cab");
    std::string expected;
    for (int i = 0; i < 20; ++i) {
      const std::vector<int64_t> window(ids.size() > 8 ? ids.end() - 8 : ids.begin(), ids.end());
      const Tensor logits =
          module(from_vector(window, {1, static_cast<int64_t>(window.size())})).select(1, -1);
      ids.push_back(argmax(logits).item<int64_t>());
      expected += vocab.token(ids.back());
    }
    CHECK(generate(model, vocab, "cab", {.tokens = 20, .sampling = {.temperature = 0}}) ==
          expected);
  }
}

TEST_CASE(
    "generate: the same seed gives the same text, another another; a longer text begins with the "
    "shorter") {
  const data::CharacterTokenizer vocab = letters();
  const Gpt model = small_model(9);
  const std::string text = generate(model, vocab, "a", {.tokens = 40, .sampling = {.seed = 1}});
  manual_seed(1234);
  CHECK(generate(model, vocab, "a", {.tokens = 40, .sampling = {.seed = 1}}) == text);
  CHECK(generate(model, vocab, "a", {.tokens = 40, .sampling = {.seed = 2}}) != text);
  CHECK(text.starts_with(generate(model, vocab, "a", {.tokens = 10, .sampling = {.seed = 1}})));
  std::string streamed;
  CHECK(generate(model, vocab, "a", {.tokens = 5, .on_text = [&](const std::string& c) {
                                       streamed += c;
                                     }}) == streamed);
  CHECK(generate(model, vocab, "a", {.tokens = 0}).empty());
}

TEST_CASE(
    "generate: characters are drawn as often as the softmax of the logits over the temperature "
    "says") {
  const Tensor logits = tensor({0.0, 1.0, -1.0, 2.0});
  for (double temperature : {0.5, 1.0, 3.0}) {
    constexpr int n = 20000;
    std::vector<int> counts(4);
    for (int i = 0; i < n; ++i)
      ++counts[static_cast<size_t>(
          train::sample(logits, {.temperature = temperature, .seed = 7}, i))];
    double sum = 0;
    for (double x : {0.0, 1.0, -1.0, 2.0}) sum += std::exp(x / temperature);
    for (size_t v = 0; v < 4; ++v) {
      const double p = std::exp(logits.to_vector()[v] / temperature) / sum;
      CHECK(std::abs(counts[v] - n * p) < 5 * std::sqrt(n * p * (1 - p)));
    }
  }
}

// The tokens that are ever drawn.
static std::vector<int64_t> drawn_from(const Tensor& logits, const Sampling& sampling,
                                       const std::vector<int64_t>& before = {}) {
  std::map<int64_t, int> counts;
  for (int i = 0; i < 2000; ++i) ++counts[train::sample(logits, sampling, i, before)];
  std::vector<int64_t> tokens;
  for (const auto& [token, count] : counts) tokens.push_back(token);
  return tokens;
}

TEST_CASE("generate: top k keeps the k likeliest and those as likely as the k-th") {
  const Tensor logits = tensor({1.0, 3.0, 1.0, 2.0, 0.0});
  const auto drawn = [&](int64_t top_k) {
    return drawn_from(logits, {.temperature = 2, .top_k = top_k, .seed = 3});
  };
  CHECK(drawn(1) == std::vector<int64_t>{1});
  CHECK(drawn(2) == std::vector<int64_t>{1, 3});
  CHECK(drawn(3) == std::vector<int64_t>{0, 1, 2, 3});  // two tie for third
  CHECK(drawn(9) == std::vector<int64_t>{0, 1, 2, 3, 4});
  // temperature 0: the first of equal ones
  CHECK(train::sample(tensor({1.0, 2.0, 2.0}), {.temperature = 0}, 0) == 1);
}

TEST_CASE(
    "generate: top p keeps the fewest that have its share, min p a share of the likeliest's") {
  const Tensor logits = log(tensor({0.1, 0.4, 0.3, 0.1, 0.1}));
  using Ids = std::vector<int64_t>;
  CHECK(drawn_from(logits, {.top_p = 0.3}) == Ids{1});
  CHECK(drawn_from(logits, {.top_p = 0.41}) == Ids{1, 2});
  CHECK(drawn_from(logits, {.top_p = 0.71}) == Ids{0, 1, 2});  // the first of equal ones
  CHECK(drawn_from(logits, {.top_p = 1}) == Ids{0, 1, 2, 3, 4});
  CHECK(drawn_from(logits, {.min_p = 0.5}) == Ids{1, 2});
  CHECK(drawn_from(logits, {.min_p = 0.2}) == Ids{0, 1, 2, 3, 4});
  CHECK(drawn_from(logits, {.min_p = 1}) == Ids{1});
  // top p applies to what top k leaves, where the likeliest has 0.4 / 0.7
  CHECK(drawn_from(logits, {.top_k = 2, .top_p = 0.5}) == Ids{1});
  CHECK(drawn_from(logits, {.top_k = 2, .top_p = 0.6}) == Ids{1, 2});
}

TEST_CASE("generate: the repetition penalty divides positive logits and multiplies negative ones") {
  const Tensor logits = tensor({2.0, 1.5, -1.0, -1.5});
  const auto likeliest = [&](double penalty, const std::vector<int64_t>& before) {
    return train::sample(logits, {.repetition_penalty = penalty, .temperature = 0}, 0, before);
  };
  CHECK(likeliest(1, {0, 1}) == 0);
  CHECK(likeliest(1.3, {0}) == 0);  // 1.54 > 1.5
  CHECK(likeliest(1.4, {0, 0}) == 1);
  CHECK(train::sample(tensor({-1.0, -1.5}), {.repetition_penalty = 1.6, .temperature = 0}, 0,
                      std::vector<int64_t>{0}) == 1);
  const data::CharacterTokenizer vocab = letters();
  const auto text = [&](double penalty) {
    return generate(small_model(2), vocab, "abc",
                    {.tokens = 20, .sampling = {.repetition_penalty = penalty, .temperature = 0}});
  };
  CHECK(text(1.5) != text(1));
}

TEST_CASE("generate: texts of one seed differ; a text ends before the stop text") {
  const data::CharacterTokenizer vocab = letters();
  const Gpt model = small_model(9);
  const auto text = [&](uint32_t number, const std::string& stop) {
    return generate(model, vocab, "a",
                    {.tokens = 60, .sampling = {.seed = 1, .text_number = number}, .stop = stop});
  };
  const std::string first = text(0, "");
  CHECK(first == generate(model, vocab, "a", {.tokens = 60, .sampling = {.seed = 1}}));
  CHECK(text(1, "") != first);
  CHECK(text(1, "") == text(1, ""));
  for (const size_t begin : {0, 7, 30}) {
    const std::string stop = first.substr(begin, 4);
    CHECK(text(0, stop) == first.substr(0, first.find(stop)));
  }
  CHECK(text(0, "zz") == first);
  std::string streamed;  // what may begin the stop text is given out when it does not go on so
  const GenerateOptions options{.tokens = 60,
                                .sampling = {.seed = 1},
                                .stop = first.substr(0, 3) + "?",
                                .on_text = [&](const std::string& piece) { streamed += piece; }};
  CHECK(generate(model, vocab, "a", options) == first);
  CHECK(streamed == first);
}

TEST_CASE("generate: what makes no sense is refused") {
  const data::CharacterTokenizer vocab = letters();
  const Gpt model = small_model(0);
  CHECK_THROWS_AS(generate(model, vocab, "a", {.tokens = -1}), UsageError);
  CHECK_THROWS_AS(generate(model, vocab, "a", {.sampling = {.temperature = -1}}), UsageError);
  CHECK_THROWS_AS(generate(model, vocab, "a", {.sampling = {.temperature = NAN}}), UsageError);
  CHECK_THROWS_AS(generate(model, vocab, "a", {.sampling = {.top_k = -1}}), UsageError);
  for (const Sampling& wrong : {Sampling{.top_p = 0}, Sampling{.top_p = 1.5}, Sampling{.min_p = -1},
                                Sampling{.repetition_penalty = 0}})
    CHECK_THROWS_AS(generate(model, vocab, "a", {.sampling = wrong}), UsageError);
  CHECK_THROWS_AS(generate(model, vocab, "z", {}), InputError);
  CHECK_THROWS_AS(train::sample(tensor({1.0, NAN}), {}, 0), NumericError);
}

TEST_CASE("evaluate: a language model over a whole text, each character but the first once") {
  const data::CharacterTokenizer vocab = letters();
  const RunSettings settings = settings_of("char-gpt", {{"batch_size", "2"}});
  const std::string text = "abc abc\nhgf hgf\nab";
  const TextModel model{settings, std::make_shared<data::CharacterTokenizer>(vocab),
                        std::make_unique<Gpt>(small_module(3))};
  const char_gpt::CharGpt module = small_module(3);
  const EvalResult result = evaluate_language_model(model, text);
  CHECK(result.tokens == 17);
  CHECK(!result.bleu);
  CHECK(result.ppl == doctest::Approx(std::exp(result.loss)));
  // By hand: blocks of 8 tokens, 8 more, and one.
  const std::vector<int64_t> ids = vocab.encode(text);
  const NoGrad no_grad;
  const nn::EvalMode eval;
  double sum = 0;
  for (int64_t first : {0, 8, 16}) {
    const int64_t T = std::min<int64_t>(8, 17 - first);
    const Tensor x =
        from_vector(std::vector<int64_t>(ids.begin() + first, ids.begin() + first + T), {1, T});
    const Tensor y = from_vector(
        std::vector<int64_t>(ids.begin() + first + 1, ids.begin() + first + 1 + T), {T});
    sum += cross_entropy(module(x).reshape({T, vocab.size()}), y, {.reduction = Reduction::sum})
               .item();
  }
  CHECK(result.loss == doctest::Approx(sum / 17).epsilon(1e-9));
  CHECK_THROWS_AS(evaluate_language_model(model, "abz"), InputError);
  CHECK_THROWS_AS(evaluate_language_model(model, "a"), InputError);
}

TEST_CASE("known text: unknown characters are named, or left out and counted") {
  const data::CharacterTokenizer vocab(
      data::Vocab::from_counts(data::count_characters("abcü"), data::Specials::none));
  const auto skip = [&](const std::string& text) {
    return known_text(text, vocab, UnknownCharacters::skip);
  };
  CHECK(skip("abü").text == "abü");
  CHECK(skip("abü").skipped == 0);
  CHECK(skip("xa\u00C4b\u00C4\u20AC").text == "ab");
  CHECK(skip("xa\u00C4b\u00C4\u20AC").skipped == 4);
  CHECK(skip("u\u0308a").text == "\u00FCa");  // in parts
  CHECK(skip("").text.empty());
  CHECK(known_text("cab", vocab, UnknownCharacters::refuse).text == "cab");
  CHECK_THROWS_WITH_AS((void)known_text("a\u20AC", vocab, UnknownCharacters::refuse),
                       doctest::Contains("U+20AC"), InputError);
  CHECK_THROWS_AS((void)unknown_characters("drop"), UsageError);
}

TEST_CASE("known text: in lower case, a letter is known by what it becomes in its word") {
  const data::TokenizerOptions lower{
      .kind = "characters", .lowercase = true, .specials = data::Specials::none};
  // a sigma that ends no word, and one that does; letters and marks that compose in lower case only
  for (const std::string text : {"The Σ x", "ΟΔΟΣ", "H\u0331arran T\u0308ext W\u030A", "İÇ"}) {
    const std::vector<std::string> lines = {text};
    const data::TokenizerPtr tokenizer = data::make_tokenizer(lower, {&lines});
    const KnownText known = known_text(text, *tokenizer, UnknownCharacters::refuse);
    CHECK(known.text == data::nfc(text));
    CHECK(tokenizer->encode(known.text) == tokenizer->encode(text));
    CHECK(known_text(text + "€", *tokenizer, UnknownCharacters::skip).skipped == 1);
  }
  const std::vector<std::string> lines = {"ΣΑ"};
  const data::TokenizerPtr no_final = data::make_tokenizer(lower, {&lines});
  CHECK(known_text("ΑΣ ΣΑ", *no_final, UnknownCharacters::skip).text == "ασα");
}
