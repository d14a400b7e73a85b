// Cases of products: every rank combination, broadcast batches, sizes 0 and 1, einsum's forms.
#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope {

Cases matrix_cases() {
  Cases result;
  const auto product = [&](const char* label, const Dims& a, const Dims& b) {
    result.cases.push_back({"matmul", label, {{a}, {b}}, [](const Tensors& x) {
                              return Tensors{matmul(x[0], x[1])};
                            }});
  };
  product("matrices", {3, 4}, {4, 2});
  product("vectors", {4}, {4});
  product("vector, matrix", {3}, {3, 2});
  product("matrix, vector", {2, 3}, {3});
  product("batch, matrix", {2, 3, 4}, {4, 2});
  product("matrix, batch", {3, 4}, {2, 4, 2});
  product("batches", {2, 3, 2}, {2, 2, 3});
  product("broadcast batches", {2, 1, 2, 3}, {3, 3, 2});
  product("vector, batch", {3}, {2, 3, 2});
  product("batch, vector", {2, 2, 3}, {3});
  product("n = 1", {1, 1}, {1, 1});
  product("inner size 0", {2, 0}, {0, 3});
  product("empty", {0, 3}, {3, 2});
  product("empty batch", {0, 2, 3}, {3, 2});
  product("no columns", {2, 2, 3}, {3, 0});
  result.cases.push_back({"matmul", "with itself", {{{3, 3}}}, [](const Tensors& x) {
                            return Tensors{matmul(x[0], transpose(x[0], 0, 1))};
                          }});
  result.cases.push_back({"bmm", "batch", {{{2, 3, 4}}, {{2, 4, 2}}}, [](const Tensors& x) {
                            return Tensors{bmm(x[0], x[1])};
                          }});
  result.cases.push_back({"bmm", "n = 1", {{{1, 1, 1}}, {{1, 1, 1}}}, [](const Tensors& x) {
                            return Tensors{bmm(x[0], x[1])};
                          }});
  result.cases.push_back({"bmm", "empty", {{{0, 3, 4}}, {{0, 4, 2}}}, [](const Tensors& x) {
                            return Tensors{bmm(x[0], x[1])};
                          }});

  const auto layer = [&](const char* label, const Dims& x, const Dims& weight) {
    result.cases.push_back({"linear",
                            std::string(label) + ", with bias",
                            {{x}, {weight}, {{weight[0]}}},
                            [](const Tensors& t) { return Tensors{linear(t[0], t[1], t[2])}; }});
    result.cases.push_back({"linear", label, {{x}, {weight}}, [](const Tensors& t) {
                              return Tensors{linear(t[0], t[1])};
                            }});
  };
  layer("rows", {4, 3}, {2, 3});
  layer("one row", {3}, {2, 3});
  layer("batch of sequences", {2, 3, 4}, {3, 4});
  layer("n = 1", {1, 1}, {1, 1});
  layer("empty", {0, 3}, {2, 3});
  layer("no inputs", {2, 0}, {3, 0});
  layer("no outputs", {2, 3}, {0, 3});

  const auto sum_of_products = [&](const char* equation, const std::vector<Dims>& shapes) {
    std::vector<CaseInput> inputs;
    for (const Dims& shape : shapes) inputs.push_back({shape});
    result.cases.push_back({"einsum", equation, inputs,
                            [equation](const Tensors& x) { return Tensors{einsum(equation, x)}; }});
  };
  sum_of_products("bqd,bkd->bqk", {{2, 3, 4}, {2, 2, 4}});
  sum_of_products("ij,jk", {{2, 3}, {3, 2}});
  sum_of_products("i,j->ij", {{2}, {3}});
  sum_of_products("ij,ij->", {{2, 3}, {2, 3}});
  sum_of_products("...ij,...jk->...ik", {{2, 1, 2, 3}, {3, 3, 2}});
  sum_of_products("ij,jk,kl->il", {{2, 3}, {3, 2}, {2, 2}});
  sum_of_products("iij,jk->ik", {{2, 2, 3}, {3, 2}});
  sum_of_products("ab,cd->ac", {{2, 3}, {2, 2}});
  sum_of_products("ij->ji", {{2, 3}});
  sum_of_products("bij->bj", {{2, 3, 2}});

  const auto z = [](const Dims& shape) { return zeros(shape, f64); };
  // clang-format off
  result.refusals = {
      {"matmul", "inner sizes that differ", [z] { (void)matmul(z({2, 3}), z({4, 5})); }},
      {"matmul", "vector of another size", [z] { (void)matmul(z({3}), z({4, 5})); }},
      {"matmul", "rank 0", [z] { (void)matmul(z({}), z({2, 2})); }},
      {"matmul", "batches that do not broadcast", [z] { (void)matmul(z({2, 3, 4}), z({3, 4, 5})); }},
      {"matmul", "dtypes that differ", [z] { (void)matmul(z({2, 3}), zeros({3, 4}, f32)); }},
      {"matmul", "integer dtype", [] { (void)matmul(zeros({2, 3}, i64), zeros({3, 4}, i64)); }},
      {"bmm", "rank 2", [z] { (void)bmm(z({2, 3}), z({3, 4})); }},
      {"bmm", "batch sizes that differ", [z] { (void)bmm(z({2, 2, 3}), z({3, 3, 4})); }},
      {"bmm", "inner sizes that differ", [z] { (void)bmm(z({2, 2, 3}), z({2, 4, 4})); }},
      {"linear", "inner sizes that differ", [z] { (void)linear(z({2, 3}), z({4, 5})); }},
      {"linear", "bias of another size", [z] { (void)linear(z({2, 3}), z({4, 3}), z({3})); }},
      {"linear", "weight of rank 1", [z] { (void)linear(z({2, 3}), z({3})); }},
      {"linear", "x of rank 0", [z] { (void)linear(z({}), z({2, 3})); }},
      {"linear", "dtypes that differ", [z] { (void)linear(z({2, 3}), zeros({4, 3}, f32)); }},
      {"einsum", "more terms than operands", [z] { (void)einsum("ij,jk->ik", {z({2, 3})}); }},
      {"einsum", "fewer names than dims", [z] { (void)einsum("ij->i", {z({2, 3, 4})}); }},
      {"einsum", "one name for two sizes", [z] { (void)einsum("ij,jk->ik", {z({2, 3}), z({4, 5})}); }},
      {"einsum", "a name of no operand in the result", [z] { (void)einsum("ij->k", {z({2, 3})}); }},
      {"einsum", "a digit as name", [z] { (void)einsum("i1->i", {z({2, 3})}); }},
      {"einsum", "a name twice in the result", [z] { (void)einsum("ij->ii", {z({2, 3})}); }},
  };
  // clang-format on
  return result;
}

}  // namespace slope
