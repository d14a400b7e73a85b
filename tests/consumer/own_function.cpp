// Functions of one's own with the command line of `slope gradcheck`; the second has a mistake.
#include <slope/tools/gradcheck_main.h>

using namespace slope;

static const Op square_op{
    .name = "wrong_square",
    .signature = "(*) -> (*)",
    .saves = saves_input(),
    .formula = [](const Saved& s, const Tensor& g) { return Grads{g * s.input()}; }};
static Tensor wrong_square(const Tensor& x) {
  const Tensor in = x.detach();
  return square_op.record(contiguous(in * in), {x});
}

static Tensors log_cosh(const Tensors& x) { return {log((exp(x[0]) + exp(-x[0])) / 2.0)}; }
static Tensors two_squares(const Tensors& x) { return {wrong_square(x[0])}; }

SLOPE_GRADCHECK_MAIN({"log_cosh", "matrix", {{.shape = {3, 4}}}, log_cosh},
                     {"two_squares", "matrix", {{.shape = {2, 3}}}, two_squares})
