#include <slope/autograd/gradcheck/cases/cases.h>

#include <algorithm>
#include <iterator>

namespace slope {

namespace {
const Cases& collected() {
  static const Cases all = [] {
    Cases result;
    for (Cases (*group)() :
         {elementwise_cases, reduction_cases, matrix_cases, shape_cases, indexing_cases,
          normalisation_cases, loss_cases, attention_cases, large_cases, point_cases}) {
      Cases part = group();
      std::move(part.cases.begin(), part.cases.end(), std::back_inserter(result.cases));
      std::move(part.refusals.begin(), part.refusals.end(), std::back_inserter(result.refusals));
    }
    return result;
  }();
  return all;
}

std::vector<Case>& registered() {
  static std::vector<Case> cases;
  return cases;
}
}  // namespace

const std::vector<Case>& all_cases() { return collected().cases; }
void register_cases(const std::vector<Case>& cases) {
  registered().insert(registered().end(), cases.begin(), cases.end());
}
const std::vector<Case>& registered_cases() { return registered(); }

std::vector<Case> cases_of(const std::string& name) {
  std::vector<Case> result;
  for (const std::vector<Case>& cases : {all_cases(), registered_cases()})
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(result),
                 [&](const Case& c) { return c.name == name; });
  return result;
}

const std::vector<Refusal>& all_refusals() { return collected().refusals; }

}  // namespace slope
