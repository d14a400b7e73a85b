#include <slope/autograd/grad_mode.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/text/visible.h>
#include <slope/models/data/vocab.h>
#include <slope/models/infer/search/decode.h>
#include <slope/models/infer/search/likeliest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

namespace slope::train {

namespace {

using data::eos_id, data::pad_id, data::sos_id;

struct Prefix {
  Sentence tokens;  // without <sos> and <eos>
  double log_p = 0;
  bool is_greedy = true;  // each token is the likeliest after those before it
};

// The beam of one source sentence.
struct Beam {
  size_t sentence;
  std::vector<Prefix> live{Prefix{}};  // the likeliest first
  size_t size = 1;  // of the beam itself; live[size], if there is one, is greedy decoding's prefix
  std::vector<Hypothesis> best = {};  // finished ones, best first
};

class Search {
 public:
  Search(const StartDecoding& start, const Tensor& source, const DecodeOptions& options)
      : options_(options), results_(static_cast<size_t>(source.size(0))) {
    for (size_t s = 0; s < results_.size(); ++s) beams_.push_back({.sentence = s});
    decoding_ = start(source);
  }

  std::vector<std::vector<Hypothesis>> run() {
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
    const Tensor logits = decoding_->step(from_vector(newest, {n}));
    const auto given = static_cast<size_t>(length) <= options_.prefix.size();
    const auto tokens = given
                            ? given_token(logits, options_.prefix[static_cast<size_t>(length) - 1])
                            : likeliest_tokens(logits, options_.beam == 1 ? 1 : 2 * options_.beam,
                                               {.ban_unk = options_.unk == Unknown::ban,
                                                .log_p = options_.beam > 1 || options_.scores});

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

  struct Continuation {
    double log_p;
    size_t prefix;
    int64_t token;
    bool is_greedy;
    size_t place;  // in `all`; the first of equally good ones wins
  };

  void grow(Beam& beam, const std::vector<Candidates>& tokens, int64_t first, int64_t length,
            std::vector<int64_t>& rows) {
    const auto width = static_cast<size_t>(options_.beam);
    std::vector<Continuation> all;       // of the beam
    std::optional<Continuation> greedy;  // of greedy decoding's prefix
    for (size_t p = 0; p < beam.live.size(); ++p) {
      bool is_greedy = beam.live[p].is_greedy;
      for (const Candidate& c : tokens[static_cast<size_t>(first) + p]) {
        const Continuation next{beam.live[p].log_p + c.log_p, p, c.token, is_greedy, all.size()};
        if (is_greedy) greedy = next;
        if (p < beam.size) all.push_back(next);
        is_greedy = false;
      }
    }
    if (all.empty() && !greedy) return close(beam);  // nothing may follow: the prefix stays
    const size_t looked_at = std::min(2 * width, all.size());  // at most `width` of these are <eos>
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(looked_at), all.end(),
                      [](const Continuation& a, const Continuation& b) {
                        return a.log_p != b.log_p ? a.log_p > b.log_p : a.place < b.place;
                      });

    for (size_t rank = 0; rank < std::min(width, looked_at); ++rank)
      if (all[rank].token == eos_id) finish(beam, all[rank], length);
    if (greedy && greedy->token == eos_id) finish(beam, *greedy, length);

    std::vector<Prefix> live;
    const auto follow = [&](const Continuation& c) {
      if (c.token == eos_id || !can_win(beam, c.log_p, length)) return;
      live.push_back({beam.live[c.prefix].tokens, c.log_p, c.is_greedy});
      live.back().tokens.push_back(c.token);
      rows.push_back(first + static_cast<int64_t>(c.prefix));
      if (c.is_greedy) greedy.reset();
    };
    for (size_t rank = 0; rank < looked_at && live.size() < width; ++rank) follow(all[rank]);
    beam.size = live.size();
    if (greedy) follow(*greedy);
    beam.live = std::move(live);
    if (beam.live.empty()) close(beam);
  }

  // A sentence that ends. Greedy decoding's may come twice: from the beam and by itself.
  void finish(Beam& beam, const Continuation& c, int64_t length) const {
    const double score = c.log_p / penalty(length);
    const Sentence& tokens = beam.live[c.prefix].tokens;
    std::vector<Hypothesis>& best = beam.best;
    const auto same = [&](const Hypothesis& h) { return h.tokens == tokens; };
    if (is_full(beam) && !(score > best.back().score)) return;
    if (std::any_of(best.begin(), best.end(), same)) return;
    if (is_full(beam)) best.pop_back();
    const auto worse = [&](const Hypothesis& h) { return h.score < score; };
    best.insert(std::find_if(best.begin(), best.end(), worse), {tokens, c.log_p, score});
  }
  bool is_full(const Beam& beam) const {
    return static_cast<int64_t>(beam.best.size()) == options_.n_best;
  }

  // Whether a prefix of `length` tokens can still become one of the n_best sentences, at best if
  // all further tokens have probability 1. The search ends when no prefix can. Of two prefixes the
  // likelier can if the other can, so no prefix takes a better one's place in the beam.
  bool can_win(const Beam& beam, double log_p, int64_t length) const {
    const int64_t best_length = options_.length_penalty >= 0 ? options_.max_length : length + 1;
    return !is_full(beam) || log_p / penalty(best_length) > beam.best.back().score;
  }

  double penalty(int64_t length) const {
    return std::pow(static_cast<double>(length), options_.length_penalty);
  }

  // The beam's result: its finished sentences; if those are too few, also the likeliest prefixes,
  // cut off at max_length.
  void close(Beam& beam) {
    const auto likelier = [](const Prefix& a, const Prefix& b) { return a.log_p > b.log_p; };
    std::stable_sort(beam.live.begin(), beam.live.end(), likelier);  // greedy's was the last
    for (Prefix& prefix : beam.live) {
      if (is_full(beam)) break;
      const auto length = std::max<int64_t>(1, static_cast<int64_t>(prefix.tokens.size()));
      beam.best.push_back({std::move(prefix.tokens), prefix.log_p, prefix.log_p / penalty(length)});
    }
    if (beam.best.empty()) beam.best.emplace_back();
    results_[beam.sentence] = std::move(beam.best);
    beam.live.clear();
  }

  const DecodeOptions& options_;
  std::vector<std::vector<Hypothesis>> results_;
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

Unknown unknown_words(const std::string& name) {
  if (name == "ban") return Unknown::ban;
  if (name == "copy") return Unknown::copy;
  SLOPE_CHECK_AS(UsageError, name == "write", "--unk {}: choose write, ban or copy",
                 quoted_if_empty(name));
  return Unknown::write;
}

std::vector<std::vector<Hypothesis>> decode_n_best(const StartDecoding& start,
                                                   const std::vector<Sentence>& sources,
                                                   const DecodeOptions& options) {
  SLOPE_CHECK_AS(UsageError, options.beam >= 1 && options.beam <= 1 << 20,
                 "decode: beam must be from 1 to {}, got {}", 1 << 20, options.beam);
  SLOPE_CHECK_AS(UsageError, options.n_best >= 1 && options.n_best <= options.beam,
                 "decode: n_best must be from 1 to beam, {}, got {}", options.beam, options.n_best);
  SLOPE_CHECK_AS(UsageError, options.max_length >= 1,
                 "decode: max_length must be at least 1, got {}", options.max_length);
  SLOPE_CHECK_AS(UsageError, static_cast<int64_t>(options.prefix.size()) < options.max_length,
                 "decode: the prefix has {} tokens, max_length leaves room for {}",
                 options.prefix.size(), options.max_length - 1);
  SLOPE_CHECK_AS(UsageError, options.batch_size >= 1,
                 "decode: batch_size must be at least 1, got {}", options.batch_size);
  SLOPE_CHECK_AS(UsageError, std::isfinite(options.length_penalty),
                 "decode: length_penalty must be finite, got {}", options.length_penalty);
  const NoGrad no_grad;
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sources[a].size() < sources[b].size(); });
  std::vector<std::vector<Hypothesis>> results(sources.size());
  const int64_t prefixes = std::max(options.batch_size, most_prefixes),
                fitting = std::max<int64_t>(1, prefixes / options.beam);
  const auto batch = static_cast<size_t>(std::min(options.batch_size, fitting));
  for (size_t first = 0; first < order.size(); first += batch) {
    const std::span rows(order.data() + first, std::min(batch, order.size() - first));
    auto found = Search(start, padded(sources, rows), options).run();
    for (size_t i = 0; i < rows.size(); ++i) results[rows[i]] = std::move(found[i]);
  }
  return results;
}

std::vector<Sentence> decode(const StartDecoding& start, const std::vector<Sentence>& sources,
                             const DecodeOptions& options) {
  std::vector<Sentence> best;
  for (auto& hypotheses : decode_n_best(start, sources, options))
    best.push_back(std::move(hypotheses.at(0).tokens));
  return best;
}

}  // namespace slope::train
