// Translation, evaluation and attention figures with small models of random weights: properties
// that hold for any weights.
#include <doctest/doctest.h>
#include <slope/models/draw/terminal_map.h>
#include <slope/models/infer/attention_figure.h>
#include <slope/models/infer/evaluate.h>
#include <slope/models/infer/score.h>
#include <slope/nn/module/at_each_module.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "run_settings.h"
#include "well_formed.h"

using namespace slope;
using namespace slope::train;
using slope::test::settings_of;

namespace {

const std::vector<std::string> german = {"ein mann schläft .", "zwei hunde spielen im park .",
                                         "eine frau liest ein buch , und ein kind spielt .",
                                         "ein hund .", "der mann isst ."};
const std::vector<std::string> english = {"a man sleeps .", "two dogs play in the park .",
                                          "a woman reads a book , and a child plays .", "a dog .",
                                          "the man eats ."};

Translator small_translator(uint64_t seed, DType dtype = f64, int64_t max_len = 16,
                            const std::string& tokenizer = "words") {
  manual_seed(seed);
  const RunSettings settings = settings_of("postnorm", {{"d_model", "16"},
                                                        {"n_heads", "4"},
                                                        {"n_encoder_layers", "2"},
                                                        {"n_decoder_layers", "3"},
                                                        {"d_feedforward", "24"},
                                                        {"max_len", std::to_string(max_len)}});
  const auto vocab = [&](const std::vector<std::string>& lines) {
    return data::make_tokenizer({.kind = tokenizer, .lowercase = true}, {&lines});
  };
  const data::TokenizerPtr source = vocab(german), target = vocab(english);
  auto model =
      dynamic_cast<const models::TranslationType&>(settings.type())
          .make(settings.config(), {source->size(), target->size()}, models::Weights::drawn);
  nn::to(model->module(), dtype);
  return {settings, source, target, std::move(model)};
}

}  // namespace

TEST_CASE("translate: cached and uncached decoding give the same tokens, greedy and with beams") {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Translator translator = small_translator(seed);
    for (int64_t beam : {1, 2, 5}) {
      const auto cached = translate_ids(translator, german, {.beam = beam, .batch_size = 3}),
                 uncached = translate_ids(translator, german,
                                          {.beam = beam, .batch_size = 3, .cached = false});
      CHECK(cached == uncached);
      for (size_t i = 0; i < german.size(); ++i)
        CHECK(translate_ids(translator, {german[i]}, {.beam = beam})[0] ==
              cached[i]);  // padding changes nothing
    }
  }
}

TEST_CASE("translate: given translations have the probability that the search saw") {
  const Translator translator = small_translator(4);
  for (const double alpha : {0.0, 1.0}) {
    const DecodeOptions options{
        .beam = 12, .n_best = 12, .length_penalty = alpha, .max_length = 12};
    const auto all = translate(translator, german, options);
    std::vector<std::string> sources, targets;
    std::vector<const Translation*> found;
    for (size_t i = 0; i < german.size(); ++i)
      for (const Translation& t : all[i])
        if (t.ids.size() < 12) {
          sources.push_back(german[i]), targets.push_back(t.text);
          found.push_back(&t);
        }
    REQUIRE(found.size() > 3);
    const auto scores = score_pairs(translator, sources, targets, alpha);
    for (size_t i = 0; i < found.size(); ++i) {
      CHECK(scores[i].tokens == static_cast<int64_t>(found[i]->ids.size()) + 1);
      CHECK(scores[i].log_p == doctest::Approx(found[i]->log_p).epsilon(1e-9));
      CHECK(scores[i].score == doctest::Approx(found[i]->score).epsilon(1e-9));
    }
  }
  // <unk> is the unknown token, as translate() writes it
  for (const char* const target : {"a <unk> dog .", "a<unk>dog."}) {
    const auto written = score_pairs(translator, {"ein hund ."}, {target}),
               unknown = score_pairs(translator, {"ein hund ."}, {"a xyz dog ."});
    CHECK(written[0].tokens == 5);
    CHECK(written[0].log_p == unknown[0].log_p);
  }
  std::string longer;
  for (int i = 0; i < 20; ++i) longer += "hund ";
  CHECK_THROWS_WITH_AS((void)score_pairs(translator, {"hund", longer}, {"dog", "dog"}),
                       doctest::Contains("line 2: a side of 22 tokens"), InputError);
  CHECK_THROWS_WITH_AS((void)score_pairs(translator, {"hund"}, {}),
                       "score: 0 translations for 1 lines", InputError);
  for (const Tensor& p : nn::parameters(translator.model->module())) nn::init::constant(p, 1e200);
  CHECK_THROWS_WITH_AS((void)score_pairs(translator, {"hund"}, {"dog"}),
                       doctest::Contains("score: line 1: the log-probability is"), NumericError);
}

TEST_CASE("translate: the n best read differently, whatever subwords they are made of") {
  const Translator translator = small_translator(1, f64, 16, "subwords");
  const DecodeOptions options{.beam = 300, .n_best = 300, .max_length = 3};
  int64_t dropped = 0;
  for (const Translations& all : translate(translator, {"ein mann"}, options)) {
    std::set<std::string> texts;
    for (const Translation& t : all) texts.insert(t.text);
    CHECK(texts.size() == all.size());
    const auto is_cut_off = [](const Translation& t) { return t.ids.size() == 3; };
    for (size_t i = 1; i < all.size(); ++i) {
      const Translation &one = all[i - 1], &next = all[i];  // those cut off are the last
      CHECK((is_cut_off(one) == is_cut_off(next) ? one.score >= next.score : is_cut_off(next)));
    }
    dropped += options.n_best - static_cast<int64_t>(all.size());
  }
  CHECK(dropped > 0);
}

TEST_CASE("translate: a prefix is the beginning; <unk> is written as the word attended to") {
  const Translator translator = small_translator(4);
  CHECK_THROWS_WITH_AS((void)forced_prefix(translator, "two dogs xyz"),
                       doctest::Contains("--prefix: 'xyz' is not among the"), UsageError);
  const Sentence prefix = translator.target->encode("two dogs xyz");
  CHECK(prefix.back() == data::unk_id);
  for (const std::string& line : translate_lines(translator, german, {.prefix = prefix}))
    CHECK(line.starts_with("two dogs <unk>"));
  for (const auto& line : translate_lines(translator, german, {.beam = 2, .prefix = prefix}))
    CHECK(line.starts_with("two dogs <unk>"));
  const auto copied = translate(translator, german, {.unk = Unknown::copy, .prefix = prefix});
  for (size_t i = 0; i < german.size(); ++i) {
    // the darkest column in the row of <unk>, in the mean over the heads of the last layer
    const draw::HeatMaps maps = attention_figure(translator, german[i], {}, {.prefix = prefix});
    const size_t S = maps.columns.size();
    std::vector<double> sum(S);
    for (const auto& panel : maps.panels)
      for (size_t s = 0; s < S; ++s) sum[s] += panel.values[2 * S + s];
    const auto word = std::max_element(sum.begin() + 1, sum.end() - 1) - sum.begin();
    CAPTURE(copied[i][0].text);
    CHECK(data::split_words(copied[i][0].text)[2] == maps.columns[static_cast<size_t>(word)]);
  }
  CHECK_THROWS_AS((void)unknown_words("drop"), UsageError);
  CHECK_THROWS_WITH_AS((void)forced_prefix(translator, "a a a a a a a a a a a a a a a a a"),
                       "--prefix: has 17 tokens, a prefix has at most 15 (max_len); shorten it",
                       UsageError);
}

TEST_CASE("translate: a training model is translated with as in evaluation, and trains on") {
  const Translator translator = small_translator(1);
  nn::train(translator.model->module());
  const auto once = translate_lines(translator, german),
             twice = translate_lines(translator, german);
  CHECK(once == twice);
  CHECK(translator.model->module().state()->training);
}

TEST_CASE("translate: four threads share a model that trains, and none of them drops anything") {
  const Translator translator = small_translator(1);
  nn::train(translator.model->module());
  const auto expected = translate_lines(translator, german, {.beam = 2});
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round)
        different += translate_lines(translator, german, {.beam = 2}) != expected;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(different == 0);
  for (const auto& [name, module] : nn::named_modules(translator.model->module()))
    if (module.state()) CHECK_MESSAGE(module.state()->training, name);
}

TEST_CASE("translate: a line out for each line in; empty, unknown and too long ones") {
  const Translator translator = small_translator(2);
  const auto lines = translate_lines(translator, {"", german[0], "   ", "xyzzy plugh", german[0]});
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].empty());
  CHECK(lines[2].empty());
  CHECK(lines[1] == lines[4]);
  CHECK(lines[3] == translate_lines(translator, {"foo bar"})[0]);
  CHECK(translate_lines(translator, {}).empty());
  std::string fits, longer;
  for (int i = 0; i < 14; ++i) fits += "hund ";
  longer = fits + "hund";
  CHECK(translate_lines(translator, {fits}).size() == 1);
  CHECK_THROWS_WITH_AS(translate_lines(translator, {"hund", longer}),
                       doctest::Contains("line 2: 17 tokens"), InputError);
  CHECK_THROWS_WITH_AS(translate_lines(translator, {"hund", longer}),
                       doctest::Contains("16 positions"), InputError);
  CHECK(translate_ids(translator, {fits}, {.max_length = 1000})[0].size() <= 16);
  const Translator other = small_translator(2, f64, 16, "subwords");
  const DecodeOptions with_break{.prefix = other.target->encode("a\nman")};
  CHECK(translate_lines(other, {"ein mann"}, with_break)[0].starts_with("a man"));
}

TEST_CASE("translate: in parts, each given before the next begins, with the same results") {
  const Translator translator = small_translator(2);
  std::vector<std::string> lines;
  for (size_t i = 0; i < 1100; ++i) lines.push_back(german[i % german.size()]);
  std::string longer;
  for (int i = 0; i < 15; ++i) longer += "hund ";
  lines.push_back(longer);
  const std::vector<std::string> whole =
      translate_lines(translator, lines, {}, {.long_lines = LongLines::skip});
  static int64_t calls;  // of modules
  calls = 0;
  const nn::AtEachModule count([] { ++calls; });
  std::vector<std::string> given;
  std::set<int64_t> calls_before;  // each line that is given
  translate_in_parts(translator, lines, {}, {.long_lines = LongLines::skip},
                     [&](size_t i, const Translations& best) {
                       CHECK(i == given.size());
                       given.push_back(best[0].text);
                       calls_before.insert(calls);
                     });
  CHECK(given == whole);
  CHECK(calls_before.size() == 2);  // 1,024 lines, and the rest
  given.clear();
  const auto give = [&](size_t, const Translations& best) { given.push_back(best[0].text); };
  CHECK_THROWS_WITH_AS(translate_in_parts(translator, lines, {}, {.lines_before = 5}, give),
                       doctest::Contains("line 1106: "), InputError);
  CHECK(given.empty());
}

TEST_CASE("translate: lines that are too long are cropped or skipped, and counted") {
  const Translator translator = small_translator(2);
  std::string words = "ein", longer;  // 14 words fit
  for (int i = 1; i < 14; ++i) words += " hund";
  longer = words + " mann park";
  const std::vector<std::string> lines = {german[0], longer, "", longer};
  for (const LongLines way : {LongLines::crop, LongLines::skip}) {
    int count = 0;
    const auto found = translate_lines(translator, lines, {},
                                       {.long_lines = way, .on_long_line = [&] { ++count; }});
    CHECK(count == 2);
    REQUIRE(found.size() == 4);
    CHECK(found[0] == translate_lines(translator, {german[0]})[0]);
    CHECK(found[1] == (way == LongLines::crop ? translate_lines(translator, {words})[0] : ""));
    CHECK(found[2].empty());
    CHECK(found[3] == found[1]);
  }
  CHECK_THROWS_WITH_AS(translate_lines(translator, lines, {}, {.lines_before = 10}),
                       doctest::Contains("line 12: "), InputError);
  CHECK(long_lines("crop") == LongLines::crop);
  CHECK_THROWS_AS((void)long_lines("shorten"), UsageError);
  const draw::HeatMaps maps =
      attention_figure(translator, longer, {}, {}, {.long_lines = LongLines::crop});
  CHECK(maps.columns.size() == 16);
}

TEST_CASE(
    "translate: without a max_length a target may have as many tokens as the model has positions") {
  for (const int64_t positions : {16, 100, 130}) {
    const Translator translator = small_translator(2, f64, positions);  // goes on for ever
    const auto length = [&](int64_t most) {
      return static_cast<int64_t>(
          translate_ids(translator, {"hund"}, {.max_length = most})[0].size());
    };
    CHECK(length(0) == positions);
    CHECK(length(1000) == positions);
    CHECK(length(7) == 7);
    CHECK_THROWS_AS(length(-1), UsageError);
  }
}

TEST_CASE("attention figure: a panel for each head, rows that sum to 1, tokens on both axes") {
  const Translator translator = small_translator(3);
  const std::string sentence = "ein unbekannter hund .";
  const size_t words = translate_ids(translator, {sentence})[0].size();
  for (AttentionKind kind :
       {AttentionKind::cross, AttentionKind::decoder, AttentionKind::encoder}) {
    const draw::HeatMaps maps = attention_figure(translator, sentence, {.kind = kind});
    CHECK(maps.panels.size() == 4);
    CHECK(maps.rows.size() ==
          (kind == AttentionKind::encoder ? 6 : std::min<size_t>(words + 1, 16)));
    CHECK(maps.columns.size() == (kind == AttentionKind::decoder ? maps.rows.size() : 6));
    CHECK(maps.columns[0] == "<sos>");
    if (kind != AttentionKind::decoder) CHECK(maps.columns[2] == "unbekannter");
    for (const draw::Panel& panel : maps.panels)
      for (size_t r = 0; r < maps.rows.size(); ++r) {
        float sum = 0;
        for (size_t c = 0; c < maps.columns.size(); ++c) {
          const float v = panel.values[r * maps.columns.size() + c];
          sum += v;
          // no token attends to later ones
          if (kind == AttentionKind::decoder && c > r) CHECK(v == 0);
        }
        CHECK(sum == doctest::Approx(1));
      }
    CHECK(slope::test::well_formed(draw::to_svg(maps)));
    CHECK(!draw::to_text(maps).empty());
  }
  CHECK(attention_figure(translator, sentence, {.layer = 2}).panels[0].values ==
        attention_figure(translator, sentence).panels[0].values);
  CHECK(attention_figure(translator, sentence, {.layer = 0}).panels[0].values !=
        attention_figure(translator, sentence).panels[0].values);
  CHECK_THROWS_AS(attention_figure(translator, sentence, {.layer = 3}), UsageError);
  CHECK_THROWS_AS(
      attention_figure(translator, sentence, {.kind = AttentionKind::encoder, .layer = 2}),
      UsageError);
  CHECK_THROWS_AS(attention_kind("self"), UsageError);
  // <eos> appears only if it was written
  const draw::HeatMaps cut = attention_figure(translator, sentence, {}, {.max_length = 2});
  CHECK(cut.rows ==
        translator.target->words(translate_ids(translator, {sentence}, {.max_length = 2})[0]));
  CHECK(cut.rows.size() == 2);
  CHECK(attention_figure(translator, "").columns == std::vector<std::string>{"<sos>", "<eos>"});
}

TEST_CASE(
    "evaluate: loss and both scores of a translator; pairs that do not fit are counted apart") {
  const Translator translator = small_translator(4, f32);
  data::ParallelText text{
      .source = german, .target = english, .source_file = "t.de", .target_file = "t.en"};
  const EvalResult result = evaluate_translator(translator, text);
  int64_t tokens = 0;
  for (const std::string& line : english)
    tokens += static_cast<int64_t>(data::split_words(line).size()) + 1;
  CHECK(result.tokens == tokens);
  CHECK(result.ppl == doctest::Approx(std::exp(result.loss)));
  CHECK(result.loss > 0.5);
  CHECK(result.bleu.has_value());
  REQUIRE(result.lines.has_value());
  CHECK(result.lines->bleu.score >= 0);
  CHECK(result.skipped == 0);
  const EvalResult other_batches = evaluate_translator(translator, text, {.batch_size = 2});
  CHECK(other_batches.loss == doctest::Approx(result.loss).epsilon(1e-5));
  CHECK(other_batches.bleu == result.bleu);

  std::string long_line;
  for (int i = 0; i < 20; ++i) long_line += "hund ";
  text.source.insert(text.source.end(), {"", long_line, "ein hund ."});
  text.target.insert(text.target.end(), {"a dog .", "a dog .", long_line});
  const EvalResult with_others = evaluate_translator(translator, text);
  CHECK(with_others.skipped == 3);
  CHECK(with_others.loss == result.loss);

  // A model's own translations as references give 100.
  text.source = german, text.target = translate_lines(translator, german, {.max_length = 5});
  REQUIRE(std::none_of(text.target.begin(), text.target.end(),
                       [](const std::string& line) { return line.empty(); }));
  const LineScores own = *evaluate_translator(translator, text, {.max_length = 5}).lines;
  for (const double score : {own.bleu.score, own.bleu_cased.score, own.chrf, own.chrf_cased})
    CHECK(score == doctest::Approx(100));
  CHECK(own.text().starts_with(
      "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0 = 100.00 "));
}

TEST_CASE("evaluate: as JSON") {
  const auto json =
      nlohmann::json::parse(EvalResult{.tokens = 3, .loss = 1.5, .ppl = std::exp(1.5)}.json());
  CHECK(json["tokens"] == 3);
  CHECK(json["loss"] == 1.5);
  CHECK(json["bleu"].is_null());
  CHECK(nlohmann::json::parse(EvalResult{.ppl = INFINITY}.json())["ppl"].is_null());
}
