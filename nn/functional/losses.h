// Losses besides those of autograd/ops.h, under the names and with the arguments of
// torch.nn.functional: compositions of operations. x are the predictions, t the targets, which
// broadcast to each other unless a line says otherwise. ShapeError if shapes do not fit.
#pragma once

#include <slope/autograd/ops.h>

#include <functional>

namespace slope::nn {

// the losses of single elements or rows, reduced
[[nodiscard]] Tensor reduce_loss(const Tensor& losses, Reduction reduction);

// ---- of numbers
[[nodiscard]] Tensor l1_loss(const Tensor& x, const Tensor& t,
                             Reduction reduction = Reduction::mean);  // |x - t|
// (x - t)^2 / 2 where |x - t| < delta, else delta (|x - t| - delta / 2) (Huber, 1964)
struct HuberOptions {
  Reduction reduction = Reduction::mean;
  double delta = 1;
};
[[nodiscard]] Tensor huber_loss(const Tensor& x, const Tensor& t, const HuberOptions& options = {});
// (x - t)^2 / 2 beta where |x - t| < beta, else |x - t| - beta / 2: huber_loss with delta = beta,
// divided by beta; l1_loss for beta = 0 (Girshick, 2015)
struct SmoothL1Options {
  Reduction reduction = Reduction::mean;
  double beta = 1;
};
[[nodiscard]] Tensor smooth_l1_loss(const Tensor& x, const Tensor& t,
                                    const SmoothL1Options& options = {});
// x - t log x, or e^x - t x with log_input; `full` adds Stirling's approximation of log t!
struct PoissonNllOptions {
  Reduction reduction = Reduction::mean;
  bool log_input = true, full = false;
  double eps = 1e-8;  // added to x
};
[[nodiscard]] Tensor poisson_nll_loss(const Tensor& x, const Tensor& t,
                                      const PoissonNllOptions& options = {});
// (log v + (x - t)^2 / v) / 2, v = max(var, eps); `full` adds log(2 pi) / 2. var has x's shape, or
// lacks its last dim, or has size 1 there.
struct GaussianNllOptions {
  Reduction reduction = Reduction::mean;
  bool full = false;
  double eps = 1e-6;
};
[[nodiscard]] Tensor gaussian_nll_loss(const Tensor& x, const Tensor& t, const Tensor& var,
                                       const GaussianNllOptions& options = {});

// ---- of classes: scores (N, C, *) with targets (N, *), or scores (C) with one target. Targets are
// class numbers (i64). cross_entropy also takes floating-point targets: probabilities of all
// classes, of the logits' shape and dtype; ignore_index has no effect on these. `weight` (C), one
// per class, may be undefined and gets no gradient. The mean divides by the sum of the targets'
// weights; with probabilities, by the number of positions.
[[nodiscard]] Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                                   const CrossEntropyOptions& options = {});
[[nodiscard]] Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target,
                              const Tensor& weight, const CrossEntropyOptions& options = {});

// ---- of probabilities
// p (log p - log_q), or with log_target e^p (p - log_q)
struct KlDivOptions {
  Reduction reduction = Reduction::mean;
  // the sum divided by log_q.size(0), as KL is defined; overrides `reduction`
  bool batchmean = false;
  bool log_target = false;  // p is given by its logarithm
};
[[nodiscard]] Tensor kl_div(const Tensor& log_q, const Tensor& p, const KlDivOptions& options);
// -t log x - (1 - t) log(1 - x), x and t in [0, 1], t of x's shape; logarithms below -100 count as
// -100, and the derivative divides by no less than 1e-12
struct BceOptions {
  Reduction reduction = Reduction::mean;
  Tensor weight = {};      // of each element, broadcasts to x
  Tensor pos_weight = {};  // of t's term, broadcasts too; only in binary_cross_entropy_with_logits
};
[[nodiscard]] Tensor binary_cross_entropy(const Tensor& x, const Tensor& t,
                                          const BceOptions& options = {});
// binary_cross_entropy of sigmoid(x), computed as in bce_with_logits; t has x's shape
[[nodiscard]] Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& t,
                                                      const BceOptions& options = {});
// (N, C), (N, C): the mean over C of the binary cross entropies of sigmoid(x)
struct WeightedOptions {
  Reduction reduction = Reduction::mean;
  Tensor weight = {};  // (C), or whatever broadcasts to x
};
[[nodiscard]] Tensor multilabel_soft_margin_loss(const Tensor& x, const Tensor& t,
                                                 const WeightedOptions& options = {});

// ---- with margins; t is 1 or -1 unless it is a class
// max(0, margin - t (a - b)): a should be larger where t = 1
struct MarginOptions {
  Reduction reduction = Reduction::mean;
  double margin = 0;
};
[[nodiscard]] Tensor margin_ranking_loss(const Tensor& a, const Tensor& b, const Tensor& t,
                                         const MarginOptions& options = {});
// x where t = 1, max(0, margin - x) where t = -1
struct HingeEmbeddingOptions {
  Reduction reduction = Reduction::mean;
  double margin = 1;
};
[[nodiscard]] Tensor hinge_embedding_loss(const Tensor& x, const Tensor& t,
                                          const HingeEmbeddingOptions& options = {});
// 1 - cos where t = 1, max(0, cos - margin) where t = -1: (N, D), (N, D), (N), or (D), (D), ()
[[nodiscard]] Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& t,
                                           const MarginOptions& options = {});
[[nodiscard]] Tensor soft_margin_loss(const Tensor& x, const Tensor& t,
                                      Reduction reduction = Reduction::mean);  // log(1 + e^(-t x))
// (N, C), classes (N): sum over i != t of w_t max(0, margin - x_t + x_i)^p / C, p is 1 or 2
struct MultiMarginOptions {
  Reduction reduction = Reduction::mean;
  int64_t p = 1;
  double margin = 1;
  Tensor weight = {};  // (C), of x's dtype
};
[[nodiscard]] Tensor multi_margin_loss(const Tensor& x, const Tensor& t,
                                       const MultiMarginOptions& options = {});
// (N, C), (N, C): sum over classes t and other classes i of max(0, 1 - x_t + x_i) / C; a row's
// classes end at its first -1; IndexError outside [-1, C)
[[nodiscard]] Tensor multilabel_margin_loss(const Tensor& x, const Tensor& t,
                                            Reduction reduction = Reduction::mean);
// max(0, d(anchor, positive) - d(anchor, negative) + margin), d = pairwise_distance; `swap`: the
// negative's distance from the positive counts where it is smaller
struct TripletMarginOptions {
  Reduction reduction = Reduction::mean;
  double margin = 1, p = 2, eps = 1e-6;
  bool swap = false;
};
[[nodiscard]] Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                         const Tensor& negative,
                                         const TripletMarginOptions& options = {});

// the same with a distance function of the caller's; pairwise_distance if there is none
struct TripletDistanceOptions {
  Reduction reduction = Reduction::mean;
  std::function<Tensor(const Tensor&, const Tensor&)> distance_function = {};
  double margin = 1;
  bool swap = false;
};
[[nodiscard]] Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                                       const Tensor& negative,
                                                       const TripletDistanceOptions& options = {});

// ---- distances, and what losses are made of
// |a - b + eps|_p over the last dim
[[nodiscard]] Tensor pairwise_distance(const Tensor& a, const Tensor& b, double p = 2,
                                       double eps = 1e-6, bool keep = false);
// |x_i - x_j|_p of all pairs of rows i < j: (N, D) -> (N (N - 1) / 2)
[[nodiscard]] Tensor pdist(const Tensor& x, double p = 2);
// <a, b> / (max(|a|, eps) max(|b|, eps)) over dim of the shape to which a and b broadcast; as in
// PyTorch, the derivative of max(n, eps) is 1 below eps too
[[nodiscard]] Tensor cosine_similarity(const Tensor& a, const Tensor& b, int64_t dim = 1,
                                       double eps = 1e-8);
// x / max(|x|_p, eps) over dim
[[nodiscard]] Tensor normalize(const Tensor& x, double p = 2, int64_t dim = 1, double eps = 1e-12);

}  // namespace slope::nn
