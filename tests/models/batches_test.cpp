#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/tokenizers/words.h>
#include <slope/models/data/training_batches.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

using namespace slope::data;

static WordTokenizer words(const std::vector<std::string>& lines, int64_t min_freq = 1) {
  return WordTokenizer(Vocab::from_counts(count_words(lines), Specials::sentence, min_freq));
}

// Lengths like those of sentences: 3 … 40 words, mostly 8 … 16, similar on both sides; the first
// word identifies the pair.
static std::vector<Pair> some_pairs(int64_t n) {
  std::vector<Pair> pairs;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t s = 3 + i * 7919 % 11 + i * 104729 % 7 + (i % 10 == 0 ? i * 31 % 20 : 0),
                  t = std::max<int64_t>(3, s + i * 13 % 5 - 2);
    Pair pair{std::vector<int64_t>(static_cast<size_t>(s), 7),
              std::vector<int64_t>(static_cast<size_t>(t), 8)};
    pair.source[1] = pair.target[1] = 10 + i;
    pair.source.front() = pair.target.front() = sos_id;
    pair.source.back() = pair.target.back() = eos_id;
    pairs.push_back(pair);
  }
  return pairs;
}

static bool operator==(const Batch& a, const Batch& b) {
  return a.source == b.source && a.target == b.target && a.size == b.size;
}

static double padding(const std::vector<Pair>& pairs, const std::vector<Rows>& order) {
  double held = 0, tokens = 0;
  for (const auto& rows : order) {
    const Batch batch = make_batch(pairs, rows);
    held += static_cast<double>(batch.source.size() + batch.target.size());
    tokens += static_cast<double>(batch.source_tokens + batch.target_tokens + batch.size);
  }
  return 1 - tokens / held;
}

TEST_CASE(
    "batches: pairs are encoded with <sos> and <eos>; empty and long ones are skipped and "
    "counted") {
  const ParallelText text{
      .source = {"Ein Hund.", "", "  ", "ein", "a b c d e", "a b c", "ein unbekannter Hund"},
      .target = {"A dog.", "a", "a", "\t", "a", "a b c d", "a dog"},
      .source_file = "t.de",
      .target_file = "t.en"};
  const auto source = words({"ein hund ."}), target = words({"a dog ."});
  const auto id = [](const Tokenizer& tokenizer, const char* word) {
    return tokenizer.encode(word)[0];
  };
  const Pairs encoded = encode_pairs(text, source, target, 5);
  CHECK(encoded.skipped_empty == 3);
  // a source of 5 words has 7 tokens; of a target of 4 words the model reads 5
  CHECK(encoded.skipped_long == 1);
  REQUIRE(encoded.pairs.size() == 3);
  CHECK(encoded.pairs[0].source == std::vector<int64_t>{sos_id, id(source, "ein"),
                                                        id(source, "hund"), id(source, "."),
                                                        eos_id});
  CHECK(encoded.pairs[2].source ==
        std::vector<int64_t>{sos_id, id(source, "ein"), unk_id, id(source, "hund"), eos_id});
  CHECK_THROWS_WITH_AS((void)encode_pairs(text, source, target, 2),
                       "t.de: no usable sentence pair: 3 are empty on one side, 4 are longer than "
                       "the model's 2 positions",
                       slope::InputError);
}

TEST_CASE("batches: a batch is padded to its longest sentence and counts its tokens") {
  const std::vector<Pair> pairs = {{{2, 5, 3}, {2, 6, 7, 3}}, {{2, 5, 6, 7, 3}, {2, 6, 3}}};
  const Batch batch = make_batch(pairs, Rows{1, 0});
  CHECK(batch.size == 2);
  CHECK(batch.source_length == 5);
  CHECK(batch.target_length == 4);
  CHECK(batch.source == std::vector<int64_t>{2, 5, 6, 7, 3, 2, 5, 3, 0, 0});
  CHECK(batch.target == std::vector<int64_t>{2, 6, 3, 0, 2, 6, 7, 3});
  CHECK(batch.source_tokens == 8);
  CHECK(batch.target_tokens == 5);
}

TEST_CASE("batches: the order is a function of seed and epoch, and both change it") {
  const auto pairs = some_pairs(1000);
  const auto order = [&](uint64_t seed, int64_t epoch) {
    return training_order(pairs, {.batch_size = 16, .seed = seed, .pool = 10}, epoch);
  };
  CHECK(order(1, 0) == order(1, 0));
  CHECK(order(1, 0) != order(2, 0));
  CHECK(order(1, 0) != order(1, 1));
  CHECK(order(1, 1) != order(2, 0));
}

TEST_CASE("batches: each pair comes exactly once an epoch, in as many batches every time") {
  for (int64_t n : {1, 15, 16, 17, 160, 161, 1000}) {
    const auto pairs = some_pairs(n);
    for (int64_t epoch : {0, 1, 5}) {
      for (int64_t pool : {1, 10, 1000000}) {
        const auto order =
            training_order(pairs, {.batch_size = 16, .seed = 3, .pool = pool}, epoch);
        CHECK(static_cast<int64_t>(order.size()) == (n + 15) / 16);
        CHECK(std::count_if(order.begin(), order.end(),
                            [](const Rows& rows) { return rows.size() != 16; }) == (n % 16 != 0));
        Rows seen;
        for (const auto& rows : order) seen.insert(seen.end(), rows.begin(), rows.end());
        std::sort(seen.begin(), seen.end());
        Rows all(static_cast<size_t>(n));
        std::iota(all.begin(), all.end(), 0);
        CHECK(seen == all);
      }
    }
  }
  CHECK_THROWS_AS((void)training_order(some_pairs(3), {.batch_size = 0}, 0), slope::UsageError);
}

TEST_CASE("batches: neighbours change from epoch to epoch") {
  const auto pairs = some_pairs(640);
  std::map<int64_t, int64_t> first_neighbour;
  int64_t kept = 0;
  for (const auto& rows : training_order(pairs, {.batch_size = 8, .pool = 5}, 0))
    for (size_t i = 0; i + 1 < rows.size(); ++i) first_neighbour[rows[i]] = rows[i + 1];
  for (const auto& rows : training_order(pairs, {.batch_size = 8, .pool = 5}, 1))
    for (size_t i = 0; i + 1 < rows.size(); ++i) kept += first_neighbour[rows[i]] == rows[i + 1];
  CHECK(kept < 20);  // of 560
}

TEST_CASE("batches: sorting by length saves most of the padding") {
  const auto pairs = some_pairs(5000);
  const double unsorted = padding(pairs, training_order(pairs, {.batch_size = 64, .pool = 1}, 0));
  const double bucketed = padding(pairs, training_order(pairs, {.batch_size = 64, .pool = 20}, 0));
  CHECK(unsorted > 0.4);
  CHECK(bucketed < 0.15);
  CHECK(padding(pairs, sorted_order(pairs, 64)) <= bucketed);
}

TEST_CASE("batches: evaluation takes every pair once, shortest first") {
  const auto pairs = some_pairs(100);
  size_t shortest = 0, count = 0;
  for (const auto& rows : sorted_order(pairs, 7))
    for (int64_t row : rows) {
      const size_t length = std::max(pairs[static_cast<size_t>(row)].source.size(),
                                     pairs[static_cast<size_t>(row)].target.size());
      CHECK(length >= shortest);
      shortest = length;
      ++count;
    }
  CHECK(count == 100);
}

TEST_CASE("batches: the prefetched sequence is the sequential one, from any position on") {
  const auto pairs = some_pairs(100);
  const BatchOptions options{.batch_size = 16, .seed = 9, .pool = 3};
  std::vector<Batch> expected;
  for (int64_t epoch = 0; epoch < 3; ++epoch)
    for (const auto& rows : training_order(pairs, options, epoch))
      expected.push_back(make_batch(pairs, rows));
  for (int64_t start : {0, 1, 6, 7, 8, 15}) {
    TrainingBatches batches(pairs, options, start);
    CHECK(batches.per_epoch() == 7);
    for (int64_t k = start; k < 21; ++k) {
      CHECK(batches.position() == k);  // however many were prefetched
      CHECK(batches.next() == expected[static_cast<size_t>(k)]);
    }
  }
}

TEST_CASE("batches: pairs for a validation are spread evenly over all, up to a number of tokens") {
  std::vector<Pair> pairs;
  for (int64_t i = 0; i < 100; ++i) pairs.push_back({{i}, {2, 7, 7, 7, 3}});  // 4 target tokens
  const auto kept = [&](int64_t tokens) {
    std::vector<int64_t> sources;
    for (const Pair& pair : spread(pairs, tokens)) sources.push_back(pair.source[0]);
    return sources;
  };
  CHECK(kept(1000).size() == 100);
  CHECK(kept(400).size() == 100);
  CHECK(kept(40) == std::vector<int64_t>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
  CHECK(kept(12) == std::vector<int64_t>{0, 33, 66});
  CHECK(kept(1) == std::vector<int64_t>{0});
  CHECK(kept(399).size() == 99);
}

TEST_CASE("batches: Multi30k in pools of 50 batches holds little padding") {
  const char* data = std::getenv("SLOPE_DATA");
  if (!data) {
    MESSAGE("skipped: set SLOPE_DATA to a folder with multi30k/train.de.gz and train.en.gz");
    return;
  }
  const auto text = read_parallel(std::string(data) + "/multi30k/train", "de", "en");
  const auto source = words(text.source, 2), target = words(text.target, 2);
  const auto encoded = encode_pairs(text, source, target, 100);
  CHECK(encoded.pairs.size() == 29000);
  const double bucketed = padding(encoded.pairs, training_order(encoded.pairs, {}, 0)),
               unsorted = padding(encoded.pairs, training_order(encoded.pairs, {.pool = 1}, 0));
  MESSAGE("padding: ", bucketed, " in pools, ", unsorted, " unsorted, ",
          padding(encoded.pairs, sorted_order(encoded.pairs, 128)), " all sorted");
  CHECK(bucketed < 0.07);
}
