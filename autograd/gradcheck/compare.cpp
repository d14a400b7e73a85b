#include <slope/autograd/gradcheck/compare.h>
#include <slope/autograd/gradcheck/numeric/nudge.h>
#include <slope/autograd/gradcheck/tally.h>
#include <slope/core/memory/scarce.h>
#include <slope/core/tensor/random.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace slope {

namespace {

constexpr int64_t most_judged = 64;  // if so many fail and none passes, the rest fail unjudged
constexpr size_t most_wrong = 16;    // failed elements of a leaf that are stored

class Comparison {
 public:
  Comparison(const Forward& forward, const NamedTensor& leaf, int64_t leaf_index,
             const Tensors& analytic, const GradcheckOptions& options, GradcheckReport& report)
      : forward_(forward), leaf_(leaf), leaf_index_(leaf_index), analytic_(analytic),
        options_(options), tolerance_{options.atol, options.rtol},
        report_(report), row_{.name = leaf.name},
        tallies_(analytic.size(), {.coarsest = forward.coarsest()}), agreed_(analytic.size()),
        noisy_(analytic.size()) {
    for (const Tensor& g : analytic)
      values_.push_back(g.defined()
                            ? g.to_vector()
                            : std::vector<double>(static_cast<size_t>(leaf.tensor.numel())));
  }

  void check(int64_t element) {
    const Nudge nudge(leaf_.tensor, element);
    double up = options_.eps, down = -options_.eps;
    const std::vector<LossAt> above = losses(nudge, element, up),
                              below = losses(nudge, element, down);
    for (size_t k = 0; k < tallies_.size(); ++k) {
      if (!forward_.is_checked(k)) continue;
      ++tallies_[k].elements;
      const double analytic = values_[k][static_cast<size_t>(element)],
                   numeric = (above[k].value - below[k].value) / (up - down);
      if (tolerance_.agree(analytic, numeric)) {
        ++report_.checked;
        tallies_[k].largest = std::max(tallies_[k].largest, std::abs(numeric));
        agreed_[k].push_back(element);
      } else {
        judge(k, nudge, element, analytic, numeric);
      }
    }
  }

  // With noise, a plain difference may have agreed by chance. Where all have agreed, some show
  // whether there is noise: zeros, where rounding may have hidden a change, and in float32 the
  // largest derivative.
  void check_again_where_noisy() {
    for (size_t k = 0; k < tallies_.size(); ++k) {
      Tally& tally = tallies_[k];
      const auto check_again = [&](int64_t element) {
        --report_.checked;
        judge(k, Nudge(leaf_.tensor, element), element, values_[k][static_cast<size_t>(element)],
              NAN);
      };
      const auto size_of_derivative = [&](int64_t element) {
        return std::abs(values_[k][static_cast<size_t>(element)]);
      };
      std::vector<int64_t>& agreed = agreed_[k];
      if (tally.judged == 0) {
        tally.is_noisy = !all_zeros_hold(k);
        if (tally.coarsest != f64 && tally.largest > 0) {
          const auto largest = std::ranges::max_element(agreed, {}, size_of_derivative);
          check_again(*largest);
          agreed.erase(largest);
        }
        if (!tally.is_noisy) tally.coarse = {};  // the plain difference would have done
      }
      if (tally.is_noisy) std::for_each(agreed.begin(), agreed.end(), check_again);
    }
  }

  // Backward agrees with these derivatives, but their error is large. One of them counts as known
  // after all if its error is small compared with the largest derivative, where a factor that is
  // wrong in all would show.
  void accept_small() {
    for (size_t k = 0; k < tallies_.size(); ++k)
      for (const auto& [element, d] : std::exchange(noisy_[k], {}))
        accept(k, element, d, d.error + d.hidden <= close_enough * tallies_[k].largest);
  }

  void tell(const std::function<std::string()>& where_cut) {
    for (size_t k = 0; k < tallies_.size(); ++k) {
      tallies_[k].tell(leaf_.name, k, options_.most_unchecked, where_cut, report_);
      row_.elements += tallies_[k].elements;
      row_.unchecked += tallies_[k].unchecked();
      row_.is_cut |= tallies_[k].cut.count > 0;
    }
    report_.leaves.push_back(row_);
  }

 private:
  // Whether other steps agree too, at up to four of the elements whose derivative is 0.
  bool all_zeros_hold(size_t k) const {
    std::vector<int64_t> zeros;
    for (const int64_t e : agreed_[k])
      if (values_[k][static_cast<size_t>(e)] == 0) zeros.push_back(e);
    const size_t n = std::min<size_t>(4, zeros.size());
    for (size_t i = 0; i < n; ++i) {
      const int64_t element = zeros[i * zeros.size() / n];
      try {
        const Derivative d = derivative(k, Nudge(leaf_.tensor, element), element, 0);
        if (d.kind == Derivative::Kind::smooth && !d.agrees(0, tolerance_)) return false;
      } catch (const std::exception&) {  // the larger steps may leave the function's domain
        rethrow_if_scarce();
      }
    }
    return true;
  }

  Derivative derivative(size_t k, const Nudge& nudge, int64_t element, double analytic) const {
    const auto loss = [&](double step) {
      const LossAt at = losses(nudge, element, step)[k];
      return LossAt{step, at.value, at.scale, at.rounding};
    };
    return differentiate(loss, nudge.value(), step_at(nudge.value()), tolerance_, analytic);
  }

  std::vector<LossAt> losses(const Nudge& nudge, int64_t element, double& step) const {
    step = nudge.move(step);
    try {
      return forward_.losses();
    } catch (const Unfit& error) {
      throw Unfit(fmt::format("{} ({}, element {} moved by {:.3g})", error.what(), leaf_.name,
                              element, step));
    }
  }

  // The first step of differentiate(). A float32 element moves by whole ulps, so its closest
  // samples must be several ulps apart.
  double step_at(double x) const {
    const double least = leaf_.tensor.dtype() == f32 ? 0x1p-17 * std::abs(x) : 0;
    return std::max(options_.eps, least);
  }

  // The plain difference disagrees with backward, or is too noisy to tell. Is backward wrong, or is
  // the function not smooth?
  void judge(size_t k, const Nudge& nudge, int64_t element, double analytic, double numeric) {
    Tally& tally = tallies_[k];
    Derivative d{.value = numeric, .least = numeric, .most = numeric};
    if (tally.judged < most_judged || tally.failed < tally.judged || !std::isfinite(numeric))
      d = derivative(k, nudge, element, analytic);
    ++tally.judged;
    tally.is_noisy |= d.noise > options_.eps * tolerance_.of(d.value);
    const bool is_kink = d.kind == Derivative::Kind::kink ||
                         (!d.agrees(analytic, tolerance_) && d.may_be_kinks(analytic, tolerance_)),
               is_jump = d.kind == Derivative::Kind::jump;
    if ((is_kink || is_jump) && !std::isfinite(analytic)) {  // a guard is missing
      d.value = (d.left + d.right) / 2;
      fail(k, element, analytic, d);
    } else if (is_kink || is_jump) {
      (is_kink ? tally.kinks : tally.jumps).add(element, d);
      ++report_.unchecked;
    } else if (d.kind == Derivative::Kind::edge) {
      tally.edges.add(element, d);
      ++report_.unchecked;
    } else if (!d.agrees(analytic, tolerance_)) {
      fail(k, element, analytic, d);
    } else if (!d.is_known(tolerance_) || d.hidden > tolerance_.of(d.value)) {
      noisy_[k].emplace_back(element, d);
    } else {
      tally.largest = std::max(tally.largest, std::abs(d.value));
      accept(k, element, d, true);
    }
  }

  // Backward agrees with d to within d's error. `is_known`: this error is small enough.
  void accept(size_t k, int64_t element, const Derivative& d, bool is_known) {
    (is_known ? tallies_[k].coarse : tallies_[k].noisy).add(element, d);
    ++(is_known ? report_.checked : report_.unchecked);
  }

  void fail(size_t k, int64_t element, double analytic, const Derivative& d) {
    ++report_.checked;
    ++report_.failed;
    ++tallies_[k].failed;
    note_wrong(k, element, analytic / d.value);
    if (!analytic_[k].defined()) {
      tallies_[k].cut.add(element, d);
    } else if (static_cast<int64_t>(report_.failures.size()) < options_.most_failures) {
      report_.failures.push_back({.op = forward_.op(k),
                                  .input = leaf_.name,
                                  .input_index = leaf_index_,
                                  .output_index = static_cast<int64_t>(k),
                                  .element = element,
                                  .analytic = analytic,
                                  .numeric = d.value});
    }
  }

  void note_wrong(size_t k, int64_t element, double ratio) {
    row_.add_failure(static_cast<int64_t>(k), ratio);
    if (row_.output == static_cast<int64_t>(k) && row_.wrong.size() < most_wrong)
      row_.wrong.push_back(element);
  }

  const Forward& forward_;
  const NamedTensor& leaf_;
  const int64_t leaf_index_;
  const Tensors& analytic_;
  const GradcheckOptions& options_;
  const Tolerance tolerance_;
  GradcheckReport& report_;
  GradcheckLeaf row_;
  std::vector<Tally> tallies_;  // one for each output
  // for each output the elements whose plain difference agreed with backward
  std::vector<std::vector<int64_t>> agreed_;
  // for each output the derivatives with which backward agrees, but which are not known well
  std::vector<std::vector<std::pair<int64_t, Derivative>>> noisy_;
  std::vector<std::vector<double>> values_;  // of analytic_; zeros if undefined
};

// All elements, or a sample without repetition, in order (Floyd's algorithm).
std::vector<int64_t> chosen(int64_t n, int64_t leaf_index, const GradcheckOptions& options) {
  std::vector<int64_t> result;
  if (options.sample <= 0 || options.sample >= n) {
    for (int64_t e = 0; e < n; ++e) result.push_back(e);
    return result;
  }
  const RandomSite site{.seed = options.seed, .site = static_cast<uint32_t>(leaf_index)};
  std::set<int64_t> drawn;
  for (int64_t i = n - options.sample; i < n; ++i) {
    const auto e = static_cast<int64_t>(uniform_below(site, i, static_cast<uint64_t>(i + 1)));
    if (!drawn.insert(e).second) drawn.insert(i);
  }
  return {drawn.begin(), drawn.end()};
}

}  // namespace

void compare(const Forward& forward, const NamedTensor& leaf, int64_t leaf_index,
             const Tensors& analytic, const std::function<std::string()>& where_cut,
             const GradcheckOptions& options, GradcheckReport& report) {
  Comparison comparison(forward, leaf, leaf_index, analytic, options, report);
  for (const int64_t e : chosen(leaf.tensor.numel(), leaf_index, options)) comparison.check(e);
  comparison.check_again_where_noisy();
  comparison.accept_small();
  comparison.tell(where_cut);
}

}  // namespace slope
