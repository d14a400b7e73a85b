// The search on models that are tables of probabilities: greedy and beam against a plain reference,
// wide beams against all possible sequences.
#include <doctest/doctest.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/data/vocab.h>
#include <slope/models/infer/search/decode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace slope;
using namespace slope::train;
using data::eos_id, data::pad_id, data::sos_id, data::unk_id;

namespace {

// The logits of the next token: a function of the source's first word and of all
// tokens written before.
struct FixedTable {
  int64_t vocab = 7;
  uint64_t seed = 0;
  int64_t levels = 0;  // > 0: logits are rounded to this many levels, so that there are ties
  mutable std::vector<int64_t> batches;  // rows of each step

  float logit(int64_t word, const Sentence& prefix, int64_t token) const {
    uint64_t place = static_cast<uint64_t>(word);
    for (int64_t t : prefix) place = place * 31 + static_cast<uint64_t>(t) + 1;
    const double u = uniform_f64({.seed = seed + place * 1000}, token);
    return static_cast<float>(levels ? std::floor(u * static_cast<double>(levels)) : 4 * u);
  }
  std::vector<double> log_p(int64_t word, const Sentence& prefix) const {
    std::vector<double> p;
    double sum = 0;
    for (int64_t v = 0; v < vocab; ++v)
      sum += std::exp(static_cast<double>(logit(word, prefix, v)));
    for (int64_t v = 0; v < vocab; ++v)
      p.push_back(static_cast<double>(logit(word, prefix, v)) - std::log(sum));
    return p;
  }
};

struct TableDecoding : Decoding {
  const FixedTable& table;
  std::vector<int64_t> words;
  std::vector<Sentence> prefixes;
  TableDecoding(const FixedTable& table, const Tensor& source) : table(table) {
    const auto [R, S] = source.dims<2>();
    for (int64_t r = 0; r < R; ++r) words.push_back(source.data<int64_t>()[r * S + 1]);
    prefixes.resize(words.size());
  }
  Tensor step(const Tensor& newest) override {
    REQUIRE(newest.numel() == static_cast<int64_t>(words.size()));
    table.batches.push_back(newest.numel());
    std::vector<float> logits;
    for (size_t r = 0; r < words.size(); ++r) {
      prefixes[r].push_back(newest.data<int64_t>()[r]);
      REQUIRE(prefixes[r][0] == sos_id);
      for (int64_t v = 0; v < table.vocab; ++v)
        logits.push_back(table.logit(words[r], {prefixes[r].begin() + 1, prefixes[r].end()}, v));
    }
    return from_vector(logits, {newest.numel(), table.vocab});
  }
  void select(const Tensor& rows) override {
    std::vector<int64_t> w;
    std::vector<Sentence> p;
    for (int64_t i = 0; i < rows.numel(); ++i) {
      const auto r = static_cast<size_t>(rows.data<int64_t>()[i]);
      w.push_back(words[r]), p.push_back(prefixes[r]);
    }
    words = w, prefixes = p;
  }
};

StartDecoding start(const FixedTable& table) {
  return [&table](const Tensor& source) { return std::make_unique<TableDecoding>(table, source); };
}

bool writable(int64_t token) { return token != pad_id && token != sos_id; }

Sentence reference_greedy(const FixedTable& table, int64_t word, int64_t max_length) {
  Sentence sentence;
  while (static_cast<int64_t>(sentence.size()) < max_length) {
    int64_t best = -1;
    for (int64_t v = 0; v < table.vocab; ++v)
      if (writable(v) &&
          (best < 0 || table.logit(word, sentence, v) > table.logit(word, sentence, best)))
        best = v;
    if (best == eos_id) break;
    sentence.push_back(best);
  }
  return sentence;
}

// Every sequence that ends in <eos> within max_length, by score; the best.
void enumerate(const FixedTable& table, int64_t word, int64_t max_length, double alpha,
               Sentence& prefix, double log_p, std::pair<double, Sentence>& best) {
  const auto p = table.log_p(word, prefix);
  const auto length = static_cast<double>(prefix.size() + 1);
  if (const double score = (log_p + p[eos_id]) / std::pow(length, alpha); score > best.first)
    best = {score, prefix};
  if (static_cast<int64_t>(prefix.size()) + 1 >= max_length) return;
  for (int64_t v = 0; v < table.vocab; ++v) {
    if (!writable(v) || v == eos_id) continue;
    prefix.push_back(v);
    enumerate(table, word, max_length, alpha, prefix, log_p + p[static_cast<size_t>(v)], best);
    prefix.pop_back();
  }
}

const std::vector<Sentence> sources = {{sos_id, 5, 6, 6, eos_id},
                                       {sos_id, 4, eos_id},
                                       {sos_id, 6, 5, 5, 5, 5, eos_id},
                                       {sos_id, 9, eos_id},
                                       {sos_id, 8, 4, eos_id}};

}  // namespace

TEST_CASE(
    "decode: greedy takes the likeliest token, and of equal ones the first; the order of sentences "
    "stays") {
  for (uint64_t seed = 0; seed < 40; ++seed)
    for (int64_t levels : {0, 3}) {
      const FixedTable table{.seed = seed, .levels = levels, .batches = {}};
      for (int64_t batch : {1, 2, 64}) {
        const auto found = decode(start(table), sources, {.max_length = 12, .batch_size = batch});
        REQUIRE(found.size() == sources.size());
        for (size_t i = 0; i < sources.size(); ++i)
          CHECK(found[i] == reference_greedy(table, sources[i][1], 12));
      }
    }
}

TEST_CASE("decode: a beam as wide as the number of sequences finds the best of them all") {
  for (uint64_t seed = 0; seed < 12; ++seed)
    for (double alpha : {0.0, 0.6, 1.0}) {
      const FixedTable table{
          .vocab = 6,
          .seed = 100 + seed,
          .batches = {}};  // three words and <eos>: 3^0 + … + 3^4 sequences of at most 5 tokens
      const auto found =
          decode(start(table), sources, {.beam = 400, .length_penalty = alpha, .max_length = 5});
      for (size_t i = 0; i < sources.size(); ++i) {
        std::pair<double, Sentence> best{-1e300, {}};
        Sentence prefix;
        enumerate(table, sources[i][1], 5, alpha, prefix, 0, best);
        CHECK(found[i] == best.second);
      }
    }
}

TEST_CASE("decode: the n best, each once, the best first, with their probabilities") {
  for (uint64_t seed = 0; seed < 6; ++seed)
    for (const int64_t beam : {5, 400}) {
      const FixedTable table{.vocab = 6, .seed = 100 + seed, .batches = {}};
      const DecodeOptions options{
          .beam = beam, .n_best = 5, .length_penalty = 0.6, .max_length = 5};
      const auto found = decode_n_best(start(table), sources, options);
      const auto best = decode(start(table), sources, options);
      for (size_t i = 0; i < sources.size(); ++i) {
        REQUIRE(found[i].size() == 5);
        CHECK(found[i][0].tokens == best[i]);
        for (size_t k = 0; k < 5; ++k) {
          const Hypothesis& h = found[i][k];
          Sentence prefix;
          double log_p = 0;
          for (size_t t = 0; t <= h.tokens.size() && t < 5; ++t) {
            const int64_t token = t < h.tokens.size() ? h.tokens[t] : eos_id;
            log_p += table.log_p(sources[i][1], prefix)[static_cast<size_t>(token)];
            prefix.push_back(token);
          }
          CHECK(h.log_p == doctest::Approx(log_p));
          CHECK(h.score == doctest::Approx(log_p / std::pow(prefix.size(), 0.6)));
          for (size_t other = 0; other < k; ++other) CHECK(found[i][other].tokens != h.tokens);
          const bool finished = prefix.back() == eos_id;
          if (finished && k > 0) CHECK(found[i][k - 1].score >= h.score);
        }
      }
    }
  const FixedTable table{.seed = 3, .batches = {}};
  const Hypothesis greedy =
      decode_n_best(start(table), {sources[0]}, {.max_length = 12, .scores = true})[0][0];
  CHECK(greedy.tokens == reference_greedy(table, sources[0][1], 12));
  CHECK(greedy.log_p < 0);
  CHECK_THROWS_AS(decode(start(table), sources, {.beam = 2, .n_best = 3, .max_length = 5}),
                  UsageError);
}

TEST_CASE("decode: every sentence begins with the prefix, and goes on as the model would") {
  const FixedTable table{.seed = 8, .batches = {}};
  for (const int64_t beam : {1, 4}) {
    const auto free = decode(start(table), sources, {.beam = beam, .max_length = 12});
    const auto forced =
        decode(start(table), sources, {.beam = beam, .max_length = 12, .prefix = {6, 4}});
    for (const Sentence& s : forced) {
      REQUIRE(s.size() >= 2);
      CHECK(s[0] == 6);
      CHECK(s[1] == 4);
    }
    // a prefix that it would have written anyway changes nothing
    if (beam == 1 && free[0].size() > 2)
      CHECK(decode(start(table), {sources[0]},
                   {.max_length = 12, .prefix = {free[0][0], free[0][1]}})[0] == free[0]);
  }
  CHECK_THROWS_AS(decode(start(table), sources, {.max_length = 2, .prefix = {6, 4}}), UsageError);
}

TEST_CASE(
    "decode: a wider beam finds likelier sentences on the whole, and more than one prefix "
    "matters") {
  int better = 0, worse = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const FixedTable table{.seed = 500 + seed, .batches = {}};
    const auto log_p = [&](const Sentence& sentence) {
      double sum = 0;
      for (size_t t = 0; t <= sentence.size(); ++t)
        sum += table.log_p(
            5, {sentence.begin(), sentence.begin() + static_cast<int64_t>(t)})[static_cast<size_t>(
            t < sentence.size() ? sentence[t] : eos_id)];
      return sum / static_cast<double>(sentence.size() + 1);
    };
    const std::vector<Sentence> one = {sources[0]};
    const double greedy = log_p(decode(start(table), one, {.max_length = 30})[0]),
                 beam = log_p(decode(start(table), one, {.beam = 5, .max_length = 30})[0]);
    better += beam > greedy + 1e-12, worse += beam < greedy - 1e-12;
  }
  CHECK(better > 3 * worse);
  CHECK(better > 20);
}

TEST_CASE("decode: the result of a sentence does not depend on its company") {
  const FixedTable table{.seed = 77, .batches = {}};
  for (int64_t beam : {1, 3}) {
    const auto together = decode(start(table), sources, {.beam = beam, .max_length = 15});
    for (size_t i = 0; i < sources.size(); ++i)
      CHECK(decode(start(table), {sources[i]}, {.beam = beam, .max_length = 15})[0] == together[i]);
  }
}

TEST_CASE("decode: finished sentences leave the batch, and the search stops when all have") {
  const FixedTable table{.seed = 3, .batches = {}};
  const auto found = decode(start(table), sources, {.max_length = 50});
  std::vector<int64_t> expected;  // rows of step t: sentences that had not written <eos> before
  for (size_t t = 0; t < 50; ++t) {
    const auto rows =
        std::count_if(found.begin(), found.end(), [&](const Sentence& s) { return s.size() >= t; });
    if (rows > 0) expected.push_back(rows);
  }
  CHECK(table.batches == expected);
  CHECK(expected.size() < 50);
}

TEST_CASE("decode: wide beams take fewer sentences at once, with the same results") {
  const FixedTable table{.seed = 5, .batches = {}};
  std::vector<Sentence> many;
  for (int64_t i = 0; i < 20; ++i) many.push_back({sos_id, 4 + i % 6, eos_id});
  const auto found = decode(start(table), many, {.beam = 100, .max_length = 12});
  CHECK(*std::max_element(table.batches.begin(), table.batches.end()) <= most_prefixes);
  CHECK(found[3] == decode(start(table), {many[3]}, {.beam = 100, .max_length = 12})[0]);
  table.batches.clear();
  CHECK(decode(start(table), many, {.beam = 100, .max_length = 12, .batch_size = 1000}) == found);
  CHECK(*std::max_element(table.batches.begin(), table.batches.end()) > most_prefixes);
}

TEST_CASE("decode: max_length cuts off") {
  struct Endless : Decoding {
    Tensor step(const Tensor& newest) override {
      return tensor({0.0, 0.0, 0.0, -9.0, 1.0, 0.5}).expand({newest.numel(), 6});
    }
    void select(const Tensor&) override {}
  };
  const StartDecoding endless = [](const Tensor&) { return std::make_unique<Endless>(); };
  CHECK(decode(endless, {{2, 4, 3}}, {.max_length = 4})[0] == Sentence{4, 4, 4, 4});
  CHECK(decode(endless, {{2, 4, 3}}, {.beam = 2, .max_length = 3})[0] == Sentence{4, 4, 4});
  CHECK(decode(endless, {}, {.max_length = 4}).empty());
}

TEST_CASE("decode: <pad> and <sos> are never written; impossible tokens neither") {
  struct Rows : Decoding {
    Tensor step(const Tensor& newest) override {
      const double no = -std::numeric_limits<double>::infinity();
      return tensor({9.0, no, 9.0, newest.data<int64_t>()[0] == sos_id ? no : 1.0, 2.0})
          .expand({newest.numel(), 5});
    }
    void select(const Tensor&) override {}
  };
  const StartDecoding rows = [](const Tensor&) { return std::make_unique<Rows>(); };
  for (int64_t beam : {1, 2, 8}) {
    const Sentence sentence = decode(rows, {{2, 4, 3}}, {.beam = beam, .max_length = 6})[0];
    CHECK(!sentence.empty());
    CHECK(std::set<int64_t>(sentence.begin(), sentence.end()) == std::set<int64_t>{4});
  }
}

TEST_CASE("decode: <unk> is written as any other word, or never") {
  struct Rows : Decoding {  // <unk>, then <eos>; the likeliest other than <unk> is token 4
    Tensor step(const Tensor& newest) override {
      const bool first = newest.data<int64_t>()[0] == sos_id;
      return tensor({0.0, first ? 9.0 : 1.0, 0.0, first ? 0.0 : 8.0, 2.0, 1.0})
          .expand({newest.numel(), 6});
    }
    void select(const Tensor&) override {}
  };
  const StartDecoding rows = [](const Tensor&) { return std::make_unique<Rows>(); };
  for (int64_t beam : {1, 3}) {
    CHECK(decode(rows, {{2, 4, 3}}, {.beam = beam, .max_length = 6})[0] == Sentence{unk_id});
    CHECK(decode(rows, {{2, 4, 3}}, {.beam = beam, .max_length = 6, .unk = Unknown::ban})[0] ==
          Sentence{4});
  }
}

TEST_CASE("decode: where nothing may follow, what is written stays") {
  struct Rows : Decoding {  // token 4, then <unk> alone
    Tensor step(const Tensor& newest) override {
      const double no = -std::numeric_limits<double>::infinity();
      const bool first = newest.data<int64_t>()[0] == sos_id;
      return tensor({no, 0.0, no, no, first ? 2.0 : no}).expand({newest.numel(), 5});
    }
    void select(const Tensor&) override {}
  };
  const StartDecoding rows = [](const Tensor&) { return std::make_unique<Rows>(); };
  for (int64_t beam : {1, 3})
    CHECK(decode(rows, {{2, 4, 3}}, {.beam = beam, .max_length = 6, .unk = Unknown::ban})[0] ==
          Sentence{4});
}

TEST_CASE("decode: options and logits that make no sense are refused") {
  const FixedTable table;
  CHECK_THROWS_AS(decode(start(table), sources, {.beam = 0}), UsageError);
  // without it nothing would end the search
  CHECK_THROWS_AS(decode(start(table), sources, {.max_length = 0}), UsageError);
  CHECK_THROWS_AS(decode(start(table), sources, {.batch_size = 0}), UsageError);
  CHECK_THROWS_AS(decode(start(table), sources, {.length_penalty = NAN}), UsageError);
  struct Nan : Decoding {
    Tensor step(const Tensor& newest) override { return full({newest.numel(), 6}, NAN); }
    void select(const Tensor&) override {}
  };
  CHECK_THROWS_AS(
      decode([](const Tensor&) { return std::make_unique<Nan>(); }, sources, {.max_length = 5}),
      NumericError);
}
