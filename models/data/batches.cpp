#include <slope/core/error.h>
#include <slope/models/data/batches.h>
#include <slope/models/data/shuffle.h>
#include <slope/models/data/text/unicode.h>

#include <algorithm>

namespace slope::data {
namespace {

int64_t length(const std::vector<int64_t>& tokens) { return static_cast<int64_t>(tokens.size()); }

// Sorts by the longer side's length, then by source minus target length. Sorting by source and then
// target, or by the sum, leaves more padding (docs/performance.md).
void sort_by_length(std::span<const Pair> pairs, std::span<int64_t> rows) {
  const auto key = [&](int64_t row) {
    const int64_t s = length(pairs[static_cast<size_t>(row)].source),
                  t = length(pairs[static_cast<size_t>(row)].target);
    return std::pair(std::max(s, t), s - t);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
}

void cut(std::span<const int64_t> rows, int64_t batch_size, std::vector<Rows>& batches) {
  for (; !rows.empty(); rows = rows.subspan(batches.back().size())) {
    const auto batch = rows.first(std::min(rows.size(), static_cast<size_t>(batch_size)));
    batches.emplace_back(batch.begin(), batch.end());
  }
}

}  // namespace

Pairs encode_pairs(const ParallelText& text, const Tokenizer& source, const Tokenizer& target,
                   int64_t positions) {
  std::vector<Ids> sources = source.encode_lines(text.source),
                   targets = target.encode_lines(text.target);
  Pairs result;
  for (size_t i = 0; i < text.source.size(); ++i) {
    Pair pair{as_sentence(std::move(sources[i])), as_sentence(std::move(targets[i]))};
    if (is_blank(text.source[i]) || is_blank(text.target[i]) || length(pair.source) == 2 ||
        length(pair.target) == 2) {
      ++result.skipped_empty;
    } else if (length(pair.source) > positions || length(pair.target) - 1 > positions) {
      ++result.skipped_long;
    } else {
      result.pairs.push_back(std::move(pair));
      result.lines.push_back(i);
    }
  }
  SLOPE_CHECK_INPUT(!result.pairs.empty(),
                    "{}: no usable sentence pair: {} are empty on one side, {} are longer than the "
                    "model's {} positions",
                    text.source_file, result.skipped_empty, result.skipped_long, positions);
  return result;
}

Batch make_batch(std::span<const Pair> pairs, std::span<const int64_t> rows) {
  Batch batch{.size = static_cast<int64_t>(rows.size())};
  for (int64_t row : rows) {
    const auto& [source, target] = pairs[static_cast<size_t>(row)];
    batch.source_length = std::max(batch.source_length, length(source));
    batch.target_length = std::max(batch.target_length, length(target));
    batch.source_tokens += length(source);
    batch.target_tokens += length(target) - 1;
  }
  batch.source.assign(static_cast<size_t>(batch.size * batch.source_length), pad_id);
  batch.target.assign(static_cast<size_t>(batch.size * batch.target_length), pad_id);
  for (int64_t b = 0; b < batch.size; ++b) {
    const auto& [source, target] = pairs[static_cast<size_t>(rows[static_cast<size_t>(b)])];
    std::copy(source.begin(), source.end(), batch.source.begin() + b * batch.source_length);
    std::copy(target.begin(), target.end(), batch.target.begin() + b * batch.target_length);
  }
  return batch;
}

std::vector<Rows> training_order(std::span<const Pair> pairs, const BatchOptions& options,
                                 int64_t epoch) {
  SLOPE_CHECK_AS(UsageError, options.batch_size > 0 && options.pool > 0,
                 "batches: batch size {} and pool {} must be at least 1", options.batch_size,
                 options.pool);
  const auto site = [&](uint32_t number) {
    return RandomSite{options.seed, number, static_cast<uint32_t>(epoch), order_stream};
  };
  Rows rows = permutation(static_cast<int64_t>(pairs.size()), site(0));
  const size_t pool_size = static_cast<size_t>(
      std::min(options.pool, length(rows) / options.batch_size + 1) * options.batch_size);
  std::vector<Rows> batches;
  for (std::span<int64_t> rest = rows; !rest.empty();) {
    const auto pool = rest.first(std::min(rest.size(), pool_size));
    sort_by_length(pairs, pool);
    cut(pool, options.batch_size, batches);
    rest = rest.subspan(pool.size());
  }
  std::vector<Rows> shuffled;
  for (int64_t b : permutation(static_cast<int64_t>(batches.size()), site(1)))
    shuffled.push_back(std::move(batches[static_cast<size_t>(b)]));
  return shuffled;
}

std::vector<Pair> spread(std::vector<Pair> pairs, int64_t tokens) {
  const auto N = static_cast<int64_t>(pairs.size());
  int64_t total = 0;
  for (const Pair& pair : pairs) total += static_cast<int64_t>(pair.target.size()) - 1;
  if (total <= tokens) return pairs;
  const auto share = static_cast<double>(tokens) / static_cast<double>(total);
  const int64_t n = std::max<int64_t>(1, static_cast<int64_t>(share * static_cast<double>(N)));
  std::vector<Pair> kept;
  for (int64_t k = 0; k < n; ++k) kept.push_back(std::move(pairs[static_cast<size_t>(k * N / n)]));
  return kept;
}

std::vector<Rows> sorted_order(std::span<const Pair> pairs, int64_t batch_size) {
  SLOPE_CHECK_AS(UsageError, batch_size > 0, "batches: batch size {} must be at least 1",
                 batch_size);
  Rows rows(pairs.size());
  std::iota(rows.begin(), rows.end(), 0);
  sort_by_length(pairs, rows);
  std::vector<Rows> batches;
  cut(rows, batch_size, batches);
  return batches;
}

}  // namespace slope::data
