// Losses with margins, and distances. max(0, x) is relu(x), with derivative 0 at 0, or
// clamp(x, 0, {}), with derivative 1 there: each loss follows PyTorch's choice.
#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/losses.h>

#include <cmath>

namespace slope::nn {

Tensor margin_ranking_loss(const Tensor& a, const Tensor& b, const Tensor& t,
                           const MarginOptions& options) {
  detail::check_broadcast("margin_ranking_loss", {a.shape(), b.shape(), t.shape()});
  return reduce_loss(clamp(options.margin - t * (a - b), 0, {}), options.reduction);
}

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& t,
                            const HingeEmbeddingOptions& options) {
  detail::check_broadcast("hinge_embedding_loss", {x.shape(), t.shape()});
  const Tensor dissimilar = clamp(options.margin - x, 0, {}),
               loss = masked_fill(x, t == -1, 0) + masked_fill(dissimilar, t == 1, 0);
  return reduce_loss(loss, options.reduction);
}

Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& t,
                             const MarginOptions& options) {
  SLOPE_CHECK_SHAPE(a.shape() == b.shape() && a.rank() == t.rank() + 1 && t.rank() <= 1 &&
                        (t.rank() == 0 || t.size(0) == a.size(0)),
                    "cosine_embedding_loss: needs a, b (N, D) and t (N), or a, b (D) and t (); got "
                    "{}, {}, {}",
                    a.shape(), b.shape(), t.shape());
  constexpr double eps = 1e-12;
  const Tensor squares = (sum(a * a, {-1}) + eps) * (sum(b * b, {-1}) + eps),
               cos = sum(a * b, {-1}) / sqrt(squares), similar = 1 - cos,
               dissimilar = clamp(cos - options.margin, 0, {});
  return reduce_loss(masked_fill(similar, t != 1, 0) + masked_fill(dissimilar, t != -1, 0),
                     options.reduction);
}

Tensor soft_margin_loss(const Tensor& x, const Tensor& t, Reduction reduction) {
  detail::check_broadcast("soft_margin_loss", {x.shape(), t.shape()});
  return reduce_loss(softplus(-(t * x)), reduction);
}

namespace {

// (N, C), or (C) as (1, C)
Tensor as_rows(const char* op, const Tensor& x) {
  SLOPE_CHECK_SHAPE(x.rank() == 1 || x.rank() == 2, "{}: scores must be (N, C) or (C), got {}", op,
                    x.shape());
  return x.rank() == 1 ? x.unsqueeze(0) : x;
}

}  // namespace

Tensor multi_margin_loss(const Tensor& scores, const Tensor& target,
                         const MultiMarginOptions& options) {
  const char* op = "multi_margin_loss";
  const Tensor x = as_rows(op, scores);
  const int64_t N = x.size(0), C = x.size(1);
  SLOPE_CHECK(options.p == 1 || options.p == 2, "{}: p must be 1 or 2, got {}", op, options.p);
  SLOPE_CHECK_SHAPE(target.numel() == N && target.rank() <= 1,
                    "{}: {} rows of scores need a target each, got targets of shape {}", op, N,
                    target.shape());
  detail::check_vector(op, "weight", options.weight, C, x);
  detail::check_classes(op, target, 0, C);
  const Tensor t = target.reshape({N, 1}), z = relu(options.margin - gather(x, 1, t) + x),
               others = masked_fill(options.p == 1 ? z : z * z, arange(C) == t, 0);
  Tensor loss = sum(others, {1}) / static_cast<double>(C);
  if (options.weight.defined()) loss = index_select(options.weight, 0, t.reshape({N})) * loss;
  return reduce_loss(scores.rank() == 1 ? loss.reshape({}) : loss, options.reduction);
}

Tensor multilabel_margin_loss(const Tensor& scores, const Tensor& target, Reduction reduction) {
  const char* op = "multilabel_margin_loss";
  SLOPE_CHECK_SHAPE(scores.shape() == target.shape(),
                    "{}: scores and targets must have the same shape, got {} and {}", op,
                    scores.shape(), target.shape());
  const Tensor x = as_rows(op, scores), t = as_rows(op, target);
  const int64_t C = x.size(1);
  detail::check_classes(op, t, -1, C);
  // (N, C): a negative target here or before ended the row's list
  const Tensor ended = cumsum(to(t < 0, i64), 1) > 0;
  const Tensor classes = masked_fill(t, ended, 0);
  const Tensor hits = logical_and(classes.unsqueeze(-1) == arange(C), (!ended).unsqueeze(-1));
  // (N, 1, C): class i is a target of the row
  const Tensor is_target = sum(hits, {1}, keepdim) > 0;
  // (N, C, C): by the row's j-th target and class i
  const Tensor z = relu(1 - gather(x, 1, classes).unsqueeze(-1) + x.unsqueeze(1)),
               loss = sum(masked_fill(z, logical_or(ended.unsqueeze(-1), is_target), 0), {1, 2}) /
                      static_cast<double>(C);
  return reduce_loss(scores.rank() == 1 ? loss.reshape({}) : loss, reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginOptions& options) {
  detail::check_broadcast("triplet_margin_loss",
                          {anchor.shape(), positive.shape(), negative.shape()});
  return triplet_margin_with_distance_loss(anchor, positive, negative,
                                           {.reduction = options.reduction,
                                            .distance_function =
                                                [&](const Tensor& a, const Tensor& b) {
                                                  return pairwise_distance(a, b, options.p,
                                                                           options.eps);
                                                },
                                            .margin = options.margin,
                                            .swap = options.swap});
}

Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                         const Tensor& negative,
                                         const TripletDistanceOptions& options) {
  if (!options.distance_function)
    detail::check_broadcast("triplet_margin_with_distance_loss",
                            {anchor.shape(), positive.shape(), negative.shape()});
  const auto d = [&](const Tensor& a, const Tensor& b) {
    return options.distance_function ? options.distance_function(a, b) : pairwise_distance(a, b);
  };
  Tensor to_negative = d(anchor, negative);
  if (options.swap) to_negative = minimum(to_negative, d(positive, negative));
  return reduce_loss(clamp(options.margin + d(anchor, positive) - to_negative, 0, {}),
                     options.reduction);
}

namespace {

constexpr Definition largest_definition{"y = max |x|, over the last dim",
                                        "dx = g sign x where |x| = y, else 0"};
Grads largest_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input(), y = s.output().unsqueeze(-1);
  return {masked_fill(g.unsqueeze(-1) * sign(x), abs(x.detach()) != y, 0)};
}
// An operation of its own: in pdist, unlike norm, elements that tie get the whole g each, as in
// PyTorch.
constexpr Op largest{.name = "largest_magnitude",
                     .signature = "(*) -> (*)",
                     .definition = largest_definition,
                     .saves = saves_input(0) | saves_output,
                     .formula = largest_formula};

}  // namespace

Tensor pdist(const Tensor& x, double p) {
  SLOPE_CHECK_SHAPE(x.rank() == 2, "pdist: needs (N, D), got {}", x.shape());
  std::vector<int64_t> first, second;
  for (int64_t i = 0; i < x.size(0); ++i)
    for (int64_t j = i + 1; j < x.size(0); ++j) first.push_back(i), second.push_back(j);
  const auto rows = [&](const std::vector<int64_t>& of) {
    return index_select(x, 0, from_vector(of, {static_cast<int64_t>(of.size())}));
  };
  const Tensor d = rows(first) - rows(second);
  if (!std::isinf(p) || d.numel() == 0) return norm(d, p, {1});
  return largest.record(norm(d.detach(), p, {1}), {d});
}

Tensor pairwise_distance(const Tensor& a, const Tensor& b, double p, double eps, bool keep) {
  detail::check_broadcast("pairwise_distance", {a.shape(), b.shape()});
  return norm(a - b + eps, p, {-1}, keep);
}

Tensor cosine_similarity(const Tensor& a, const Tensor& b, int64_t dim, double eps) {
  const Dims shape = broadcast_shapes(a.shape(), b.shape(), "cosine_similarity");
  const auto d =
      static_cast<size_t>(wrap_dim(dim, static_cast<int64_t>(shape.size()), "cosine_similarity"));
  const auto unit = [&](const Tensor& x) {  // expanded along dim only: the product broadcasts
    Dims to(shape.size() - x.shape().size(), 1);
    for (const int64_t size : x.shape()) to.push_back(size);
    if (!to.empty()) to[d] = shape[d];
    const Tensor xe = x.shape() == to ? x : x.expand(to),
                 n = norm(xe, 2, {static_cast<int64_t>(d)}, keepdim);
    return xe / (n + relu(eps - n.detach()));  // max(n, eps), derivative 1 below eps too
  };
  return sum(unit(a) * unit(b), {static_cast<int64_t>(d)});
}

Tensor normalize(const Tensor& x, double p, int64_t dim, double eps) {
  check_floating(x.dtype(), "normalize");
  dim = wrap_dim(dim, x.rank(), "normalize");
  return x / clamp(norm(x, p, {dim}, keepdim), eps, {});
}

}  // namespace slope::nn
