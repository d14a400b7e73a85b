// Derivatives of a function as a whole, with the names, arguments and results of
// torch.autograd.functional.
//
//   f: inputs -> outputs;  J[k][i] = d outputs[k] / d inputs[i], shape outputs[k] + inputs[i]
//
// Inputs need not require gradients. The results are detached or, with create_graph, part of the
// inputs' graph. Where nothing depends on an input, the result is zeros or, with strict, an
// AutogradError (in jacobian for each output by itself). strict also refuses an output that depends
// on no input. hessian, hvp and vhp with strict demand the same of the gradients too.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope::functional {

struct Options {
  bool create_graph = false;
  bool strict = false;
};
struct OutputsAnd {
  Tensors outputs, values;
};

// v^T J, for each input. v has the outputs' shapes; for one output of one element it may be
// omitted.
OutputsAnd vjp(const TensorFunction& f, const Tensors& inputs, const Tensors& v = {},
               const Options& options = {});
// J v, for each output. v has the inputs' shapes; it may be omitted for one input of one element.
// vjp(u) = u^T J is linear in u, so J v is the gradient of <vjp(u), v> with respect to u (Townsend,
// "A new trick for calculating Jacobian vector products", 2017). It is exact wherever rules can be
// differentiated.
OutputsAnd jvp(const TensorFunction& f, const Tensors& inputs, const Tensors& v = {},
               const Options& options = {});

// [output][input]
std::vector<Tensors> jacobian(const TensorFunction& f, const Tensors& inputs,
                              const Options& options = {});

// For a function with one output of one element: H as [input][input], H v and v^T H.
std::vector<Tensors> hessian(const TensorFunction& f, const Tensors& inputs,
                             const Options& options = {});
OutputsAnd hvp(const TensorFunction& f, const Tensors& inputs, const Tensors& v = {},
               const Options& options = {});
OutputsAnd vhp(const TensorFunction& f, const Tensors& inputs, const Tensors& v = {},
               const Options& options = {});

// The gradients of the parameters for each sample, (N, *parameter): the loss of sample n is that of
// a batch of one. Like torch.func.vmap(torch.func.grad(loss)), but one sample at a time. The
// parameters must require gradients.
Tensors per_sample_gradients(const std::function<Tensor(const Tensors& batch)>& loss,
                             const Tensors& batch, const Tensors& parameters);

}  // namespace slope::functional
