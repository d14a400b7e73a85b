#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/optim/lbfgs.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace slope::optim {

namespace {

double dot(const Tensor& a, const Tensor& b) { return sum(a * b).item(); }
double largest(const Tensor& x) { return x.numel() == 0 ? 0 : max(abs(x)).item(); }

}  // namespace

LBFGS::LBFGS(const NamedTensors& parameters, LbfgsOptions options)
    : parameters_(parameters), options_(options) {
  SLOPE_CHECK_AS(UsageError, !parameters.empty(), "LBFGS: there are no parameters");
  SLOPE_CHECK_AS(UsageError, options.max_iter > 0 && options.history_size > 0,
                 "LBFGS: max_iter and history_size must be above 0, got {} and {}",
                 options.max_iter, options.history_size);
  for (const auto& [name, p] : parameters) {
    SLOPE_CHECK_AS(UsageError, p.is_leaf() && p.requires_grad(),
                   "LBFGS: {} is not a leaf that requires grad", name);
    SLOPE_CHECK_DTYPE(p.dtype() == parameters[0].tensor.dtype(), "LBFGS: {} is {}, {} is {}", name,
                      slope::name(p.dtype()), parameters[0].name,
                      slope::name(parameters[0].tensor.dtype()));
    size_ += p.numel();
  }
}

void LBFGS::zero_grad() {
  for (const auto& [name, p] : parameters_) p.set_grad({});
}

Tensor LBFGS::gradient() const {
  Tensors parts;
  for (const auto& [name, p] : parameters_) {
    const Tensor g = p.grad();
    parts.push_back(g.defined() ? contiguous(g).reshape({-1}) : zeros({p.numel()}, p.dtype()));
  }
  return cat(parts);
}

Tensor LBFGS::parameters() const {
  Tensors parts;
  for (const auto& [name, p] : parameters_) parts.push_back(contiguous(p).reshape({-1}));
  return cat(parts);
}

void LBFGS::set_parameters(const Tensor& x) const {
  int64_t begin = 0;
  for (const auto& [name, p] : parameters_) {
    copy_into(narrow(x, 0, begin, p.numel()).reshape(p.shape()), p);
    begin += p.numel();
  }
}

// d = -H g with the inverse Hessian H estimated from the changes (two loops: Nocedal, 1980):
//   q = -g;       from the last change to the first:  al = ro <s, q>    q = q - al y
//   r = H_diag q; from the first to the last:         r = r + (al - ro <y, r>) s
Tensor LBFGS::direction(const Tensor& g) {
  if (s_.n_iter == 1) {
    s_.changes.clear();
    s_.H_diag = 1;
    return -g;
  }
  const Tensor y = g - s_.prev_flat_grad, s = s_.d * s_.t;
  if (const double ys = dot(y, s); ys > 1e-10) {
    if (static_cast<int64_t>(s_.changes.size()) == options_.history_size) s_.changes.pop_front();
    s_.changes.push_back({y, s, 1 / ys});
    s_.H_diag = ys / dot(y, y);
  }
  std::vector<double> al(s_.changes.size());
  Tensor q = -g;
  for (size_t i = s_.changes.size(); i-- > 0;) {
    al[i] = dot(s_.changes[i].s, q) * s_.changes[i].ro;
    q = q - al[i] * s_.changes[i].y;
  }
  Tensor r = s_.H_diag * q;
  for (size_t i = 0; i < s_.changes.size(); ++i)
    r = r + (al[i] - dot(s_.changes[i].y, r) * s_.changes[i].ro) * s_.changes[i].s;
  return r;
}

double LBFGS::step(const std::function<double()>& closure) {
  const NoGrad no_grad;
  const Tensor x = parameters();
  const State before = s_;
  try {
    return take_step(closure);
  } catch (...) {
    s_ = before;
    set_parameters(x);
    throw;
  }
}

double LBFGS::take_step(const std::function<double()>& closure) {
  const double lr = options_.lr * factor_;
  const int64_t max_eval = options_.max_eval.value_or(options_.max_iter * 5 / 4);
  const auto evaluate = [&] {
    const EnableGrad grad;
    return closure();
  };
  const double first = evaluate();
  double loss = first;
  int64_t evaluations = 1;
  ++s_.func_evals;
  Tensor g = gradient();
  if (largest(g) <= options_.tolerance_grad) return first;

  for (int64_t i = 1; i <= options_.max_iter; ++i) {
    ++s_.n_iter;
    s_.d = direction(g);
    s_.prev_flat_grad = g;
    const double before = loss;
    s_.t = s_.n_iter == 1 ? std::min(1.0, 1 / sum(abs(g)).item()) * lr : lr;
    const double slope = dot(g, s_.d);
    if (slope > -options_.tolerance_change) break;

    const Tensor x = parameters();
    int64_t more = 0;
    if (options_.line_search == LineSearchFn::strong_wolfe) {
      const auto at = [&](double t) {
        set_parameters(x + t * s_.d);
        const double f = evaluate();
        const Tensor g_t = gradient();
        return LinePoint{t, f, dot(g_t, s_.d), g_t};
      };
      const LineResult found =
          strong_wolfe(at, {0, loss, slope, g}, s_.t, largest(s_.d),
                       {.tolerance_change = 1e-9, .max_evaluations = max_eval - evaluations});
      more = found.evaluations;
      loss = found.point.f;
      g = found.point.g;
      s_.t = found.point.t;
      set_parameters(x + s_.t * s_.d);
    } else {
      set_parameters(x + s_.t * s_.d);
      if (i < options_.max_iter) {  // after the last, the next step() evaluates
        loss = evaluate();
        g = gradient();
        more = 1;
      }
    }
    evaluations += more;
    s_.func_evals += more;
    if (evaluations >= max_eval || largest(g) <= options_.tolerance_grad ||
        largest(s_.d * s_.t) <= options_.tolerance_change ||
        std::abs(loss - before) < options_.tolerance_change)
      break;
  }
  return first;
}

NamedTensors LBFGS::state_dict() const {
  NamedTensors all{{"lbfgs.n_iter", tensor(s_.n_iter)},
                   {"lbfgs.func_evals", tensor(s_.func_evals)}};
  if (s_.n_iter == 0) return all;
  all.push_back({"lbfgs.t", tensor(s_.t, f64)});
  all.push_back({"lbfgs.H_diag", tensor(s_.H_diag, f64)});
  all.push_back({"lbfgs.d", s_.d});
  all.push_back({"lbfgs.prev_flat_grad", s_.prev_flat_grad});
  if (s_.changes.empty()) return all;
  Tensors y, s, ro;
  for (const Change& change : s_.changes) {
    y.push_back(change.y);
    s.push_back(change.s);
    ro.push_back(tensor(change.ro, f64));
  }
  all.push_back({"lbfgs.old_dirs", stack(y)});
  all.push_back({"lbfgs.old_stps", stack(s)});
  all.push_back({"lbfgs.ro", stack(ro)});
  return all;
}

void LBFGS::load_state_dict(const NamedTensors& state) {
  std::map<std::string, Tensor> given;
  for (const auto& [name, x] : state) given[name] = x;
  const auto take = [&given](const std::string& name, const Dims& shape, DType dtype) {
    const auto found = given.find("lbfgs." + name);
    SLOPE_CHECK_INPUT(found != given.end(), "optimizer state: lbfgs.{} is missing", name);
    const Tensor x = found->second;
    SLOPE_CHECK_INPUT(x.shape() == shape && x.dtype() == dtype,
                      "optimizer state: lbfgs.{} is {} of shape {}, expected {} of shape {}", name,
                      slope::name(x.dtype()), x.shape(), slope::name(dtype), shape);
    given.erase(found);
    return contiguous_copy(x);
  };
  const auto count = [&](const char* name) {
    const auto n = take(name, {}, i64).item<int64_t>();
    SLOPE_CHECK_INPUT(n >= 0 && n < int64_t{1} << 53,
                      "optimizer state: lbfgs.{} must be from 0 to below 2^53, got {}", name, n);
    return n;
  };
  const DType dtype = parameters_[0].tensor.dtype();
  State loaded{.n_iter = count("n_iter"), .func_evals = count("func_evals")};
  if (loaded.n_iter > 0) {
    loaded.t = take("t", {}, f64).item();
    loaded.H_diag = take("H_diag", {}, f64).item();
    loaded.d = take("d", {size_}, dtype);
    loaded.prev_flat_grad = take("prev_flat_grad", {size_}, dtype);
  }
  if (const auto dirs = given.find("lbfgs.old_dirs"); dirs != given.end()) {
    const int64_t n = dirs->second.rank() > 0 ? dirs->second.size(0) : 0;
    SLOPE_CHECK_INPUT(n <= options_.history_size,
                      "optimizer state: lbfgs.old_dirs holds {} changes, history_size is {}", n,
                      options_.history_size);
    const Tensor y = take("old_dirs", {n, size_}, dtype), s = take("old_stps", {n, size_}, dtype),
                 ro = take("ro", {n}, f64);
    for (int64_t i = 0; i < n; ++i)
      loaded.changes.push_back({select(y, 0, i), select(s, 0, i), select(ro, 0, i).item()});
  }
  SLOPE_CHECK_INPUT(given.empty(), "optimizer state: {} does not belong to LBFGS",
                    given.begin()->first);
  s_ = std::move(loaded);
}

}  // namespace slope::optim
