// Every operation that has a derivative of its own, by the folder of autograd/ops/ where a file
// defines it as `namespace slope::ops { extern const Op NAME{…}; }`. An X-macro list: registry.cpp
// includes it with different definitions of SLOPE_OP, to declare the operations and to make the
// table.
//
//   SLOPE_OP(name)

#ifndef SLOPE_OP  // included by itself
#define SLOPE_OP(name)
#endif

// clang-format off
// elementwise/unary.cpp: one for each row of core/kernels/elementwise/unary_rows.h
#define SLOPE_UNARY(Row, name, ...) SLOPE_OP(name)
#include <slope/core/kernels/elementwise/unary_rows.h>
// elementwise/
SLOPE_OP(add) SLOPE_OP(sub) SLOPE_OP(mul) SLOPE_OP(div) SLOPE_OP(pow) SLOPE_OP(maximum) SLOPE_OP(minimum)
SLOPE_OP(add_scalar) SLOPE_OP(mul_scalar) SLOPE_OP(div_scalar) SLOPE_OP(scalar_div) SLOPE_OP(pow_scalar)
SLOPE_OP(clamp) SLOPE_OP(where) SLOPE_OP(masked_fill) SLOPE_OP(dropout)
// reduce/
SLOPE_OP(sum) SLOPE_OP(mean) SLOPE_OP(sum_to) SLOPE_OP(prod)
SLOPE_OP(amax) SLOPE_OP(amin) SLOPE_OP(max) SLOPE_OP(min)
SLOPE_OP(var) SLOPE_OP(std) SLOPE_OP(logsumexp) SLOPE_OP(cumsum) SLOPE_OP(norm)
SLOPE_OP(softmax) SLOPE_OP(log_softmax) SLOPE_OP(layer_norm) SLOPE_OP(rms_norm)
// shape/: views
SLOPE_OP(reshape) SLOPE_OP(squeeze) SLOPE_OP(unsqueeze) SLOPE_OP(transpose) SLOPE_OP(permute) SLOPE_OP(expand)
SLOPE_OP(narrow) SLOPE_OP(slice) SLOPE_OP(select) SLOPE_OP(diagonal) SLOPE_OP(split) SLOPE_OP(unbind)
// shape/: copies
SLOPE_OP(clone) SLOPE_OP(to) SLOPE_OP(pad) SLOPE_OP(tril) SLOPE_OP(triu) SLOPE_OP(flip) SLOPE_OP(roll)
SLOPE_OP(repeat) SLOPE_OP(repeat_interleave) SLOPE_OP(cat) SLOPE_OP(stack)
SLOPE_OP(index_select) SLOPE_OP(gather) SLOPE_OP(scatter_add) SLOPE_OP(embedding)
// product/, loss/, attention/
SLOPE_OP(matmul) SLOPE_OP(bmm) SLOPE_OP(linear)
SLOPE_OP(cross_entropy) SLOPE_OP(linear_cross_entropy) SLOPE_OP(bce_with_logits)
SLOPE_OP(scaled_dot_product_attention)
// clang-format on
#undef SLOPE_OP
