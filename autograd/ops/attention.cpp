// Scaled dot-product attention (Vaswani et al., 2017) for every leading index (batch, head):
//   p = softmax(scale q k^T) over what the mask and causality let a row see, o = dropout(p) v;   derivative: core/kernels/attention.cpp
// A tile is one head and at most 48 of its rows; scores live in the tile alone, backward makes them again from each row's largest score and
// sum. A row that sees nothing gives 0 and takes no gradient; what is masked is never read into a result or
// gradient, not even nan; second derivatives, through the reference, are without that guarantee.
#include <slope/autograd/ops/dropout.h>
#include <slope/autograd/ops/rows.h>
#include <slope/core/kernels/attention.h>

#include <cmath>
#include <numeric>

namespace slope {

namespace {

constexpr const char* op_name = "scaled_dot_product_attention";

// ---- shapes and strides

struct Sizes {
  Dims leading;
  int64_t heads, L, S, D, E;
  Sizes(const Tensor& q, const Tensor& k, const Tensor& v)
      : leading(q.shape().begin(), q.shape().end() - 2),
        heads(numel(leading)),
        L(q.size(-2)),
        S(k.size(-2)),
        D(q.size(-1)),
        E(v.size(-1)) {}
  Dims with(int64_t rows_, int64_t cols) const {
    Dims shape = leading;
    shape.push_back(rows_);
    shape.push_back(cols);
    return shape;
  }
  int64_t tile() const { return std::min(L, std::clamp<int64_t>(65536 / std::max<int64_t>(S, 1) / 12 * 12, 12, 48)); }  // rows
  int64_t heads_per_chunk() const { return std::max<int64_t>(1, 200000 / std::max<int64_t>(1, L * S * (D + E))); }
  // A few heads with many rows are cut, so that there is work for many threads: each part packs the keys and values again.
  int64_t parts() const { return std::max<int64_t>(1, std::min(16 / std::max<int64_t>(heads, 1), L / 48)); }
};

// The (row, column) matrix of head h within a layout of shape leading + (rows, columns).
template <class T>
HeadMatrix<T> matrix_of(T* data, const Layout& layout, int64_t h) {
  const size_t rank = layout.shape.size();
  int64_t offset = 0;
  for (size_t d = rank - 2; d-- > 0; h /= layout.shape[d]) offset += h % layout.shape[d] * layout.strides[d];
  return {data + offset, layout.strides[rank - 2], layout.strides[rank - 1]};
}

// A new tensor whose dims lie in memory in the order of `like`: the heads of a (B, L, H, D) projection come out where the next one wants
// them.
Tensor empty_in_order_of(const Dims& shape, const Tensor& like) {
  const size_t rank = shape.size();
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t d = 0; d < rank; ++d)
    if (like.strides()[d] == 0 && like.shape()[d] != 1) return Tensor::empty(shape, like.dtype());
  std::stable_sort(order.begin(), order.end() - 1, [&](size_t a, size_t b) { return like.strides()[a] > like.strides()[b]; });
  Dims ordered, back(rank);
  for (size_t d = 0; d < rank; ++d) ordered.push_back(shape[order[d]]), back[order[d]] = static_cast<int64_t>(d);
  const Tensor x = Tensor::empty(ordered, like.dtype());
  return Tensor(x.storage(), x.layout().permute(back), x.dtype());
}

Layout mask_layout(const Tensor& mask, const Sizes& n) { return mask.layout().broadcast_to(n.with(n.L, n.S)); }

template <class T>
struct Heads {
  Sizes n;
  const Tensor &q, &k, &v, &mask;
  bool causal;
  double scale;
  std::optional<Keep> keep;
  Layout mask_at = mask.defined() ? mask_layout(mask, n) : Layout{};

  AttentionHead<T> operator()(int64_t h) const {
    HeadMatrix<const bool> allowed;
    if (mask.defined()) allowed = matrix_of(mask.data<bool>(), mask_at, h);
    return {n.L,
            n.S,
            n.D,
            n.E,
            matrix_of(q.data<T>(), q.layout(), h),
            matrix_of(k.data<T>(), k.layout(), h),
            matrix_of(v.data<T>(), v.layout(), h),
            allowed,
            causal,
            static_cast<T>(scale),
            keep ? &*keep : nullptr,
            h * n.L * n.S};
  }
  void fetch(const AttentionKernels<T>& run, int64_t h) const {  // into the cache
    run.fetch(matrix_of(q.data<T>(), q.layout(), h), n.L, n.D);
    run.fetch(matrix_of(k.data<T>(), k.layout(), h), n.S, n.D);
    run.fetch(matrix_of(v.data<T>(), v.layout(), h), n.S, n.E);
  }
};

// ---- derivative

// The same in differentiable operations; a large negative score instead of -inf, so that a row that sees nothing has no nan on its way to
// 0.
Tensors reference(const Saved& s) {
  const Tensor q = s.input(0), k = s.input(1), v = s.input(2);
  const Sizes n(q, k, v);
  Tensor w = matmul(q, k.transpose(-2, -1)) * s.number("scale");
  Tensor allowed = s.integer("mask") ? s.input(3) : Tensor();
  if (s.integer("causal")) {
    const Tensor below = arange(n.S) <= (arange(n.L) + static_cast<double>(n.S - n.L)).unsqueeze(-1);
    allowed = allowed.defined() ? logical_and(allowed, below) : below;
  }
  if (allowed.defined()) {
    const Tensor hidden = !allowed;
    w = masked_fill(softmax(masked_fill(w, hidden, -1e30), -1), hidden, 0);
  } else {
    w = softmax(w, -1);
  }
  const double p = s.number("dropout");
  const Tensor o = matmul(p > 0 ? dropout_at(w, p, to_site(s.dims("site"))) : w, v);
  return s.integer("weights") ? Tensors{o, w} : Tensors{o};
}

Grads kernel(const Saved& s, const Tensor&) {
  const Tensor q = s.input(0), k = s.input(1), v = s.input(2), mask = s.integer("mask") ? s.input(3) : Tensor(), max = s.extra(0),
               inverse = s.extra(1);
  const Tensor g = s.grad_or_zeros(0), gw = s.integer("weights") ? s.grad(1) : Tensor();
  const Sizes n(q, k, v);
  const auto like = [&](int i, const Tensor& x) {
    return !s.needs(i) ? Tensor() : n.L == 0 || n.S == 0 ? zeros(x.shape(), x.dtype()) : empty_in_order_of(x.shape(), x);
  };
  const Tensor dq = like(0, q), dk = like(1, k), dv = s.grad(0).defined() ? like(2, v) : Tensor();
  if (n.L == 0 || n.S == 0) return Grads{dq, dk, dv, Tensor()};
  const double p = s.number("dropout");
  visit_floating(q.dtype(), op_name, [&]<class T> {
    const Heads<T> heads{n,
                         q,
                         k,
                         v,
                         mask,
                         s.integer("causal") != 0,
                         s.number("scale"),
                         p > 0 ? std::optional(keep_for(p, to_site(s.dims("site")))) : std::nullopt};
    const T *pg = g.data<T>(), *pgw = gw.defined() ? gw.data<T>() : nullptr, *pm = max.data<T>(), *pi = inverse.data<T>();
    const auto target = [](const Tensor& x) { return x.defined() ? static_cast<T*>(x.write<T>()) : nullptr; };
    T *pq = target(dq), *pk = target(dk), *pv = target(dv);
    const auto part = [](T* data, const Tensor& x, int64_t h) { return data ? matrix_of(data, x.layout(), h) : HeadMatrix<T>{}; };
    const auto& run = kernels<AttentionKernels<T>>();
    parallel_for(n.heads, n.heads_per_chunk(), [&](int64_t first, int64_t last) {
      const Tensor scratch = Tensor::empty({run.scratch(n.tile(), n.S, n.D, n.E)}, dtype_of<T>);
      T* memory = scratch.write<T>();
      for (int64_t h = first; h < last; ++h) {
        if (h + 1 < last) heads.fetch(run, h + 1), run.fetch(matrix_of(pg, g.layout(), h + 1), n.L, n.E);
        run.backward(heads(h), n.tile(), matrix_of(pg, g.layout(), h), pgw ? matrix_of(pgw, gw.layout(), h) : HeadMatrix<const T>{},
                     pm + h * n.L, pi + h * n.L, part(pq, dq, h), part(pk, dk, h), part(pv, dv, h), memory);
      }
    });
  });
  return Grads{dq, dk, dv, Tensor()};
}

}  // namespace

namespace ops {
extern const Op scaled_dot_product_attention{.name = op_name,
                                             .signature = "(*, L, D), (*, S, D), (*, S, E), (*, L, S) -> (*, L, E)",
                                             .saves = saves_inputs,
                                             .kernel = kernel,
                                             .reference = reference};
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
  SLOPE_CHECK_SHAPE(fits(), "{}: needs q (*, L, D), k (*, S, D), v (*, S, E) with equal leading dims; got {}, {}, {}", op_name, q.shape(),
                    k.shape(), v.shape());
  SLOPE_CHECK_DTYPE(is_floating(q.dtype()) && k.dtype() == q.dtype() && v.dtype() == q.dtype(),
                    "{}: q, k, v must be float32 or all float64, got {}, {}, {}", op_name, name(q.dtype()), name(k.dtype()),
                    name(v.dtype()));
  if (const Tensor& mask = options.mask; mask.defined()) {
    const Sizes n(q, k, v);
    SLOPE_CHECK_DTYPE(mask.dtype() == boolean, "{}: the mask is bool, true where attention may go; got {}", op_name, name(mask.dtype()));
    SLOPE_CHECK_SHAPE(broadcasts_to(mask.shape(), n.with(n.L, n.S)), "{}: the mask {} does not broadcast to {}", op_name, mask.shape(),
                      n.with(n.L, n.S));
  }
  check_probability(op_name, options.dropout);
}

Tensors forward(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options, bool with_weights) {
  check(q, k, v, options);
  const Sizes n(q, k, v);
  const double scale = options.scale.value_or(n.D == 0 ? 1 : 1 / std::sqrt(static_cast<double>(n.D)));
  const RandomSite site = options.dropout > 0 ? generator().next_site() : RandomSite{};
  const Tensor o = empty_in_order_of(n.with(n.L, n.E), q), max = Tensor::empty({n.heads * n.L}, q.dtype()),
               inverse = Tensor::empty({n.heads * n.L}, q.dtype());
  const Tensor weights = with_weights ? Tensor::empty(n.with(n.L, n.S), q.dtype()) : Tensor();
  visit_floating(q.dtype(), op_name, [&]<class T> {
    const Heads<T> heads{n,
                         q,
                         k,
                         v,
                         options.mask,
                         options.causal,
                         scale,
                         options.dropout > 0 ? std::optional(keep_for(options.dropout, site)) : std::nullopt};
    T *po = o.write<T>(), *pm = max.write<T>(), *pi = inverse.write<T>(),
      *pw = with_weights ? static_cast<T*>(weights.write<T>()) : nullptr;
    const auto& run = kernels<AttentionKernels<T>>();
    const int64_t parts = n.parts(), rows = (n.L + parts - 1) / parts;
    parallel_for(n.heads * parts, n.heads_per_chunk(), [&](int64_t first, int64_t last) {
      const Tensor scratch = Tensor::empty({run.scratch(n.tile(), n.S, n.D, n.E)}, dtype_of<T>);
      T* memory = scratch.write<T>();
      for (int64_t part = first; part < last; ++part) {
        const int64_t h = part / parts, begin = part % parts * rows;
        if (parts == 1 && h + 1 < last) heads.fetch(run, h + 1);
        if (begin < n.L)
          run.forward(heads(h), begin, std::min(n.L, begin + rows), n.tile(), matrix_of(po, o.layout(), h), pm + h * n.L, pi + h * n.L,
                      pw ? pw + h * n.L * n.S : nullptr, memory);
      }
    });
  });
  Attributes attributes{{"scale", scale},
                        {"causal", int64_t{options.causal}},
                        {"mask", int64_t{options.mask.defined()}},
                        {"weights", int64_t{with_weights}},
                        {"dropout", options.dropout},
                        {"site", to_dims(site)}};
  return ops::scaled_dot_product_attention.record(with_weights ? Tensors{o, weights} : Tensors{o}, Tensors{q, k, v, options.mask},
                                                  std::move(attributes), {max, inverse});
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  return forward(q, k, v, options, false)[0];
}

AttentionOutput scaled_dot_product_attention_with_weights(const Tensor& q, const Tensor& k, const Tensor& v,
                                                          const AttentionOptions& options) {
  const Tensors y = forward(q, k, v, options, true);
  return {y[0], y[1]};
}

}  // namespace slope
