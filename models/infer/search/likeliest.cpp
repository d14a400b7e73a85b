#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/reduce/reduce.h>
#include <slope/core/loops/parallel.h>
#include <slope/models/data/vocab.h>
#include <slope/models/infer/search/likeliest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace slope::train {

namespace {

using data::eos_id, data::pad_id, data::sos_id, data::unk_id;

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

// log sum exp(logits - top): with it, log p(token) = its logit - top - log_sum
template <class T>
double log_sum(const T* logits, int64_t V, T top) {
  double sum = 0;
  for (int64_t v = 0; v < V; ++v)
    sum += std::exp(static_cast<double>(logits[v]) - static_cast<double>(top));
  return std::log(sum);
}

// The k most likely tokens of a row of logits, the most likely first; of equal ones the lower id.
template <class T>
Candidates likeliest_of_row(const T* logits, int64_t V, int64_t k, const TokenChoice& choice) {
  const T top = highest(logits, V);
  std::vector<int64_t> best;  // so far, in that order
  for (int64_t v = 0; v < V; ++v) {
    const bool is_full = static_cast<int64_t>(best.size()) == k;
    if ((is_full && !(logits[v] > logits[best.back()])) || !may_be_written(v, choice.ban_unk))
      continue;
    if (is_full) best.pop_back();
    best.insert(std::upper_bound(best.begin(), best.end(), v,
                                 [&](int64_t a, int64_t b) { return logits[a] > logits[b]; }),
                v);
  }
  if (k == 1 && !choice.log_p) return {{best[0], 0}};
  const double sum = log_sum(logits, V, top);
  Candidates candidates;
  for (const int64_t token : best)
    if (logits[token] > -INFINITY || k == 1)
      candidates.push_back(
          {token, static_cast<double>(logits[token]) - static_cast<double>(top) - sum});
  return candidates;
}

// Calls candidates_of(row of logits, V) for each row.
template <class F>
std::vector<Candidates> of_each_row(const Tensor& logits, const F& candidates_of) {
  const std::array<int64_t, 2> shape = logits.dims<2>();
  const int64_t rows = shape[0], V = shape[1];
  SLOPE_CHECK_SHAPE(V > eos_id, "decode: {} tokens do not include <pad>, <unk>, <sos> and <eos>",
                    V);
  const Tensor values = logits.contiguous();
  std::vector<Candidates> all(static_cast<size_t>(rows));
  visit_floating(logits.dtype(), "decode", [&]<class T>() {
    const T* p = values.data<T>();
    parallel_for(rows, std::max<int64_t>(1, 20000 / V), [&, p, V](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        all[static_cast<size_t>(r)] = candidates_of(p + r * V, V);
    });
  });
  return all;
}

}  // namespace

std::vector<Candidates> likeliest_tokens(const Tensor& logits, int64_t k,
                                         const TokenChoice& choice) {
  return of_each_row(logits, [&]<class T>(const T* row, int64_t V) {
    return likeliest_of_row(row, V, k, choice);
  });
}

std::vector<Candidates> given_token(const Tensor& logits, int64_t token) {
  return of_each_row(logits, [&]<class T>(const T* row, int64_t V) {
    SLOPE_CHECK_INDEX(token >= 0 && token < V, "decode: prefix token {} is none of the model's {}",
                      token, V);
    const T top = highest(row, V);
    return Candidates{
        {token, static_cast<double>(row[token]) - static_cast<double>(top) - log_sum(row, V, top)}};
  });
}

}  // namespace slope::train
