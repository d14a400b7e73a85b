#include <slope/autograd/gradcheck/cases/cases.h>

#include <iterator>

namespace slope {

namespace {
const Cases& collected() {
  static const Cases all = [] {
    Cases result;
    for (Cases (*group)() : {elementwise_cases, reduction_cases, matrix_cases, shape_cases,
                             indexing_cases, normalisation_cases, loss_cases, attention_cases}) {
      Cases part = group();
      std::move(part.cases.begin(), part.cases.end(), std::back_inserter(result.cases));
      std::move(part.refusals.begin(), part.refusals.end(), std::back_inserter(result.refusals));
    }
    return result;
  }();
  return all;
}
}  // namespace

const std::vector<Case>& all_cases() { return collected().cases; }
const std::vector<Refusal>& all_refusals() { return collected().refusals; }

}  // namespace slope
