// The registry: every differentiable operation, one block for each group. A plain table: what
// registers itself is dropped by the linker from a static archive. An operation's file defines its
// entry as `namespace slope::ops { extern const Op tanh{…}; }`.
#include <slope/autograd/ops.h>

#include <algorithm>
#include <string_view>

namespace slope {

namespace ops {
// unary.cpp
extern const Op neg, abs, sign, exp, expm1, log, log1p, sqrt, rsqrt, sin, cos, tanh, sigmoid, relu,
    erf, gelu, gelu_tanh, silu, softplus, clamp;
// binary.cpp, scalar.cpp, where.cpp
extern const Op add, sub, mul, div, pow, maximum, minimum;
extern const Op add_scalar, mul_scalar, div_scalar, scalar_div, pow_scalar;
extern const Op where, masked_fill;
// reductions
extern const Op sum, mean, sum_to, prod, amax, amin, max, min, var, std, logsumexp, cumsum, norm;
// views.cpp, rearrange.cpp, cat.cpp
extern const Op reshape, squeeze, unsqueeze, transpose, permute, expand, narrow, slice, select,
    diagonal, clone, to;
extern const Op pad, tril, triu, flip, roll, repeat, repeat_interleave, cat, stack, split, unbind;
// indexing.cpp, matmul.cpp, linear.cpp
extern const Op index_select, gather, scatter_add, embedding, matmul, bmm, linear;
// normalisation, losses, attention
extern const Op softmax, log_softmax, layer_norm, rms_norm, dropout, cross_entropy,
    linear_cross_entropy, bce_with_logits, scaled_dot_product_attention;
}  // namespace ops

namespace {

// clang-format off
constexpr const Op* table[] = {
    &ops::neg, &ops::abs, &ops::sign, &ops::exp, &ops::expm1, &ops::log, &ops::log1p, &ops::sqrt,
    &ops::rsqrt, &ops::sin, &ops::cos, &ops::tanh,
    &ops::sigmoid, &ops::relu, &ops::erf, &ops::gelu, &ops::gelu_tanh, &ops::silu, &ops::softplus,
    &ops::clamp,

    &ops::add, &ops::sub, &ops::mul, &ops::div, &ops::pow, &ops::maximum, &ops::minimum,
    &ops::add_scalar, &ops::mul_scalar, &ops::div_scalar, &ops::scalar_div, &ops::pow_scalar,
    &ops::where, &ops::masked_fill,

    &ops::sum, &ops::mean, &ops::sum_to, &ops::prod, &ops::amax, &ops::amin, &ops::max, &ops::min,
    &ops::var, &ops::std, &ops::logsumexp, &ops::cumsum, &ops::norm,

    &ops::reshape, &ops::squeeze, &ops::unsqueeze, &ops::transpose, &ops::permute, &ops::expand,
    &ops::narrow, &ops::slice, &ops::select, &ops::diagonal, &ops::clone, &ops::to,
    &ops::pad, &ops::tril, &ops::triu, &ops::flip, &ops::roll, &ops::repeat,
    &ops::repeat_interleave, &ops::cat, &ops::stack, &ops::split, &ops::unbind,

    &ops::index_select, &ops::gather, &ops::scatter_add, &ops::embedding,
    &ops::matmul, &ops::bmm, &ops::linear,
    &ops::softmax, &ops::log_softmax, &ops::layer_norm, &ops::rms_norm, &ops::dropout,
    &ops::cross_entropy, &ops::linear_cross_entropy, &ops::bce_with_logits,
    &ops::scaled_dot_product_attention,
};
// clang-format on

}  // namespace

std::span<const Op* const> registry() { return table; }

const Op* find_op(const std::string& name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const Op* op) { return std::string_view(op->name) == name; });
  return found == std::end(table) ? nullptr : *found;
}

}  // namespace slope
