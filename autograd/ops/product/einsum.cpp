// einsum("bqd,bkd->bqk", {q, k}): a sum of products over named dims, composed of diagonals, sums,
// permutes and batched products.
//
// Each operand is first reduced to one dim for each of its names. Then the operands are joined from
// left to right: a, the product so far, and b, the next operand, by a batched product
//   (shared, only a, summed) @ (shared, summed, only b) -> (shared, only a, only b)
// A dim is summed as soon as neither the result nor a later operand has it.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/product/einsum_equation.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace slope {

namespace {

struct Named {
  Tensor x;
  DimNames names;  // one for each dim of x
};

bool has(const DimNames& names, char name) { return names.find(name) != DimNames::npos; }

// The size of the dim with this name; 1 if there is none.
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

// A name has one size in all operands; a size of 1 broadcasts.
void check_sizes(const std::string& equation, const std::vector<Named>& parts,
                 const Tensors& operands) {
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t j = i + 1; j < parts.size(); ++j)
      for (const char name : parts[i].names) {
        const int64_t p = size_of(parts[i], name), q = size_of(parts[j], name);
        const bool is_letter = std::isalpha(static_cast<unsigned char>(name));
        SLOPE_CHECK_SHAPE(p == q || p == 1 || q == 1,
                          "einsum: in \"{}\" {} is {} in operand {} of shape {}, but {} in operand "
                          "{} of shape {}",
                          equation, is_letter ? fmt::format("'{}'", name) : "a dim of '...'", p, i,
                          operands[i].shape(), q, j, operands[j].shape());
      }
}

// The common size of each dim.
Dims common_sizes(const DimNames& names, const Named& a, const Named& b) {
  Dims sizes;
  for (const char name : names) {
    const int64_t p = size_of(a, name), q = size_of(b, name);
    sizes.push_back(p == 1 ? q : p);
  }
  return sizes;
}

// Dims of two operands that become one dim of a batched product.
struct Group {
  DimNames names;
  Dims sizes = {};
};

// a with the dims of each group merged into one.
Tensor merged(const Named& a, std::initializer_list<const Group*> groups) {
  DimNames names;
  Dims full, sizes;
  for (const Group* group : groups) {
    names += group->names;
    for (const int64_t size : group->sizes) full.push_back(size);
    sizes.push_back(numel(group->sizes));
  }
  const Tensor x = with_dims(names, a);
  return reshape(x.shape() == full ? x : expand(x, full), sizes);
}

// The product of a and b, summed over the dims that both have and `later` lacks.
Named join(const Named& a, const Named& b, const DimNames& later) {
  Group shared, only_a, only_b, summed;
  for (const char name : a.names)
    (!has(b.names, name) ? only_a : has(later, name) ? shared : summed).names.push_back(name);
  for (const char name : b.names)
    if (!has(a.names, name)) only_b.names.push_back(name);
  for (Group* group : {&shared, &only_a, &only_b, &summed})
    group->sizes = common_sizes(group->names, a, b);
  const Tensor left = merged(a, {&shared, &only_a, &summed}),
               right = merged(b, {&shared, &summed, &only_b}), y = bmm(left, right);
  Named result;
  Dims sizes;
  for (const Group* group : {&shared, &only_a, &only_b}) {
    result.names += group->names;
    for (const int64_t size : group->sizes) sizes.push_back(size);
  }
  result.x = reshape(y, sizes);
  return result;
}

}  // namespace

Tensor einsum(const std::string& equation, const Tensors& operands) {
  Dims ranks;
  for (const Tensor& x : operands) ranks.push_back(x.rank());
  EinsumEquation parsed = parse_einsum(equation, ranks);
  for (size_t i = 1; i < operands.size(); ++i)
    SLOPE_CHECK_DTYPE(operands[i].dtype() == operands[0].dtype(),
                      "einsum: dtypes differ: {} and {}; convert one with to()",
                      name(operands[0].dtype()), name(operands[i].dtype()));
  if (operands.size() > 1) check_floating(operands[0].dtype(), "einsum");
  std::vector<Named> parts;
  parts.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    parts.push_back(diagonals(equation, {operands[i], std::move(parsed.operands[i])}));
  check_sizes(equation, parts, operands);

  const auto needed_after = [&](size_t i) {  // by the result or an operand after operand i
    DimNames names = parsed.result;
    for (++i; i < parts.size(); ++i) names += parts[i].names;
    return names;
  };
  Named all = sum_all_but(needed_after(0), parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    const DimNames later = needed_after(i);
    all = join(all, sum_all_but(later + all.names, parts[i]), later);
    all = sum_all_but(later, all);
  }
  const Tensor y = with_dims(parsed.result, all);
  // never the operand itself: what is set on the result would act on it
  return y.is_same(operands[0]) ? reshape(y, y.shape()) : y;
}

}  // namespace slope
