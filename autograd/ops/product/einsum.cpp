// einsum("bqd,bkd->bqk", {q, k}): a sum of products over named dims, composed of diagonals, sums,
// permutes and batched products.
//
// Each operand becomes a tensor with one dim for each of its names. From left to right, two
// operands a, b are joined:
//   (shared, only a, summed) @ (shared, summed, only b) -> (shared, only a, only b)
// A name is summed as soon as no later operand and not the result has it. "..." stands for the
// unnamed dims, which broadcast.
#include <slope/autograd/ops.h>

#include <algorithm>

namespace slope {

namespace {

// one character per dim; those of "..." get the characters 1, 2, …, where 1 is the last
using Names = std::string;

struct Named {
  Tensor x;
  Names names;
};

constexpr int max_ellipsis = 20;  // dims that "..." may stand for; below any letter

Names ellipsis(size_t rank) {
  Names names;
  for (size_t d = rank; d > 0; --d) names.push_back(static_cast<char>(d));
  return names;
}

// "i...j" for a tensor of the given rank.
Names names_of(const std::string& equation, const std::string& term, size_t rank) {
  const size_t dots = term.find("...");
  const size_t letters = term.size() - (dots == std::string::npos ? 0 : 3);
  SLOPE_CHECK_SHAPE(dots == std::string::npos ? letters == rank
                                              : letters <= rank && rank - letters <= max_ellipsis,
                    "einsum: '{}' in \"{}\" names {} dims, its operand has {}", term, equation,
                    letters, rank);
  return dots == std::string::npos
             ? term
             : term.substr(0, dots) + ellipsis(rank - letters) + term.substr(dots + 3);
}

void check_term(const std::string& equation, const std::string& term) {
  std::string letters = term;
  if (const size_t dots = letters.find("..."); dots != std::string::npos) letters.erase(dots, 3);
  for (const char c : letters)
    SLOPE_CHECK_SHAPE(
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'),
        "einsum: '{}' in \"{}\" is not a name; names are letters, unnamed dims \"...\"", c,
        equation);
}

bool has(const Names& names, char name) { return names.find(name) != Names::npos; }
int64_t size_in(const Named& a, char name) {
  return has(a.names, name) ? a.x.size(static_cast<int64_t>(a.names.find(name))) : 1;
}

// A name that appears twice in one operand means its diagonal.
Named without_repeats(const std::string& equation, Named a) {
  for (size_t i = 0; i < a.names.size(); ++i) {
    const size_t j = a.names.find(a.names[i], i + 1);
    if (j == Names::npos) continue;
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

Named sum_out(const Named& a, const Names& keep) {
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

// a with exactly these dims, in this order; missing ones get size 1.
Tensor arrange(const Named& a, const Names& names) {
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

Tensor broadcast(const Tensor& x, const Dims& shape) {
  return x.shape() == shape ? x : expand(x, shape);
}

Named join(const std::string& equation, const Named& a, const Named& b, const Names& later) {
  Names shared, only_a, only_b, summed;
  for (const char name : a.names)
    (!has(b.names, name) ? only_a : has(later, name) ? shared : summed).push_back(name);
  for (const char name : b.names)
    if (!has(a.names, name)) only_b.push_back(name);
  const auto sizes = [&](const Names& names) {
    Dims result;
    for (const char name : names) {
      const int64_t p = size_in(a, name), q = size_in(b, name);
      SLOPE_CHECK_SHAPE(p == q || p == 1 || q == 1,
                        "einsum: \"{}\" gives one name the sizes {} and {}", equation, p, q);
      result.push_back(p == 1 ? q : p);
    }
    return result;
  };
  const Dims S = sizes(shared), A = sizes(only_a), B = sizes(only_b), K = sizes(summed);
  const auto joined = [](std::initializer_list<const Dims*> parts) {
    Dims all;
    for (const Dims* part : parts)
      for (const int64_t size : *part) all.push_back(size);
    return all;
  };
  const int64_t s = numel(S), n = numel(A), m = numel(B), k = numel(K);
  const Tensor left =
      reshape(broadcast(arrange(a, shared + only_a + summed), joined({&S, &A, &K})), {s, n, k});
  const Tensor right =
      reshape(broadcast(arrange(b, shared + summed + only_b), joined({&S, &K, &B})), {s, k, m});
  return {reshape(bmm(left, right), joined({&S, &A, &B})), shared + only_a + only_b};
}

}  // namespace

Tensor einsum(const std::string& given, const Tensors& operands) {
  std::string equation;
  std::copy_if(given.begin(), given.end(), std::back_inserter(equation),
               [](char c) { return c != ' '; });
  const size_t arrow = equation.find("->");
  const std::string inputs = equation.substr(0, arrow);
  std::vector<std::string> terms(1);
  for (const char c : inputs)
    if (c == ',')
      terms.emplace_back();
    else
      terms.back().push_back(c);
  SLOPE_CHECK_SHAPE(!operands.empty() && terms.size() == operands.size(),
                    "einsum: \"{}\" has {} terms for {} operands", given, terms.size(),
                    operands.size());

  std::vector<Named> parts;
  size_t unnamed = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    check_term(given, terms[i]);
    const Names names = names_of(given, terms[i], operands[i].shape().size());
    unnamed = std::max(
        unnamed, static_cast<size_t>(std::count_if(names.begin(), names.end(),
                                                   [](char c) { return c <= max_ellipsis; })));
    parts.push_back(without_repeats(given, {operands[i], names}));
  }

  Names result;
  if (arrow != std::string::npos) {
    const std::string term = equation.substr(arrow + 2);
    check_term(given, term);
    const size_t dots = term.find("...");
    result = dots == std::string::npos
                 ? term
                 : term.substr(0, dots) + ellipsis(unnamed) + term.substr(dots + 3);
  } else {  // unnamed dims, then the names that appear once, in alphabetical order
    result = ellipsis(unnamed);
    for (char name = 'A'; name <= 'z'; ++name)
      if (std::count(inputs.begin(), inputs.end(), name) == 1 && (name <= 'Z' || name >= 'a'))
        result.push_back(name);
  }
  for (const char name : result) {
    SLOPE_CHECK_SHAPE(std::count(result.begin(), result.end(), name) == 1,
                      "einsum: the result of \"{}\" names '{}' twice", given, name);
    SLOPE_CHECK_SHAPE(
        std::any_of(parts.begin(), parts.end(), [&](const Named& p) { return has(p.names, name); }),
        "einsum: the result of \"{}\" names '{}', which no operand has", given, name);
  }

  const auto names_from = [&](size_t first) {  // of the result and the operands from `first` on
    Names names = result;
    for (size_t i = first; i < parts.size(); ++i) names += parts[i].names;
    return names;
  };
  Named all = sum_out(parts[0], names_from(1));
  for (size_t i = 1; i < parts.size(); ++i) {
    const Names later = names_from(i + 1);
    all = join(given, all, sum_out(parts[i], later + all.names), later);
    all = sum_out(all, later);
  }
  return arrange(all, result);
}

}  // namespace slope
