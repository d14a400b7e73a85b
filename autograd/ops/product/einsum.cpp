// einsum("bqd,bkd->bqk", {q, k}): a sum of products over named dims, composed of diagonals, sums,
// permutes and batched products.
//
// Each operand is first reduced to one dim for each of its names. Then the operands are joined from
// left to right, each time two of them, a and b, by a batched product:
//   (shared, only a, summed) @ (shared, summed, only b) -> (shared, only a, only b)
// A dim is summed as soon as neither the result nor a later operand has it.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/product/einsum_equation.h>

#include <algorithm>

namespace slope {

namespace {

struct Named {
  Tensor x;
  DimNames names;  // one for each dim of x
};

bool has(const DimNames& names, char name) { return names.find(name) != DimNames::npos; }

// Of the dim with this name; 1 if there is none.
int64_t size_of(const Named& a, char name) {
  return has(a.names, name) ? a.x.size(static_cast<int64_t>(a.names.find(name))) : 1;
}

// Takes the diagonal of dims with the same name, as in "ii->i", until each name occurs once.
Named diagonals(const std::string& equation, Named a) {
  for (size_t i = 0; i < a.names.size(); ++i) {
    const size_t j = a.names.find(a.names[i], i + 1);
    if (j == DimNames::npos) continue;
    const char name = a.names[i];
    const auto first = static_cast<int64_t>(i), second = static_cast<int64_t>(j);
    SLOPE_CHECK_SHAPE(a.x.size(first) == a.x.size(second),
                      "einsum: '{}' in \"{}\" is both {} and {}", name, equation, a.x.size(first),
                      a.x.size(second));
    a.x = diagonal(a.x, first, second);
    a.names.erase(j, 1).erase(i, 1).push_back(name);
    i = static_cast<size_t>(-1);  // the diagonal is now the last dim: start again
  }
  return a;
}

// The sum of a over the dims that are not in `keep`.
Named sum_all_but(const DimNames& keep, const Named& a) {
  Named result{a.x, {}};
  Dims summed;
  for (size_t d = 0; d < a.names.size(); ++d) {
    if (has(keep, a.names[d]))
      result.names.push_back(a.names[d]);
    else
      summed.push_back(static_cast<int64_t>(d));
  }
  if (!summed.empty()) result.x = sum(a.x, summed);
  return result;
}

// a with the dims `names` in this order; a dim that it lacks gets size 1.
Tensor with_dims(const DimNames& names, const Named& a) {
  Tensor x = a.x;
  Dims order;
  int64_t next = x.rank();
  for (const char name : names)
    order.push_back(has(a.names, name) ? static_cast<int64_t>(a.names.find(name)) : next++);
  while (x.rank() < next) x = unsqueeze(x, -1);
  for (size_t d = 0; d < order.size(); ++d)
    if (order[d] != static_cast<int64_t>(d)) return permute(x, order);
  return x;
}

// The common size of each dim; a size of 1 broadcasts.
Dims common_sizes(const std::string& equation, const DimNames& names, const Named& a,
                  const Named& b) {
  Dims sizes;
  for (const char name : names) {
    const int64_t p = size_of(a, name), q = size_of(b, name);
    SLOPE_CHECK_SHAPE(p == q || p == 1 || q == 1,
                      "einsum: \"{}\" gives one name the sizes {} and {}", equation, p, q);
    sizes.push_back(p == 1 ? q : p);
  }
  return sizes;
}

// The product of a and b, summed over the dims that both have and `later` lacks.
Named join(const std::string& equation, const Named& a, const Named& b, const DimNames& later) {
  DimNames shared, only_a, only_b, summed;
  for (const char name : a.names)
    (!has(b.names, name) ? only_a : has(later, name) ? shared : summed).push_back(name);
  for (const char name : b.names)
    if (!has(a.names, name)) only_b.push_back(name);
  const auto sizes = [&](const DimNames& names) { return common_sizes(equation, names, a, b); };
  // x with these dims, those of each group of names merged into one
  const auto matrix = [&](const Named& x, const DimNames& s, const DimNames& i, const DimNames& j) {
    const Dims full = sizes(s + i + j);
    const Tensor y = with_dims(s + i + j, x);
    return reshape(y.shape() == full ? y : expand(y, full),
                   {numel(sizes(s)), numel(sizes(i)), numel(sizes(j))});
  };
  const Tensor y = bmm(matrix(a, shared, only_a, summed), matrix(b, shared, summed, only_b));
  const DimNames names = shared + only_a + only_b;
  return {reshape(y, sizes(names)), names};
}

}  // namespace

Tensor einsum(const std::string& equation, const Tensors& operands) {
  std::vector<int64_t> ranks;
  for (const Tensor& x : operands) ranks.push_back(x.rank());
  const EinsumEquation parsed = parse_einsum(equation, ranks);
  std::vector<Named> parts;
  for (size_t i = 0; i < operands.size(); ++i)
    parts.push_back(diagonals(equation, {operands[i], parsed.operands[i]}));

  const auto needed_after = [&](size_t i) {  // by the result and the operands behind operand i
    DimNames names = parsed.result;
    for (++i; i < parts.size(); ++i) names += parts[i].names;
    return names;
  };
  Named all = sum_all_but(needed_after(0), parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    const DimNames later = needed_after(i);
    all = join(equation, all, sum_all_but(later + all.names, parts[i]), later);
    all = sum_all_but(later, all);
  }
  return with_dims(parsed.result, all);
}

}  // namespace slope
