// What layers compute, as functions of their weights, under the names of torch.nn.functional:
// compositions of operations. Weights and biases have x's dtype, and may be undefined unless a
// line says otherwise.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope::nn {

namespace detail {
// DTypeError unless p has x's dtype
void check_dtype(const char* op, const char* what, const Tensor& p, const Tensor& x);
// ShapeError unless p is (n), DTypeError unless it has x's dtype; it may be undefined
void check_vector(const char* op, const char* what, const Tensor& p, int64_t n, const Tensor& x);
// 1, or nan where x is nan; without a graph. As a factor it makes every derivative nan there.
Tensor one_or_nan(const Tensor& x);
// ShapeError, which names op and two of the shapes, unless all broadcast together
void check_broadcast(const char* op, std::initializer_list<Dims> shapes);
// IndexError, with the value and its position, unless all of `classes` (i64) are in [low, end) or
// `ignored`
void check_classes(const char* op, const Tensor& classes, int64_t low, int64_t end,
                   std::optional<int64_t> ignored = {});
}  // namespace detail

// sum_ij a_i W_oij b_j + bias_o: (*, in1), (*, in2), weight (out, in1, in2), which must be defined;
// bias (out)
[[nodiscard]] Tensor bilinear(const Tensor& a, const Tensor& b, const Tensor& weight,
                              const Tensor& bias = {});

// x (N, C, *), normalised over each of `groups` parts of C and all further dims; weight, bias (C)
[[nodiscard]] Tensor group_norm(const Tensor& x, int64_t groups, const Tensor& weight = {},
                                const Tensor& bias = {}, double eps = 1e-5);

struct Conv1dOptions {
  int64_t stride = 1;
  int64_t padding = 0;  // zeros on both sides
  int64_t dilation = 1;
  int64_t groups = 1;
};
// x (N, C, L) or (C, L), weight (O, C / groups, K), which must be defined, bias (O) ->
// (N, O, (L + 2 padding - dilation (K - 1) - 1) / stride + 1)
[[nodiscard]] Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            const Conv1dOptions& options = {});

// Scales down, in place, the rows of weight (V, d) that index picks, to a norm of at most max_norm.
// UsageError if weight repeats elements, as after expand().
void embedding_renorm(const Tensor& weight, const Tensor& index, double max_norm,
                      double norm_type = 2);

}  // namespace slope::nn
