// Cases of views, of rearranging, joining and splitting, and of calls that must be refused.
#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope {

namespace {

Cases view_cases() {
  Cases result;
  const auto add = [&](const char* op, const char* label, const Dims& shape,
                       Tensor (*f)(const Tensor&)) {
    result.cases.push_back(
        {op, label, {{shape}}, [f](const Tensors& x) { return Tensors{f(x[0])}; }});
  };
  add("reshape", "split a dim", {2, 6}, [](const Tensor& x) { return reshape(x, {2, 3, 2}); });
  add("reshape", "-1", {2, 3}, [](const Tensor& x) { return reshape(x, {-1}); });
  add("reshape", "needs a copy", {2, 3},
      [](const Tensor& x) { return reshape(transpose(x, 0, 1), {6}); });
  add("reshape", "n = 1", {1}, [](const Tensor& x) { return reshape(x, {}); });
  add("reshape", "empty", {2, 0}, [](const Tensor& x) { return reshape(x, {0, 3}); });
  add("reshape", "flatten", {2, 3, 2}, [](const Tensor& x) { return x.flatten(1); });
  add("squeeze", "middle", {2, 1, 3}, [](const Tensor& x) { return squeeze(x, 1); });
  add("squeeze", "nothing to do", {2, 3}, [](const Tensor& x) { return squeeze(x, 0); });
  add("squeeze", "n = 1", {1}, [](const Tensor& x) { return squeeze(x, 0); });
  add("squeeze", "empty", {0, 1}, [](const Tensor& x) { return squeeze(x, -1); });
  add("unsqueeze", "end", {2, 3}, [](const Tensor& x) { return unsqueeze(x, -1); });
  add("unsqueeze", "rank 0", {}, [](const Tensor& x) { return unsqueeze(x, 0); });
  add("unsqueeze", "empty", {0}, [](const Tensor& x) { return unsqueeze(x, 0); });
  add("transpose", "first and last dim", {2, 3, 4},
      [](const Tensor& x) { return transpose(x, 0, -1); });
  add("transpose", "n = 1", {1, 1}, [](const Tensor& x) { return transpose(x, 0, 1); });
  add("transpose", "empty", {2, 0}, [](const Tensor& x) { return transpose(x, 0, 1); });
  add("permute", "cyclic", {2, 3, 4}, [](const Tensor& x) { return permute(x, {2, 0, 1}); });
  add("permute", "negative dims", {2, 3, 2}, [](const Tensor& x) {
    return permute(x, {-2, -1, 0});
  });
  add("permute", "rank 0", {}, [](const Tensor& x) { return permute(x, {}); });
  add("permute", "movedim", {2, 3, 2}, [](const Tensor& x) { return x.movedim(0, -1); });
  add("permute", "empty", {2, 0, 3}, [](const Tensor& x) { return permute(x, {1, 2, 0}); });
  add("expand", "new and old dims", {2, 1}, [](const Tensor& x) { return expand(x, {3, -1, 4}); });
  add("expand", "rank 0", {}, [](const Tensor& x) { return expand(x, {2, 2}); });
  add("expand", "1 to 0", {1, 2}, [](const Tensor& x) { return expand(x, {0, 2}); });
  add("expand", "empty", {0, 1}, [](const Tensor& x) { return expand(x, {0, 3}); });
  add("narrow", "middle", {2, 5}, [](const Tensor& x) { return narrow(x, 1, 1, 3); });
  add("narrow", "from the end", {4, 2}, [](const Tensor& x) { return narrow(x, 0, -2, 2); });
  add("narrow", "length 0", {3}, [](const Tensor& x) { return narrow(x, 0, 1, 0); });
  add("narrow", "n = 1", {1}, [](const Tensor& x) { return narrow(x, 0, 0, 1); });
  add("narrow", "empty", {0, 2}, [](const Tensor& x) { return narrow(x, 1, 1, 1); });
  add("slice", "step 2", {5, 2}, [](const Tensor& x) { return slice(x, 0, 0, INT64_MAX, 2); });
  add("slice", "step 2, even", {2, 6}, [](const Tensor& x) { return slice(x, 1, 1, -1, 2); });
  add("slice", "step 3 from the end", {7},
      [](const Tensor& x) { return slice(x, 0, -6, INT64_MAX, 3); });
  add("slice", "step beyond the size", {3, 2},
      [](const Tensor& x) { return slice(x, 0, 1, 3, 100); });
  add("slice", "end before start", {3}, [](const Tensor& x) { return slice(x, 0, 2, 1); });
  add("slice", "empty", {0}, [](const Tensor& x) { return slice(x, 0, 0, 5, 2); });
  add("select", "first dim", {3, 2}, [](const Tensor& x) { return select(x, 0, 1); });
  add("select", "last, from the end", {2, 3}, [](const Tensor& x) { return select(x, -1, -1); });
  add("select", "n = 1", {1}, [](const Tensor& x) { return x[0]; });
  add("select", "empty", {2, 0}, [](const Tensor& x) { return select(x, 0, 1); });
  add("diagonal", "more columns than rows", {2, 4}, [](const Tensor& x) { return diagonal(x); });
  add("diagonal", "more rows than columns, dims swapped", {4, 2},
      [](const Tensor& x) { return diagonal(x, 1, 0); });
  add("diagonal", "last and first of three dims", {3, 2, 3},
      [](const Tensor& x) { return diagonal(x, -1, 0); });
  add("diagonal", "n = 1", {1, 1}, [](const Tensor& x) { return diagonal(x); });
  add("diagonal", "empty", {0, 3}, [](const Tensor& x) { return diagonal(x); });
  add("clone", "matrix", {2, 3}, [](const Tensor& x) { return clone(x); });
  add("contiguous", "transposed", {2, 3},
      [](const Tensor& x) { return contiguous(transpose(x, 0, 1)); });
  add("clone", "empty", {0}, [](const Tensor& x) { return clone(x); });
  result.cases.push_back({"to", "float64 and back", {{{2, 3}}}, [](const Tensors& x) {
                            return Tensors{to(to(x[0], f64), x[0].dtype())};
                          }});
  return result;
}

Cases rearrange_cases() {
  Cases result;
  const auto add = [&](const char* op, const char* label, const Dims& shape,
                       Tensor (*f)(const Tensor&)) {
    result.cases.push_back(
        {op, label, {{shape}}, [f](const Tensors& x) { return Tensors{f(x[0])}; }});
  };
  add("pad", "last dim", {2, 3}, [](const Tensor& x) { return pad(x, {1, 2}); });
  add("pad", "two dims and a value", {2, 2}, [](const Tensor& x) {
    return pad(x, {0, 1, 2, 0}, 3.5);
  });
  add("pad", "negative widths", {4, 3}, [](const Tensor& x) { return pad(x, {-1, 2, 1, -2}); });
  add("pad", "no widths", {2}, [](const Tensor& x) { return pad(x, {}); });
  add("pad", "n = 1", {1}, [](const Tensor& x) { return pad(x, {1, 1}); });
  add("pad", "empty", {0, 2}, [](const Tensor& x) { return pad(x, {0, 0, 1, 1}); });
  for (const int64_t diagonal : {-5, -1, 0, 1, 5}) {
    const std::string label = "diagonal " + std::to_string(diagonal);
    result.cases.push_back({"tril", label, {{{2, 3, 4}}}, [=](const Tensors& x) {
                              return Tensors{tril(x[0], diagonal)};
                            }});
    result.cases.push_back({"triu", label, {{{4, 3}}}, [=](const Tensors& x) {
                              return Tensors{triu(x[0], diagonal)};
                            }});
  }
  add("tril", "n = 1", {1, 1}, [](const Tensor& x) { return tril(x); });
  add("tril", "empty", {0, 3}, [](const Tensor& x) { return tril(x); });
  add("triu", "n = 1", {1, 1}, [](const Tensor& x) { return triu(x, 1); });
  add("triu", "empty", {2, 0}, [](const Tensor& x) { return triu(x); });
  add("flip", "one dim", {2, 3}, [](const Tensor& x) { return flip(x, {-1}); });
  add("flip", "two dims", {2, 3, 2}, [](const Tensor& x) { return flip(x, {0, 2}); });
  add("flip", "n = 1", {1}, [](const Tensor& x) { return flip(x, {0}); });
  add("flip", "empty", {0, 2}, [](const Tensor& x) { return flip(x, {0, 1}); });
  add("roll", "one dim", {2, 4}, [](const Tensor& x) { return roll(x, {1}, {1}); });
  add("roll", "backwards and beyond", {3, 4}, [](const Tensor& x) {
    return roll(x, {-1, 9}, {0, -1});
  });
  add("roll", "without dims: flattened", {2, 3}, [](const Tensor& x) { return roll(x, {2}, {}); });
  add("roll", "n = 1", {1}, [](const Tensor& x) { return roll(x, {3}, {0}); });
  add("roll", "empty", {0, 2}, [](const Tensor& x) { return roll(x, {1}, {0}); });
  add("repeat", "same rank", {2, 3}, [](const Tensor& x) { return repeat(x, {2, 2}); });
  add("repeat", "more dims", {2}, [](const Tensor& x) { return repeat(x, {3, 1, 2}); });
  add("repeat", "rank 0", {}, [](const Tensor& x) { return repeat(x, {}); });
  add("repeat", "0 times", {2}, [](const Tensor& x) { return repeat(x, {0}); });
  add("repeat", "empty", {0}, [](const Tensor& x) { return repeat(x, {2, 2}); });
  add("repeat_interleave", "first dim", {2, 3},
      [](const Tensor& x) { return repeat_interleave(x, 2, 0); });
  add("repeat_interleave", "last dim", {2, 3},
      [](const Tensor& x) { return repeat_interleave(x, 3, -1); });
  add("repeat_interleave", "n = 1", {1},
      [](const Tensor& x) { return repeat_interleave(x, 1, 0); });
  add("repeat_interleave", "empty", {2, 0},
      [](const Tensor& x) { return repeat_interleave(x, 2, 1); });

  const auto add_joined = [&](const char* op, const char* label,
                              const std::vector<CaseInput>& inputs, Tensor (*f)(const Tensors&)) {
    result.cases.push_back({op, label, inputs, [f](const Tensors& x) { return Tensors{f(x)}; }});
  };
  add_joined("cat", "first dim", {{{2, 3}}, {{1, 3}}}, [](const Tensors& x) { return cat(x); });
  add_joined("cat", "last dim of three", {{{2, 1}}, {{2, 3}}, {{2, 2}}},
             [](const Tensors& x) { return cat(x, -1); });
  add_joined("cat", "a tensor twice", {{{2, 2}}}, [](const Tensors& x) {
    return cat({x[0], x[0]}, 1);
  });
  add_joined("cat", "a single tensor", {{{1}}}, [](const Tensors& x) { return cat(x); });
  add_joined("cat", "beside (0,)", {{{2, 2}}, {{0}}}, [](const Tensors& x) { return cat(x, 1); });
  add_joined("cat", "empty", {{{0, 2}}, {{0, 3}}}, [](const Tensors& x) { return cat(x, 1); });
  add_joined("stack", "first dim", {{{2, 3}}, {{2, 3}}}, [](const Tensors& x) { return stack(x); });
  add_joined("stack", "last dim", {{{2}}, {{2}}, {{2}}},
             [](const Tensors& x) { return stack(x, -1); });
  add_joined("stack", "rank 0", {{Dims{}}, {Dims{}}}, [](const Tensors& x) { return stack(x); });
  add_joined("stack", "empty", {{{0}}, {{0}}}, [](const Tensors& x) { return stack(x, 1); });

  const auto add_parts = [&](const char* op, const char* label, const Dims& shape,
                             Tensors (*f)(const Tensor&)) {
    result.cases.push_back({op, label, {{shape}}, [f](const Tensors& x) { return f(x[0]); }});
  };
  add_parts("split", "even", {4, 3}, [](const Tensor& x) { return split(x, 2); });
  add_parts("split", "a smaller last piece", {2, 5},
            [](const Tensor& x) { return split(x, 2, -1); });
  add_parts("split", "by sizes", {5, 2}, [](const Tensor& x) { return split(x, Dims{1, 0, 4}); });
  add_parts("split", "one piece used", {4, 3},
            [](const Tensor& x) { return Tensors{split(x, 2)[1]}; });
  add_parts("split", "along dim 1, joined along dim 0", {4, 4},
            [](const Tensor& x) { return Tensors{cat(split(x, 2, 1), 0)}; });
  add_parts("chunk", "into three", {5, 2}, [](const Tensor& x) { return chunk(x, 3); });
  add_parts("split", "n = 1", {1}, [](const Tensor& x) { return split(x, 1); });
  add_parts("split", "empty", {0, 2}, [](const Tensor& x) { return split(x, 2); });
  add_parts("unbind", "first dim", {3, 2}, [](const Tensor& x) { return unbind(x); });
  add_parts("unbind", "one piece used", {2, 3},
            [](const Tensor& x) { return Tensors{unbind(x, -1)[1]}; });
  add_parts("unbind", "n = 1", {1}, [](const Tensor& x) { return unbind(x); });
  add_parts("unbind", "empty", {2, 0}, [](const Tensor& x) { return unbind(x); });
  return result;
}

}  // namespace

Cases shape_cases() {
  Cases result = view_cases();
  Cases more = rearrange_cases();
  result.cases.insert(result.cases.end(), more.cases.begin(), more.cases.end());
  const auto z = [] { return zeros({2, 3}, f64); };
  // clang-format off
  result.refusals = {
      {"reshape", "another number of elements", [z] { (void)reshape(z(), {4, 2}); }},
      {"reshape", "-1 twice", [z] { (void)reshape(z(), {-1, -1}); }},
      {"view", "needs a copy", [z] { (void)transpose(z(), 0, 1).view({6}); }},
      {"squeeze", "dim out of range", [z] { (void)squeeze(z(), 2); }},
      {"unsqueeze", "dim out of range", [z] { (void)unsqueeze(z(), 4); }},
      {"transpose", "dim out of range", [z] { (void)transpose(z(), 0, 2); }},
      {"permute", "too few dims", [z] { (void)permute(z(), {0}); }},
      {"permute", "a dim twice", [z] { (void)permute(z(), {0, 0}); }},
      {"expand", "size 2 to 4", [z] { (void)expand(z(), {4, 3}); }},
      {"expand", "fewer dims than x", [z] { (void)expand(z(), {3}); }},
      {"expand", "-1 for a new dim", [z] { (void)expand(z(), {-1, 2, 3}); }},
      {"narrow", "beyond the end", [z] { (void)narrow(z(), 1, 1, 3); }},
      {"narrow", "dim out of range", [z] { (void)narrow(z(), 2, 0, 1); }},
      {"slice", "step 0", [z] { (void)slice(z(), 0, 0, 2, 0); }},
      {"slice", "rank 0", [] { (void)slice(zeros({}), 0, 0, 1); }},
      {"select", "index out of range", [z] { (void)select(z(), 0, 2); }},
      {"select", "rank 0", [] { (void)select(zeros({}), 0, 0); }},
      {"diagonal", "one dim twice", [z] { (void)diagonal(z(), 1, -1); }},
      {"pad", "an odd number of widths", [z] { (void)pad(z(), {1}); }},
      {"pad", "too many widths", [z] { (void)pad(z(), {1, 1, 1, 1, 1, 1}); }},
      {"pad", "widths that cut off more than there is", [z] { (void)pad(z(), {-2, -2}); }},
      {"tril", "rank 1", [] { (void)tril(zeros({3})); }},
      {"triu", "rank 1", [] { (void)triu(zeros({3})); }},
      {"flip", "a dim twice", [z] { (void)flip(z(), {0, -2}); }},
      {"flip", "dim out of range", [z] { (void)flip(z(), {2}); }},
      {"roll", "two shifts for one dim", [z] { (void)roll(z(), {1, 2}, {0}); }},
      {"roll", "dim out of range", [z] { (void)roll(z(), {1}, {5}); }},
      {"repeat", "fewer dims than x", [z] { (void)repeat(z(), {2}); }},
      {"repeat", "a negative number of times", [z] { (void)repeat(z(), {1, -1}); }},
      {"repeat_interleave", "a negative number of times", [z] { (void)repeat_interleave(z(), -1, 0); }},
      {"repeat_interleave", "dim out of range", [z] { (void)repeat_interleave(z(), 2, 2); }},
      {"cat", "no tensor", [] { (void)cat({}); }},
      {"cat", "rank 0", [] { (void)cat({zeros({}), zeros({})}); }},
      {"cat", "sizes that differ in another dim", [z] { (void)cat({z(), zeros({2, 4}, f64)}, 0); }},
      {"stack", "no tensor", [] { (void)stack({}); }},
      {"stack", "shapes that differ", [z] { (void)stack({z(), zeros({3, 2}, f64)}); }},
      {"split", "size 0", [z] { (void)split(z(), 0); }},
      {"split", "sizes that do not add up", [z] { (void)split(z(), Dims{1, 2}); }},
      {"chunk", "0 chunks", [z] { (void)chunk(z(), 0); }},
      {"unbind", "rank 0", [] { (void)unbind(zeros({})); }},
  };
  // clang-format on
  return result;
}

}  // namespace slope
