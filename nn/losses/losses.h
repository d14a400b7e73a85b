// Losses as modules, with PyTorch's names; the formulas are in functional/losses.h and
// autograd/ops.h. x are the predictions, t the targets.
#pragma once

#include <slope/nn/functional/losses.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

#include <functional>

namespace slope::nn {

// ---- of numbers
struct L1Loss {
  Reduction reduction = Reduction::mean;
  Tensor forward(const Tensor& x, const Tensor& t) const { return l1_loss(x, t, reduction); }
  L1Loss blank() const { return {reduction}; }
  SLOPE_MODULE(L1Loss)
};

struct MSELoss {
  Reduction reduction = Reduction::mean;
  Tensor forward(const Tensor& x, const Tensor& t) const { return mse_loss(x, t, reduction); }
  MSELoss blank() const { return {reduction}; }
  SLOPE_MODULE(MSELoss)
};

struct HuberLoss {
  HuberOptions options;
  Tensor forward(const Tensor& x, const Tensor& t) const { return huber_loss(x, t, options); }
  HuberLoss blank() const { return {options}; }
  SLOPE_MODULE(HuberLoss)
};

struct SmoothL1Loss {
  SmoothL1Options options;
  Tensor forward(const Tensor& x, const Tensor& t) const { return smooth_l1_loss(x, t, options); }
  SmoothL1Loss blank() const { return {options}; }
  SLOPE_MODULE(SmoothL1Loss)
};

struct PoissonNLLLoss {
  PoissonNllOptions options;
  Tensor forward(const Tensor& x, const Tensor& t) const { return poisson_nll_loss(x, t, options); }
  PoissonNLLLoss blank() const { return {options}; }
  SLOPE_MODULE(PoissonNLLLoss)
};

struct GaussianNLLLoss {
  GaussianNllOptions options;
  Tensor forward(const Tensor& x, const Tensor& t, const Tensor& var) const {
    return gaussian_nll_loss(x, t, var, options);
  }
  GaussianNLLLoss blank() const { return {options}; }
  SLOPE_MODULE(GaussianNLLLoss)
};

struct KLDivLoss {
  KlDivOptions options;
  Tensor forward(const Tensor& log_q, const Tensor& p) const { return kl_div(log_q, p, options); }
  KLDivLoss blank() const { return {options}; }
  SLOPE_MODULE(KLDivLoss)
};

// ---- with margins
struct SoftMarginLoss {
  Reduction reduction = Reduction::mean;
  Tensor forward(const Tensor& x, const Tensor& t) const {
    return soft_margin_loss(x, t, reduction);
  }
  SoftMarginLoss blank() const { return {reduction}; }
  SLOPE_MODULE(SoftMarginLoss)
};

struct MultiLabelMarginLoss {
  Reduction reduction = Reduction::mean;
  Tensor forward(const Tensor& x, const Tensor& t) const {
    return multilabel_margin_loss(x, t, reduction);
  }
  MultiLabelMarginLoss blank() const { return {reduction}; }
  SLOPE_MODULE(MultiLabelMarginLoss)
};

struct MarginRankingLoss {
  MarginOptions options;
  Tensor forward(const Tensor& a, const Tensor& b, const Tensor& t) const {
    return margin_ranking_loss(a, b, t, options);
  }
  MarginRankingLoss blank() const { return {options}; }
  SLOPE_MODULE(MarginRankingLoss)
};

struct HingeEmbeddingLoss {
  HingeEmbeddingOptions options;
  Tensor forward(const Tensor& x, const Tensor& t) const {
    return hinge_embedding_loss(x, t, options);
  }
  HingeEmbeddingLoss blank() const { return {options}; }
  SLOPE_MODULE(HingeEmbeddingLoss)
};

struct CosineEmbeddingLoss {
  MarginOptions options;
  Tensor forward(const Tensor& a, const Tensor& b, const Tensor& t) const {
    return cosine_embedding_loss(a, b, t, options);
  }
  CosineEmbeddingLoss blank() const { return {options}; }
  SLOPE_MODULE(CosineEmbeddingLoss)
};

struct TripletMarginLoss {
  TripletMarginOptions options;
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative) const {
    return triplet_margin_loss(anchor, positive, negative, options);
  }
  TripletMarginLoss blank() const { return {options}; }
  SLOPE_MODULE(TripletMarginLoss)
};

// ---- distances, and a loss made of any of them
struct PairwiseDistance {
  double p = 2, eps = 1e-6;
  bool keep = false;
  Tensor forward(const Tensor& a, const Tensor& b) const {
    return pairwise_distance(a, b, p, eps, keep);
  }
  PairwiseDistance blank() const { return {p, eps, keep}; }
  SLOPE_MODULE(PairwiseDistance)
};

struct CosineSimilarity {
  int64_t dim = 1;
  double eps = 1e-8;
  Tensor forward(const Tensor& a, const Tensor& b) const {
    return cosine_similarity(a, b, dim, eps);
  }
  CosineSimilarity blank() const { return {dim, eps}; }
  SLOPE_MODULE(CosineSimilarity)
};

struct TripletMarginWithDistanceLoss {
  std::optional<PairwiseDistance> distance_function;  // unless the options have one
  TripletDistanceOptions options;
  explicit TripletMarginWithDistanceLoss(TripletDistanceOptions o = {}) : options(std::move(o)) {
    if (!options.distance_function) distance_function.emplace();
  }
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative) const {
    TripletDistanceOptions now = options;
    if (distance_function && !options.distance_function)
      now.distance_function = [&](const Tensor& a, const Tensor& b) {
        return (*distance_function)(a, b);
      };
    return triplet_margin_with_distance_loss(anchor, positive, negative, now);
  }
  TripletMarginWithDistanceLoss blank() const {
    TripletMarginWithDistanceLoss other(options);
    other.distance_function.reset();
    if (distance_function) other.distance_function.emplace(distance_function->blank());
    return other;
  }
  SLOPE_MODULE(TripletMarginWithDistanceLoss, distance_function)
};

}  // namespace slope::nn
