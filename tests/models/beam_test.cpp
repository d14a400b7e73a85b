// Beam search against one that never ends early: 10,000 random tables of probabilities, beams of 1
// to 50, every length penalty.
#include <doctest/doctest.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/data/vocab.h>
#include <slope/models/infer/search/decode.h>
#include <slope/tests/sanitized.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

using namespace slope;
using namespace slope::train;
using data::eos_id, data::pad_id, data::sos_id;

namespace {

constexpr int64_t first_word = 4;  // the ids before are <pad>, <unk>, <sos> and <eos>
constexpr double never = -std::numeric_limits<double>::infinity();

// log p(next token | position, newest token), for sentences of at most `length` tokens.
struct Table {
  int64_t length, vocab;
  std::vector<double> logits;  // (length, vocab, vocab)

  const double* row(int64_t position, int64_t newest) const {
    return logits.data() + (position * vocab + newest) * vocab;
  }
  double log_p(int64_t position, int64_t newest, int64_t token) const {
    double sum = 0;
    for (int64_t v = 0; v < vocab; ++v) sum += std::exp(row(position, newest)[v]);
    return row(position, newest)[token] - std::log(sum);
  }
  double log_p(const Sentence& sentence, bool with_eos = true) const {
    double sum = 0;
    int64_t newest = sos_id;
    for (size_t t = 0; t < sentence.size() + with_eos; ++t) {
      const int64_t token = t < sentence.size() ? sentence[t] : eos_id;
      sum += log_p(static_cast<int64_t>(t), newest, token);
      newest = token;
    }
    return sum;
  }
  double score(const Sentence& sentence, double alpha) const {
    return log_p(sentence) / std::pow(static_cast<double>(sentence.size() + 1), alpha);
  }
};

class Numbers {  // uniform in [0, 1), one after the other
 public:
  explicit Numbers(uint64_t seed) : seed_(seed) {}
  double next() { return uniform_f64({.seed = seed_}, i_++); }
  int64_t from(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(next() * static_cast<double>(most - least + 1));
  }

 private:
  uint64_t seed_;
  int64_t i_ = 0;
};

// Flat or peaked, with sentences that end soon or late, some tokens impossible.
Table random_table(uint64_t seed, int64_t length, int64_t vocab) {
  Numbers random(seed);
  Table table{.length = length, .vocab = vocab, .logits = {}};
  const double scale = 12 * random.next(), end = 6 * (random.next() - 0.7),
               impossible = random.next() < 0.2 ? 0.3 : 0;
  for (int64_t i = 0; i < length * vocab * vocab; ++i) {
    const int64_t token = i % vocab;
    double logit = scale * random.next() + (token == eos_id ? end : 0);
    if (token != eos_id && random.next() < impossible) logit = never;
    table.logits.push_back(logit);
  }
  return table;
}

struct Prefix {
  Sentence tokens;
  double log_p = 0;
};

// The definition: `beam` prefixes are followed to the end; every finished sentence and that of
// greedy decoding compete by score, or, if none ends, the prefixes by probability. A beam of 1 is
// greedy decoding.
Sentence reference(const Table& table, const DecodeOptions& options) {
  std::vector<Prefix> live{Prefix{}};
  std::vector<std::pair<double, Sentence>> finished;
  const auto width = static_cast<size_t>(options.beam);
  const auto newest = [](const Sentence& s) { return s.empty() ? sos_id : s.back(); };
  for (int64_t t = 0; width > 1 && t < options.max_length && !live.empty(); ++t) {
    std::vector<std::pair<Prefix, int64_t>> all;
    for (const Prefix& p : live)
      for (int64_t v = 0; v < table.vocab; ++v) {
        const double log_p = table.log_p(t, newest(p.tokens), v);
        if (v != pad_id && v != sos_id && log_p > never)
          all.push_back({{p.tokens, p.log_p + log_p}, v});
      }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first.log_p > b.first.log_p; });
    live.clear();
    for (size_t rank = 0; rank < all.size() && live.size() < width; ++rank) {
      auto& [prefix, token] = all[rank];
      if (token == eos_id) {
        if (rank < width)
          finished.emplace_back(table.score(prefix.tokens, options.length_penalty), prefix.tokens);
      } else {
        prefix.tokens.push_back(token);
        live.push_back(prefix);
      }
    }
  }
  Prefix greedy;
  for (int64_t t = 0; t < options.max_length; ++t) {
    const int64_t last = newest(greedy.tokens);
    int64_t best = eos_id;
    for (int64_t v = 0; v < table.vocab; ++v)
      if (v != pad_id && v != sos_id && table.row(t, last)[v] > table.row(t, last)[best]) best = v;
    if (best == eos_id) {
      finished.emplace_back(table.score(greedy.tokens, options.length_penalty), greedy.tokens);
      break;
    }
    greedy.log_p += table.log_p(t, last, best);
    greedy.tokens.push_back(best);
  }
  if (finished.empty())
    return width == 1 || live.empty() || greedy.log_p > live[0].log_p ? greedy.tokens
                                                                      : live[0].tokens;
  return std::max_element(finished.begin(), finished.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

// The first word of a source is the number of its table.
struct TablesDecoding : Decoding {
  const std::vector<Table>& tables;
  std::vector<size_t> numbers;  // of each row
  int64_t position = 0;
  int64_t& steps;

  TablesDecoding(const std::vector<Table>& tables, const Tensor& source, int64_t& steps)
      : tables(tables), steps(steps) {
    const auto [R, S] = source.dims<2>();
    for (int64_t r = 0; r < R; ++r)
      numbers.push_back(static_cast<size_t>(source.data<int64_t>()[r * S + 1] - first_word));
  }
  Tensor step(const Tensor& newest) override {
    const int64_t V = tables[0].vocab;
    std::vector<double> logits;
    for (size_t r = 0; r < numbers.size(); ++r) {
      const double* row = tables[numbers[r]].row(position, newest.data<int64_t>()[r]);
      logits.insert(logits.end(), row, row + V);
    }
    ++position;
    ++steps;
    return from_vector(logits, {newest.numel(), V});
  }
  void select(const Tensor& rows) override {
    std::vector<size_t> selected;
    for (int64_t i = 0; i < rows.numel(); ++i)
      selected.push_back(numbers[static_cast<size_t>(rows.data<int64_t>()[i])]);
    numbers = selected;
  }
};

std::vector<Sentence> decode_tables(const std::vector<Table>& tables, const DecodeOptions& options,
                                    int64_t* steps = nullptr) {
  int64_t count = 0;
  std::vector<Sentence> sources;
  for (size_t i = 0; i < tables.size(); ++i)
    sources.push_back({sos_id, first_word + static_cast<int64_t>(i), eos_id});
  const auto found = decode(
      [&](const Tensor& source) { return std::make_unique<TablesDecoding>(tables, source, count); },
      sources, options);
  if (steps) *steps = count;
  return found;
}

}  // namespace

TEST_CASE(
    "beam: on 10,000 random tables the sentence of a search that never ends early, never "
    "worse than greedy") {
  constexpr uint64_t calls = test::fewer(2500), tables_of_a_call = 4;
  uint64_t more_than_greedy = 0, cut_off = 0;
  for (uint64_t call = 0; call < calls; ++call) {
    Numbers random(1'000'000 + call);
    const int64_t length = random.from(1, 10), vocab = random.from(first_word + 1, 9);
    std::vector<Table> tables;
    for (uint64_t i = 0; i < tables_of_a_call; ++i)
      tables.push_back(random_table(call * tables_of_a_call + i, length, vocab));
    const std::array<double, 5> usual = {0, 0.6, 1, 1.5, 2};
    const DecodeOptions options{
        .beam = random.next() < 0.5 ? random.from(1, 5) : random.from(1, 50),
        .length_penalty = call % 2 ? usual[call / 2 % 5] : 2.5 * random.next() - 0.5,
        .max_length = length};
    DecodeOptions greedily = options;
    greedily.beam = 1;
    const auto found = decode_tables(tables, options), greedy = decode_tables(tables, greedily);
    for (size_t i = 0; i < tables.size(); ++i) {
      REQUIRE(found[i] == reference(tables[i], options));
      const auto length_of = [](const Sentence& s) { return static_cast<int64_t>(s.size()); };
      if (length_of(greedy[i]) == length) {  // cut off: it has no score
        ++cut_off;
        if (length_of(found[i]) == length)
          REQUIRE(tables[i].log_p(found[i], false) >= tables[i].log_p(greedy[i], false));
        continue;
      }
      REQUIRE(length_of(found[i]) < length);
      const double score = tables[i].score(found[i], options.length_penalty),
                   least = tables[i].score(greedy[i], options.length_penalty);
      REQUIRE(score >= least);
      more_than_greedy += score > least;
    }
  }
  CHECK(more_than_greedy > calls * tables_of_a_call / 10);
  CHECK(cut_off > calls * tables_of_a_call / 100);
}

TEST_CASE("beam: a sentence is found behind shorter ones that are finished first") {
  // `a` 0.9 and <eos> 0.1, five times, then <eos>
  constexpr int64_t a = 4, V = 5;
  Table table{.length = 8, .vocab = V, .logits = {}};
  for (int64_t position = 0; position < table.length; ++position)
    for (int64_t newest = 0; newest < V; ++newest)
      for (int64_t token = 0; token < V; ++token)
        table.logits.push_back(token == eos_id              ? std::log(position < 5 ? 0.1 : 1)
                               : token == a && position < 5 ? std::log(0.9)
                                                            : never);
  const Sentence whole = {a, a, a, a, a};
  for (int64_t beam : {1, 2, 3, 10})
    CHECK(decode_tables({table}, {.beam = beam, .max_length = 8})[0] == whole);
  // log p alone: 0.9^5 for the whole sentence, 0.1 for the empty one
  CHECK(decode_tables({table}, {.beam = 2, .length_penalty = 0, .max_length = 8})[0] == whole);
}

TEST_CASE("beam: the search ends as soon as nothing can win") {
  // <eos> 0.9 at each step: p of the empty sentence is 0.9, of all others together 0.1
  constexpr int64_t V = 6;
  Table table{.length = 50, .vocab = V, .logits = {}};
  for (int64_t i = 0; i < table.length * V * V; ++i)
    table.logits.push_back(std::log(i % V == eos_id ? 0.9 : i % V < first_word ? 1e-9 : 0.05));
  int64_t steps = 0;
  CHECK(decode_tables({table}, {.beam = 5, .length_penalty = 0, .max_length = 50}, &steps)[0] ==
        Sentence{});
  CHECK(steps == 1);
  // score ln 0.9 = -0.105; a prefix of n others has n ln 0.05 = -3.0 n, divided by 50: n = 2
  CHECK(decode_tables({table}, {.beam = 5, .max_length = 50}, &steps)[0] == Sentence{});
  CHECK(steps == 2);
}
