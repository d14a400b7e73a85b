// Scaled dot-product attention (Vaswani et al., 2017) for every leading index (batch, head), in
// tiles of at most 64 rows of scores; the (L, S) weights are stored only if asked for. Forward
// saves each row's largest score and 1 / sum exp(score - largest); with these two numbers backward
// turns the recomputed scores into the weights; under Autocast(bf16), which may round these scores
// differently, backward computes both numbers from them. A row that may attend to nothing gives 0
// and gets no gradient. Values at masked positions, even nan, reach no result or gradient.
//
// In this code a "head" is one leading index of one sequence. A thread computes all its rows or, in
// forward, part of them.
#include <slope/autograd/ops/attention/attention_heads.h>
#include <slope/autograd/ops/attention/pair_products.h>
#include <slope/autograd/ops/elementwise/dropout.h>
#include <slope/autograd/ops/reduce/rows.h>
#include <slope/autograd/ops/shape/dim_order.h>
#include <slope/core/loops/copy.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

constexpr const char* op_name = "scaled_dot_product_attention";

// ---- reference and backward

// Attention within one sequence in differentiable operations: the output (*, L, E) and the weights
// (*, L, S) before dropout. `keep` (*, L, S) multiplies the weights: 0 or 1 / (1 - p). If all
// scores of a row are -inf, its softmax would be nan: such a row gets scores of 0 before the
// softmax and weights of 0 after it.
Tensors reference_of(const Tensor& q, const Tensor& k, const Tensor& v, Tensor allowed, bool causal,
                     double scale, const Tensor& keep) {
  const int64_t L = q.size(-2), S = k.size(-2);
  if (causal) {
    const Tensor below = arange(S) <= (arange(L) + static_cast<double>(S - L)).unsqueeze(-1);
    allowed = allowed.defined() ? logical_and(allowed, below) : below;
  }
  const PairProducts products(q, k, v, allowed);
  Tensor scores = products.scores() * scale, w;
  const Tensor is_minus_inf = scores.detach() == -INFINITY,
               hidden = allowed.defined() ? logical_or(!allowed, is_minus_inf) : is_minus_inf;
  if (any(hidden)) {
    const Tensor empty = S == 0 ? hidden : amin(hidden, {-1}, keepdim);
    scores = masked_fill(masked_fill(scores, hidden, -INFINITY), empty, 0);
    w = masked_fill(softmax(scores, -1), hidden, 0);
  } else {
    w = softmax(scores, -1);
  }
  return {products.output(keep.defined() ? w * keep : w), w};
}

Tensor lengths_or_none(const Saved& s, int i) {
  return s.integer("sequences") ? s.extra(i) : Tensor();
}

Tensors attention_reference(const Saved& s) {
  const Autocast exact(f32);  // most heads are too small for the kernels that round to bf16
  const Tensor q = s.input(0), k = s.input(1), v = s.input(2);
  const AttentionSizes n(q, k, v, lengths_or_none(s, 2), lengths_or_none(s, 3));
  const double p = s.number("dropout");
  const Tensor all_keep = p > 0 ? dropout_at(ones({n.indices * n.weights()}, q.dtype()), p,
                                             to_site(s.dims("site")))
                                : Tensor(),
               mask = s.integer("has_mask") ? s.input(3).expand(n.with(n.L, n.S)) : Tensor();
  Tensors outputs, weights;  // of each sequence; weights over all S keys
  for (const AttentionSequence& one : n.sequences) {
    const auto rows = [&](const Tensor& x) { return x.narrow(-2, one.first_row, one.L); };
    const auto keys = [&](const Tensor& x, int dim) { return x.narrow(dim, one.first_key, one.S); };
    const Dims shape = n.with(one.L, one.S);
    const Tensor keep =
        p > 0 ? all_keep.narrow(0, one.first_weight * n.indices, numel(shape)).reshape(shape)
              : Tensor();
    const Tensors y = reference_of(rows(q), keys(k, -2), keys(v, -2),
                                   mask.defined() ? keys(rows(mask), -1) : mask,
                                   s.integer("causal") != 0, s.number("scale"), keep);
    outputs.push_back(y[0]);
    const auto nothing = [&](int64_t columns) { return zeros(n.with(one.L, columns), q.dtype()); };
    if (s.integer("gives_weights"))
      weights.push_back(
          cat({nothing(one.first_key), y[1], nothing(n.S - one.first_key - one.S)}, -1));
  }
  return s.integer("gives_weights") ? Tensors{cat(outputs, -2), cat(weights, -2)}
                                    : Tensors{cat(outputs, -2)};
}

Grads attention_backward(const Saved& s, const Tensor&) {
  const bool of_output = s.grad(0).defined();  // or of the weights alone, which do not depend on v
  const Tensor q = s.kept_input(0), k = s.kept_input(1),
               v = of_output ? s.kept_input(2) : zeros_like(s.kept_input(2)),
               mask = s.integer("has_mask") ? s.input(3) : Tensor(), max = s.extra(0),
               inverse_sum = s.extra(1);
  const Tensor g = s.grad_or_zeros(0), gw = s.integer("gives_weights") ? s.grad(1) : Tensor();
  const AttentionSizes n(q, k, v, lengths_or_none(s, 2), lengths_or_none(s, 3));
  const bool some_empty =
      std::any_of(n.sequences.begin(), n.sequences.end(),
                  [](const AttentionSequence& x) { return x.L == 0 || x.S == 0; });
  const Tensors d =  // dv is 0 without g
      s.targets_like({q, k, of_output ? v : Tensor()}, g.dtype());
  const Tensor &dq = d[0], &dk = d[1], &dv = d[2];
  for (const Tensor& x : d)
    if (some_empty && x.defined()) fill(x, 0);  // the loop skips such sequences
  const double p = s.number("dropout");
  visit_floating(g.dtype(), op_name, [&]<class T> {
    const AttentionHeads<T> heads{
        n,
        q,
        k,
        v,
        mask,
        s.integer("causal") != 0,
        s.number("scale"),
        p > 0 ? std::optional(keep_for(p, to_site(s.dims("site")))) : std::nullopt};
    const T *pg = g.data<T>(), *pgw = gw.defined() ? gw.data<T>() : nullptr, *pm = max.data<T>(),
            *pi = inverse_sum.data<T>();
    const bool own_statistics = autocast_dtype() == bf16;
    const auto target = [](const Tensor& x) {
      return x.defined() ? static_cast<T*>(x.write<T>()) : nullptr;
    };
    T *pq = target(dq), *pk = target(dk), *pv = target(dv);
    const auto of_keys = [&](T* data, const Tensor& x, int64_t h) {
      return data ? heads.of_keys(data, x.layout(), h) : StridedMatrix<T>{};
    };
    const AttentionChoice<T> choice;
    const int64_t scratch_size = choice.scratch(heads, &AttentionKernels<T>::backward_scratch),
                  widened = heads.widened_size();
    parallel_for(n.heads(), n.heads_per_chunk(), [&](int64_t first, int64_t last) {
      const Tensor scratch = Tensor::empty({widened + scratch_size}, dtype_of<T>);
      T *wide = scratch.write<T>(), *memory = wide + widened;
      for (int64_t h = first; h < last; ++h) {
        const AttentionSequence& one = n.sequence(h);
        if (one.L == 0 || one.S == 0) continue;
        const auto g_of = [&](int64_t head) { return heads.of_queries(pg, g.layout(), head); };
        const AttentionHead<T> head = heads(h, wide);
        const bool rounded = choice.rounds(head, g_of(h));
        const AttentionKernels<T>& kernel = choice(rounded);
        const auto statistics = [&](const T* all) {
          return own_statistics ? nullptr : all + n.first_statistic(h);
        };
        if (h + 1 < last)
          heads.fetch(kernel, h + 1), kernel.fetch(g_of(h + 1), n.sequence(h + 1).L, n.E);
        kernel.backward(head, heads.tile(h, rounded), g_of(h),
                        pgw ? heads.of_pairs(pgw, gw.layout(), h) : StridedMatrix<const T>{},
                        statistics(pm), statistics(pi),
                        pq ? heads.of_queries(pq, dq.layout(), h) : StridedMatrix<T>{},
                        of_keys(pk, dk, h), of_keys(pv, dv, h), memory);
      }
    });
  });
  return Grads{dq, dk, dv, Tensor()};
}

}  // namespace

namespace ops {
extern const Op scaled_dot_product_attention{
    .name = op_name,
    .signature = "(*, L, D), (*, S, D), (*, S, E), (*)? -> (*, L, E)",
    .definition = {.forward =
                       "s = q k^T,  p = softmax(scale s) over the keys that the mask and causality "
                       "allow,  o = (p m) v,  m: the multipliers of dropout",
                   .derivative = "dv = (p m)^T g,  dp = m (g v^T) + gradient of the weights p,  "
                                 "ds = scale p (dp - rowsum(p dp)),  dq = ds k,  dk = ds^T q"},
    .saves = saves_inputs,
    .rounds = saves_input(0) | saves_input(1) | saves_input(2),
    .kernel = attention_backward,
    .reference = attention_reference};
}

// ---- forward

namespace {

void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  const auto fits = [&] {
    if (q.rank() < 2 || k.rank() != q.rank() || v.rank() != q.rank()) return false;
    for (int64_t d = 0; d + 2 < q.rank(); ++d)
      if (q.size(d) != k.size(d) || q.size(d) != v.size(d)) return false;
    return q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2);
  };
  SLOPE_CHECK_SHAPE(
      fits(),
      "{}: needs q (*, L, D), k (*, S, D), v (*, S, E) with equal leading dims; got {}, {}, {}",
      op_name, q.shape(), k.shape(), v.shape());
  SLOPE_CHECK_DTYPE(is_floating(q.dtype()) && k.dtype() == q.dtype() && v.dtype() == q.dtype(),
                    "{}: q, k and v must be all float32 or all float64, got {}, {}, {}", op_name,
                    name(q.dtype()), name(k.dtype()), name(v.dtype()));
  if (const Tensor& mask = options.mask; mask.defined()) {
    const AttentionSizes n(q, k, v, {}, {});
    SLOPE_CHECK_DTYPE(mask.dtype() == boolean,
                      "{}: the mask must be bool, true where attention is allowed; got {}", op_name,
                      name(mask.dtype()));
    SLOPE_CHECK_SHAPE(broadcasts_to(mask.shape(), n.with(n.L, n.S)),
                      "{}: the mask of shape {} does not broadcast to {}", op_name, mask.shape(),
                      n.with(n.L, n.S));
  }
  check_probability(op_name, options.dropout);
}

void check_lengths(const char* which, const Tensor& lengths, int64_t rows) {
  const std::string what = fmt::format("{}: {}", op_name, which);
  const int64_t sum = packed_rows(what, lengths);
  SLOPE_CHECK_SHAPE(sum == rows, "{} add up to {}, but there are {} rows", what, sum, rows);
}

void check_sequences(const Tensor& q, const Tensor& k, const AttentionOptions& options) {
  const Tensor &ls = options.query_lengths, &ss = options.key_lengths;
  if (!ls.defined() && !ss.defined()) return;
  SLOPE_CHECK(ls.defined() && ss.defined(),
              "{}: query_lengths and key_lengths must be given together", op_name);
  check_lengths("query_lengths", ls, q.size(-2));
  check_lengths("key_lengths", ss, k.size(-2));
  SLOPE_CHECK_SHAPE(
      ls.numel() == ss.numel(),
      "{}: query_lengths and key_lengths must describe the same number of sequences, got {} "
      "and {}",
      op_name, ls.numel(), ss.numel());
}

enum class Returns { output, output_and_weights };

Tensors forward(Returns returns, const Tensor& q, const Tensor& k, const Tensor& v,
                const AttentionOptions& options) {
  const bool with_weights = returns == Returns::output_and_weights;
  check(q, k, v, options);
  check_sequences(q, k, options);
  const auto contiguous_or_none = [](const Tensor& x) { return x.defined() ? x.contiguous() : x; };
  const Tensor lengths = contiguous_or_none(options.query_lengths),
               key_lengths = contiguous_or_none(options.key_lengths);
  const AttentionSizes n(q, k, v, lengths, key_lengths);
  const double scale =
      options.scale.value_or(n.D == 0 ? 1 : 1 / std::sqrt(static_cast<double>(n.D)));
  const RandomSite site = options.dropout > 0 ? generator().next_site() : RandomSite{};
  const Tensor o = empty_in_order_of(n.with(n.L, n.E), q),
               max = Tensor::empty({n.indices * n.L}, q.dtype()),
               inverse_sum = Tensor::empty({n.indices * n.L}, q.dtype());
  const Tensor weights = !with_weights       ? Tensor()
                         : lengths.defined() ? zeros(n.with(n.L, n.S), q.dtype())
                                             : Tensor::empty(n.with(n.L, n.S), q.dtype());
  visit_floating(q.dtype(), op_name, [&]<class T> {
    const AttentionHeads<T> heads{
        n,
        q,
        k,
        v,
        options.mask,
        options.causal,
        scale,
        options.dropout > 0 ? std::optional(keep_for(options.dropout, site)) : std::nullopt};
    T *po = o.write<T>(), *pm = max.write<T>(), *pi = inverse_sum.write<T>(),
      *pw = with_weights ? static_cast<T*>(weights.write<T>()) : nullptr;
    const AttentionChoice<T> choice;
    const int64_t parts = n.parts(),
                  scratch_size = choice.scratch(heads, &AttentionKernels<T>::forward_scratch);
    parallel_for(n.heads() * parts, n.heads_per_chunk(), [&](int64_t first, int64_t last) {
      const Tensor scratch = Tensor::empty({scratch_size}, dtype_of<T>);
      T* memory = scratch.write<T>();
      for (int64_t part = first; part < last; ++part) {
        const int64_t h = part / parts, L = n.sequence(h).L, rows = (L + parts - 1) / parts,
                      begin = part % parts * rows;
        const AttentionHead<T> head = heads(h);
        const bool rounded = choice.rounds(head);
        const AttentionKernels<T>& kernel = choice(rounded);
        if (parts == 1 && h + 1 < last) heads.fetch(kernel, h + 1);
        if (begin < L)
          kernel.forward(head, begin, std::min(L, begin + rows), heads.tile(h, rounded),
                         heads.of_queries(po, o.layout(), h), pm + n.first_statistic(h),
                         pi + n.first_statistic(h),
                         pw ? heads.of_pairs(pw, weights.layout(), h) : StridedMatrix<T>{}, memory);
      }
    });
  });
  Attributes attributes{{"scale", scale},
                        {"causal", int64_t{options.causal}},
                        {"has_mask", int64_t{options.mask.defined()}},
                        {"gives_weights", int64_t{with_weights}},
                        {"sequences", int64_t{lengths.defined()}},
                        {"dropout", options.dropout},
                        {"site", to_dims(site)}};
  return ops::scaled_dot_product_attention.record(
      with_weights ? Tensors{o, weights} : Tensors{o}, Tensors{q, k, v, options.mask},
      std::move(attributes),
      lengths.defined() ? Tensors{max, inverse_sum, lengths, key_lengths}
                        : Tensors{max, inverse_sum});
}

}  // namespace

int64_t packed_rows(std::string_view what, const Tensor& lengths) {
  SLOPE_CHECK_DTYPE(lengths.dtype() == i64, "{}: lengths of sequences must be int64, got {}", what,
                    name(lengths.dtype()));
  SLOPE_CHECK_SHAPE(lengths.rank() == 1, "{}: lengths of sequences must have rank 1, got shape {}",
                    what, lengths.shape());
  const Tensor counts = lengths.contiguous();
  const int64_t* count = counts.data<int64_t>();
  int64_t rows = 0;
  for (int64_t i = 0; i < counts.numel(); ++i) {
    SLOPE_CHECK_SHAPE(count[i] >= 0, "{}: lengths must not be negative, sequence {} has {}", what,
                      i, count[i]);
    SLOPE_CHECK_SHAPE(count[i] <= INT64_MAX - rows,
                      "{}: the sum of the lengths overflows int64 at sequence {} of length {}",
                      what, i, count[i]);
    rows += count[i];
  }
  return rows;
}

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const AttentionOptions& options) {
  return forward(Returns::output, q, k, v, options)[0];
}

AttentionOutput scaled_dot_product_attention_with_weights(const Tensor& q, const Tensor& k,
                                                          const Tensor& v,
                                                          const AttentionOptions& options) {
  const Tensors y = forward(Returns::output_and_weights, q, k, v, options);
  return {y[0], y[1]};
}

}  // namespace slope
