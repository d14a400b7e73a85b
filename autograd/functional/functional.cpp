#include <slope/autograd/backward.h>
#include <slope/autograd/functional/functional.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>

#include <algorithm>

namespace slope::functional {

namespace {

// The function that was called, and what the function that it differentiates returns: hessian
// differentiates gradients.
struct Caller {
  const char* name;
  const char* output = "output";
};

// The inputs as leaves, from which f builds a graph of its own. With create_graph, an input that
// requires a gradient is replaced by a view of itself, which stays connected to the input's graph.
Tensors roots(const Tensors& inputs, bool create_graph) {
  Tensors result;
  for (const Tensor& x : inputs)
    result.push_back(create_graph && x.requires_grad() ? expand(x, x.shape())
                                                       : x.detach().set_requires_grad());
  return result;
}

Tensors call(const Caller& caller, const TensorFunction& f, const Tensors& x, bool strict) {
  Tensors y = f(x);
  SLOPE_CHECK_AS(UsageError, !y.empty(), "{}: the function returned no output", caller.name);
  for (size_t k = 0; k < y.size(); ++k)
    SLOPE_CHECK_AS(AutogradError, !strict || y[k].requires_grad(),
                   "{}: {} {} does not depend on any input; strict asks that it does", caller.name,
                   caller.output, k);
  return y;
}

// v, checked against the tensors `like`; 1 if v was left out and `like` is a single element.
Tensors checked_v(const char* name, const Tensors& v, const Tensors& like, const char* what) {
  if (v.empty()) {
    SLOPE_CHECK_AS(UsageError, like.size() == 1 && like[0].numel() == 1,
                   "{}: v can be left out only for a single {} of one element; here are {} {}s, "
                   "the first of shape {}",
                   name, what, like.size(), what, like.empty() ? Dims{} : like[0].shape());
    return {ones_like(like[0].detach())};
  }
  SLOPE_CHECK_SHAPE(v.size() == like.size(), "{}: v has {} tensors for {} {}s", name, v.size(),
                    like.size(), what);
  for (size_t i = 0; i < v.size(); ++i)
    SLOPE_CHECK_SHAPE(v[i].shape() == like[i].shape(), "{}: v {} has shape {}, the {} {}", name, i,
                      v[i].shape(), what, like[i].shape());
  return v;
}

// grad() of the outputs that are on the tape; zeros for inputs on which nothing depends.
Tensors gradients(const Caller& caller, const Tensors& y, const Tensors& x, const Tensors& v,
                  const Options& options) {
  Tensors reached, weights, result(x.size());
  for (size_t k = 0; k < y.size(); ++k)
    if (y[k].requires_grad()) {
      reached.push_back(y[k]);
      weights.push_back(v[k]);
    }
  if (!reached.empty())
    result = grad(reached, x,
                  {.grad_outputs = weights,
                   .retain_graph = true,
                   .create_graph = options.create_graph,
                   .allow_unused = true});
  for (size_t i = 0; i < x.size(); ++i) {
    SLOPE_CHECK_AS(AutogradError, !options.strict || result[i].defined(),
                   "{}: the {}s do not depend on input {}; strict asks that they do", caller.name,
                   caller.output, i);
    if (!result[i].defined()) result[i] = zeros_like(x[i].detach());
  }
  return result;
}

Tensors detached_unless(bool create_graph, Tensors x) {
  if (!create_graph)
    for (Tensor& t : x) t = t.detach();
  return x;
}

// The gradient of the function, itself a function.
TensorFunction gradient_of(const char* name, const TensorFunction& f, bool strict) {
  return [=, &f](const Tensors& x) {
    const Tensors y = call({name}, f, x, strict);
    SLOPE_CHECK_AS(UsageError, y.size() == 1 && y[0].numel() == 1,
                   "{}: the function must have one output of one element, it has {}, the first of "
                   "shape {}",
                   name, y.size(), y[0].shape());
    return gradients({name}, {y[0].reshape({})}, x, {ones_like(y[0].detach()).reshape({})},
                     {.create_graph = true, .strict = strict});
  };
}

OutputsAnd vjp_for(const Caller& caller, const TensorFunction& f, const Tensors& inputs,
                   const Tensors& v, const Options& options) {
  const EnableGrad enable_grad;
  const Tensors x = roots(inputs, options.create_graph), y = call(caller, f, x, options.strict),
                u = checked_v(caller.name, v, y, caller.output);
  return {detached_unless(options.create_graph, y),
          detached_unless(options.create_graph, gradients(caller, y, x, u, options))};
}

OutputsAnd jvp_for(const Caller& caller, const TensorFunction& f, const Tensors& inputs,
                   const Tensors& v, const Options& options) {
  const EnableGrad enable_grad;
  const Tensors x = roots(inputs, options.create_graph), y = call(caller, f, x, options.strict),
                dx = checked_v(caller.name, v, x, "input");
  Tensors u;
  for (const Tensor& output : y) u.push_back(zeros_like(output.detach()).set_requires_grad());
  const Tensors pulled =
      gradients(caller, y, x, u, {.create_graph = true, .strict = options.strict});
  const Tensors dy = gradients(caller, pulled, u, dx, {.create_graph = options.create_graph});
  return {detached_unless(options.create_graph, y), detached_unless(options.create_graph, dy)};
}

std::vector<Tensors> jacobian_for(const Caller& caller, const TensorFunction& f,
                                  const Tensors& inputs, const Options& options) {
  const EnableGrad enable_grad;
  const Tensors x = roots(inputs, options.create_graph), y = call(caller, f, x, options.strict);
  std::vector<Tensors> result;
  for (const Tensor& output : y) {
    std::vector<Tensors> rows(x.size());  // [input][element of the output]
    for (int64_t e = 0; e < output.numel(); ++e) {
      Tensor one = zeros_like(output.detach()).contiguous();
      visit_floating(one.dtype(), caller.name, [&]<class T> { one.write<T>()[e] = 1; });
      const Tensors row = gradients(caller, {output}, x, {one}, options);
      for (size_t i = 0; i < x.size(); ++i) rows[i].push_back(row[i]);
    }
    Tensors blocks;
    for (size_t i = 0; i < x.size(); ++i) {
      Dims shape = output.shape();
      for (const int64_t size : x[i].shape()) shape.push_back(size);
      blocks.push_back(rows[i].empty() ? zeros(shape, x[i].dtype())
                                       : stack(rows[i], 0).reshape(shape));
    }
    result.push_back(detached_unless(options.create_graph, blocks));
  }
  return result;
}

}  // namespace

OutputsAnd vjp(const TensorFunction& f, const Tensors& inputs, const Tensors& v,
               const Options& options) {
  return vjp_for({"vjp"}, f, inputs, v, options);
}

OutputsAnd jvp(const TensorFunction& f, const Tensors& inputs, const Tensors& v,
               const Options& options) {
  return jvp_for({"jvp"}, f, inputs, v, options);
}

std::vector<Tensors> jacobian(const TensorFunction& f, const Tensors& inputs,
                              const Options& options) {
  return jacobian_for({"jacobian"}, f, inputs, options);
}

std::vector<Tensors> hessian(const TensorFunction& f, const Tensors& inputs,
                             const Options& options) {
  return jacobian_for({"hessian", "gradient"}, gradient_of("hessian", f, options.strict), inputs,
                      options);
}

OutputsAnd hvp(const TensorFunction& f, const Tensors& inputs, const Tensors& v,
               const Options& options) {
  const EnableGrad enable_grad;
  const Tensors dx = checked_v("hvp", v, inputs, "input");
  return {detached_unless(options.create_graph,
                          call({"hvp"}, f, roots(inputs, options.create_graph), options.strict)),
          jvp_for({"hvp", "gradient"}, gradient_of("hvp", f, options.strict), inputs, dx, options)
              .values};
}

OutputsAnd vhp(const TensorFunction& f, const Tensors& inputs, const Tensors& v,
               const Options& options) {
  const EnableGrad enable_grad;
  const Tensors dx = checked_v("vhp", v, inputs, "input");
  return {detached_unless(options.create_graph,
                          call({"vhp"}, f, roots(inputs, options.create_graph), options.strict)),
          vjp_for({"vhp", "gradient"}, gradient_of("vhp", f, options.strict), inputs, dx, options)
              .values};
}

Tensors per_sample_gradients(const std::function<Tensor(const Tensors& batch)>& loss,
                             const Tensors& batch, const Tensors& parameters) {
  const EnableGrad enable_grad;
  SLOPE_CHECK_AS(UsageError, !batch.empty(), "per_sample_gradients: the batch has no tensor");
  for (size_t i = 0; i < parameters.size(); ++i)
    SLOPE_CHECK_AS(AutogradError, parameters[i].requires_grad(),
                   "per_sample_gradients: parameter {} requires no gradient", i);
  const int64_t n = batch[0].size(0);
  for (const Tensor& x : batch)
    SLOPE_CHECK_SHAPE(
        x.size(0) == n,
        "per_sample_gradients: tensors of the batch have different numbers of samples, {} and {}",
        n, x.size(0));
  std::vector<Tensors> all(parameters.size());
  for (int64_t s = 0; s < n; ++s) {
    Tensors one;
    for (const Tensor& x : batch) one.push_back(x.narrow(0, s, 1));
    const Tensor l = loss(one);
    const Tensors g =
        gradients({"per_sample_gradients"}, {l}, parameters, {ones_like(l.detach())}, {});
    for (size_t i = 0; i < g.size(); ++i) all[i].push_back(g[i].detach());
  }
  Tensors result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Dims shape{n};
    for (const int64_t size : parameters[i].shape()) shape.push_back(size);
    result.push_back(n > 0 ? stack(all[i], 0) : zeros(shape, parameters[i].dtype()));
  }
  return result;
}

}  // namespace slope::functional
