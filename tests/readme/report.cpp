// A layer with a mistake, and what gradcheck says about it.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/nn/nn.h>

#include <cmath>
#include <cstdio>
using namespace slope;

// s = q k^T / sqrt(d)        dq = g k / sqrt(d), dk = g^T q / sqrt(d)
static const Op scores_op{.name = "scores",
                          .signature = "(n, d), (m, d) -> (n, m)",
                          .saves = saves_inputs,
                          .formula = [](const Saved& s, const Tensor& g) {
                            const Tensor q = s.input(0), k = s.input(1);
                            return Grads{matmul(g, k),  // the mistake
                                         matmul(g.transpose(0, 1), q) / std::sqrt(q.size(1))};
                          }};

Tensor scores(const Tensor& q, const Tensor& k) {
  const NoGrad no_grad;
  const Tensor s = matmul(q, k.transpose(0, 1)) / std::sqrt(q.size(1));
  const EnableGrad recorded;
  return scores_op.record(s, {q, k});
}

struct Lookup {
  nn::Linear query{4, 5}, key{4, 5};
  Tensor forward(const Tensor& x) const { return softmax(scores(query(x), key(x))); }
  SLOPE_MODULE(Lookup, query, key)
};

int main() {
  manual_seed(1);
  Lookup lookup;
  nn::to(lookup, f64);
  const Tensor x = randn({3, 4}, f64);
  const GradcheckReport report =
      gradcheck([&] { return Tensors{lookup(x)}; }, nn::named_parameters(lookup),
                {.raise_exception = false, .find_callers = false});
  std::puts(report.text().c_str());
}
