#include <slope/autograd/grad_mode.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/reduce/reduce.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/data/vocab.h>
#include <slope/models/infer/decode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace slope::train {

namespace {

using data::eos_id, data::pad_id, data::sos_id, data::unk_id;

struct Candidate {
  int64_t token;
  double log_p;  // of the token, given the tokens before it
};

bool may_be_written(int64_t token, bool ban_unk) {
  return token != pad_id && token != sos_id && !(ban_unk && token == unk_id);
}

// The largest of the logits, all of which must be below inf.
template <class T>
T highest(const T* logits, int64_t V) {
  const T top = kernels<Reduce<T>>().max.row(V, logits);  // nan wins
  if (!(top < std::numeric_limits<T>::infinity()))
    for (int64_t v = 0; v < V; ++v)
      SLOPE_CHECK_AS(NumericError, logits[v] < std::numeric_limits<T>::infinity(),
                     "decode: the model's logit of token {} is {}", v, logits[v]);
  return top;
}

// The k most likely tokens of a row of logits, the most likely first; of equal ones the lower id.
template <class T>
std::vector<Candidate> best_tokens(const T* logits, int64_t V, int64_t k, bool ban_unk) {
  const T top = highest(logits, V);
  std::vector<int64_t> best;  // so far, in that order
  for (int64_t v = 0; v < V; ++v) {
    const bool is_full = static_cast<int64_t>(best.size()) == k;
    if ((is_full && !(logits[v] > logits[best.back()])) || !may_be_written(v, ban_unk)) continue;
    if (is_full) best.pop_back();
    best.insert(std::upper_bound(best.begin(), best.end(), v,
                                 [&](int64_t a, int64_t b) { return logits[a] > logits[b]; }),
                v);
  }
  if (k == 1) return {{best[0], 0}};  // greedy: no probability is needed
  double sum = 0;
  for (int64_t v = 0; v < V; ++v)
    sum += std::exp(static_cast<double>(logits[v]) - static_cast<double>(top));
  std::vector<Candidate> candidates;
  for (const int64_t token : best)
    if (logits[token] > -INFINITY)
      candidates.push_back(
          {token, static_cast<double>(logits[token]) - static_cast<double>(top) - std::log(sum)});
  return candidates;
}

std::vector<std::vector<Candidate>> best_tokens(const Tensor& logits, int64_t k, bool ban_unk) {
  const std::array<int64_t, 2> shape = logits.dims<2>();
  const int64_t rows = shape[0], V = shape[1];
  SLOPE_CHECK_SHAPE(V > eos_id, "decode: {} tokens do not include <pad>, <unk>, <sos> and <eos>",
                    V);
  const Tensor values = logits.contiguous();
  std::vector<std::vector<Candidate>> best(static_cast<size_t>(rows));
  visit_floating(logits.dtype(), "decode", [&]<class T>() {
    const T* p = values.data<T>();
    parallel_for(rows, std::max<int64_t>(1, 20000 / V),
                 [&best, p, V, k, ban_unk](int64_t begin, int64_t end) {
                   for (int64_t r = begin; r < end; ++r)
                     best[static_cast<size_t>(r)] = best_tokens(p + r * V, V, k, ban_unk);
                 });
  });
  return best;
}

struct Prefix {
  Sentence tokens;  // without <sos> and <eos>
  double log_p = 0;
};

// The beam of one source sentence.
struct Beam {
  size_t sentence;
  std::vector<Prefix> live{Prefix{}}, finished;
};

class Search {
 public:
  Search(const StartDecoding& start, const Tensor& source, const DecodeOptions& options)
      : options_(options), results_(static_cast<size_t>(source.size(0))) {
    for (size_t s = 0; s < results_.size(); ++s) beams_.push_back({.sentence = s, .finished = {}});
    decoding_ = start(source);
  }

  std::vector<Sentence> run() {
    for (int64_t length = 1; !beams_.empty() && length <= options_.max_length; ++length)
      advance(length);
    for (Beam& beam : beams_) close(beam);
    return std::move(results_);
  }

 private:
  // Extends every live prefix by a token. `length`: tokens including the new one, which may be
  // <eos>.
  void advance(int64_t length) {
    Sentence newest;
    for (const Beam& beam : beams_)
      for (const Prefix& prefix : beam.live)
        newest.push_back(prefix.tokens.empty() ? sos_id : prefix.tokens.back());
    const auto n = static_cast<int64_t>(newest.size());
    const auto tokens = best_tokens(decoding_->step(from_vector(newest, {n})),
                                    options_.beam == 1 ? 1 : 2 * options_.beam, options_.ban_unk);

    std::vector<int64_t> rows;  // of the batch: where each new prefix comes from
    int64_t row = 0;
    for (Beam& beam : beams_) {
      const auto first = row;
      row += static_cast<int64_t>(beam.live.size());
      grow(beam, tokens, first, length, rows);
    }
    std::erase_if(beams_, [](const Beam& beam) { return beam.live.empty(); });
    bool same = static_cast<int64_t>(rows.size()) == n;
    for (size_t i = 0; i < rows.size() && same; ++i) same = rows[i] == static_cast<int64_t>(i);
    if (!same && !rows.empty())
      decoding_->select(from_vector(rows, {static_cast<int64_t>(rows.size())}));
  }

  void grow(Beam& beam, const std::vector<std::vector<Candidate>>& tokens, int64_t first,
            int64_t length, std::vector<int64_t>& rows) {
    struct Continuation {
      double log_p;
      size_t prefix;
      int64_t token;
      size_t place;  // in `all`: of equally good ones the first wins
    };
    std::vector<Continuation> all;
    for (size_t p = 0; p < beam.live.size(); ++p)
      for (const Candidate& c : tokens[static_cast<size_t>(first) + p])
        all.push_back({beam.live[p].log_p + c.log_p, p, c.token, all.size()});
    if (all.empty()) return close(beam);  // nothing may follow: the prefix stays as it is
    const auto width = static_cast<size_t>(options_.beam);
    const size_t looked_at = std::min(2 * width, all.size());  // each prefix may end once
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(looked_at), all.end(),
                      [](const Continuation& a, const Continuation& b) {
                        return a.log_p != b.log_p ? a.log_p > b.log_p : a.place < b.place;
                      });

    std::vector<Prefix> live;
    std::vector<int64_t> from;
    for (size_t rank = 0; rank < looked_at && live.size() < width; ++rank) {
      const Continuation& c = all[rank];
      Prefix next{beam.live[c.prefix].tokens, c.log_p};
      if (c.token == eos_id) {
        // its final score
        next.log_p /= std::pow(static_cast<double>(length), options_.length_penalty);
        if (rank < width) beam.finished.push_back(std::move(next));
      } else {
        next.tokens.push_back(c.token);
        live.push_back(std::move(next));
        from.push_back(first + static_cast<int64_t>(c.prefix));
      }
    }
    beam.live = std::move(live);
    if (beam.finished.size() >= width || beam.live.empty()) return close(beam);
    rows.insert(rows.end(), from.begin(), from.end());
  }

  // Returns the best finished sentence, or, if there is none, the best of those that max_length
  // cuts off.
  void close(Beam& beam) {
    const auto less = [](const Prefix& a, const Prefix& b) { return a.log_p < b.log_p; };
    const auto& from = beam.finished.empty() ? beam.live : beam.finished;
    if (!from.empty())
      results_[beam.sentence] = std::max_element(from.begin(), from.end(), less)->tokens;
    beam.live.clear();
  }

  const DecodeOptions& options_;
  std::vector<Sentence> results_;
  std::vector<Beam> beams_;
  std::unique_ptr<Decoding> decoding_;
};

Tensor padded(const std::vector<Sentence>& sources, std::span<const size_t> rows) {
  size_t longest = 1;
  for (size_t r : rows) longest = std::max(longest, sources[r].size());
  std::vector<int64_t> values(rows.size() * longest, pad_id);
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(sources[rows[i]].begin(), sources[rows[i]].end(),
              values.begin() + static_cast<std::ptrdiff_t>(i * longest));
  return from_vector(values, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(longest)});
}

}  // namespace

std::vector<Sentence> decode(const StartDecoding& start, const std::vector<Sentence>& sources,
                             const DecodeOptions& options) {
  SLOPE_CHECK_AS(UsageError, options.beam >= 1 && options.beam <= 1 << 20,
                 "decode: beam must be from 1 to {}, got {}", 1 << 20, options.beam);
  SLOPE_CHECK_AS(UsageError, options.max_length >= 1,
                 "decode: max_length must be at least 1, got {}", options.max_length);
  SLOPE_CHECK_AS(UsageError, options.batch_size >= 1,
                 "decode: batch_size must be at least 1, got {}", options.batch_size);
  SLOPE_CHECK_AS(UsageError, std::isfinite(options.length_penalty),
                 "decode: length_penalty must be finite, got {}", options.length_penalty);
  const NoGrad no_grad;
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sources[a].size() < sources[b].size(); });
  std::vector<Sentence> results(sources.size());
  const int64_t prefixes = std::max(options.batch_size, most_prefixes),
                fitting = std::max<int64_t>(1, prefixes / options.beam);
  const auto batch = static_cast<size_t>(std::min(options.batch_size, fitting));
  for (size_t first = 0; first < order.size(); first += batch) {
    const std::span rows(order.data() + first, std::min(batch, order.size() - first));
    std::vector<Sentence> found = Search(start, padded(sources, rows), options).run();
    for (size_t i = 0; i < rows.size(); ++i) results[rows[i]] = std::move(found[i]);
  }
  return results;
}

}  // namespace slope::train
