// Views, copies into another shape, and selection by index.
#include <slope/tools/explorer/language/functions.h>

namespace slope::explorer {

namespace {

using A = const Arguments&;

Value list_of(const Tensors& tensors) {
  Values values;
  for (const Tensor& x : tensors) values.push_back({x});
  return {values};
}

// Limits the number of pieces: each is a tensor, even if it is empty.
void check_pieces(const char* op, const Tensor& x, int64_t dim, int64_t size) {
  constexpr int64_t most = 2000;
  const bool is_right = dim >= -x.rank() && dim < x.rank() && size > 0;  // else op refuses
  const int64_t n = is_right ? (x.size(dim) - 1) / size + 1 : 0;
  SLOPE_CHECK_AS(MemoryError, n <= most, "{}: {} pieces are more than {}", op, n, most);
}

DType dtype_named(const std::string& name) {
  if (name == "f32") return f32;
  if (name == "f64") return f64;
  throw UsageError(fmt::format("to: the dtype has to be 'f32' or 'f64', got '{}'", name));
}

constexpr Function shaping[] = {
    {"reshape", "x, shape", [](A a) { return Value{reshape(a.tensor("x"), a.dims("shape"))}; }},
    {"transpose", "x, a, b",
     [](A a) { return Value{transpose(a.tensor("x"), a.integer("a"), a.integer("b"))}; }},
    {"permute", "x, dims", [](A a) { return Value{permute(a.tensor("x"), a.dims("dims"))}; }},
    {"expand", "x, shape", [](A a) { return Value{expand(a.tensor("x"), a.dims("shape"))}; }},
    {"narrow", "x, dim, start, length",
     [](A a) {
       return Value{
           narrow(a.tensor("x"), a.integer("dim"), a.integer("start"), a.integer("length"))};
     }},
    {"slice", "x, dim, start, end, step = 1",
     [](A a) {
       return Value{slice(a.tensor("x"), a.integer("dim"), a.integer("start"), a.integer("end"),
                          a.integer("step", 1))};
     }},
    {"select", "x, dim, index",
     [](A a) { return Value{select(a.tensor("x"), a.integer("dim"), a.integer("index"))}; }},
    {"diagonal", "x, a = 0, b = 1",
     [](A a) { return Value{diagonal(a.tensor("x"), a.integer("a", 0), a.integer("b", 1))}; }},
    {"squeeze", "x, dim", [](A a) { return Value{squeeze(a.tensor("x"), a.integer("dim"))}; }},
    {"unsqueeze", "x, dim", [](A a) { return Value{unsqueeze(a.tensor("x"), a.integer("dim"))}; }},
    {"split", "x, size, dim = 0",
     [](A a) {
       const Tensor x = a.tensor("x");
       const int64_t size = a.integer("size"), dim = a.integer("dim", 0);
       check_pieces("split", x, dim, size);
       return list_of(split(x, size, dim));
     }},
    {"unbind", "x, dim = 0",
     [](A a) {
       const Tensor x = a.tensor("x");
       const int64_t dim = a.integer("dim", 0);
       check_pieces("unbind", x, dim, 1);
       return list_of(unbind(x, dim));
     }},
    {"clone", "x", [](A a) { return Value{clone(a.tensor("x"))}; }},
    {"contiguous", "x", [](A a) { return Value{contiguous(a.tensor("x"))}; }},
    {"detach", "x", [](A a) { return Value{a.tensor("x").detach()}; }},
    {"to", "x, dtype", [](A a) { return Value{to(a.tensor("x"), dtype_named(a.text("dtype")))}; }},
    {"pad", "x, widths, value = 0",
     [](A a) { return Value{pad(a.tensor("x"), a.dims("widths"), a.number("value", 0))}; }},
    {"tril", "x, diagonal = 0",
     [](A a) { return Value{tril(a.tensor("x"), a.integer("diagonal", 0))}; }},
    {"triu", "x, diagonal = 0",
     [](A a) { return Value{triu(a.tensor("x"), a.integer("diagonal", 0))}; }},
    {"flip", "x, dims", [](A a) { return Value{flip(a.tensor("x"), a.dims("dims"))}; }},
    {"roll", "x, shifts, dims = none",
     [](A a) { return Value{roll(a.tensor("x"), a.dims("shifts"), a.dims_or_none("dims"))}; }},
    {"repeat", "x, times", [](A a) { return Value{repeat(a.tensor("x"), a.dims("times"))}; }},
    {"repeat_interleave", "x, times, dim",
     [](A a) {
       return Value{repeat_interleave(a.tensor("x"), a.integer("times"), a.integer("dim"))};
     }},
    {"cat", "xs, dim = 0", [](A a) { return Value{cat(a.tensors("xs"), a.integer("dim", 0))}; }},
    {"stack", "xs, dim = 0",
     [](A a) { return Value{stack(a.tensors("xs"), a.integer("dim", 0))}; }},
    {"index_select", "x, dim, index",
     [](A a) { return Value{index_select(a.tensor("x"), a.integer("dim"), a.integers("index"))}; }},
    {"gather", "x, dim, index",
     [](A a) { return Value{gather(a.tensor("x"), a.integer("dim"), a.integers("index"))}; }},
    {"scatter_add", "x, dim, index, source",
     [](A a) {
       return Value{
           scatter_add(a.tensor("x"), a.integer("dim"), a.integers("index"), a.tensor("source"))};
     }},
    {"embedding", "index, weight",
     [](A a) { return Value{embedding(a.integers("index"), a.tensor("weight"))}; }},
};

}  // namespace

std::span<const Function> shaping_functions() { return shaping; }

}  // namespace slope::explorer
