// The differentiable methods of Tensor. Most call the operation of the same name.
#include <slope/autograd/ops.h>

namespace slope {

Tensor Tensor::transpose(int64_t a, int64_t b) const { return slope::transpose(*this, a, b); }
Tensor Tensor::permute(const Dims& dims) const { return slope::permute(*this, dims); }
Tensor Tensor::reshape(const Dims& shape) const { return slope::reshape(*this, shape); }
Tensor Tensor::view(const Dims& shape) const {
  SLOPE_CHECK_SHAPE(
      layout().reshape(shape),
      "view: shape {} with strides {} cannot be seen as {} without a copy; use reshape",
      this->shape(), strides(), shape);
  return slope::reshape(*this, shape);
}
Tensor Tensor::flatten(int64_t start, int64_t end) const {
  start = wrap_dim(start, rank(), "flatten"), end = wrap_dim(end, rank(), "flatten");
  SLOPE_CHECK_INDEX(start <= end, "flatten: first dim {} comes after last dim {}", start, end);
  if (rank() == 0) return slope::reshape(*this, {1});
  Dims flat;
  for (int64_t d = 0; d < rank(); ++d) {
    if (d <= start || d > end)
      flat.push_back(size(d));
    else
      flat.back() = checked_mul(flat.back(), size(d));
  }
  return slope::reshape(*this, flat);
}
Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  return slope::narrow(*this, dim, start, length);
}
Tensor Tensor::slice(int64_t dim, int64_t start, int64_t end, int64_t step) const {
  return slope::slice(*this, dim, start, end, step);
}
Tensor Tensor::select(int64_t dim, int64_t index) const { return slope::select(*this, dim, index); }
Tensor Tensor::operator[](int64_t index) const { return slope::select(*this, 0, index); }
Tensor Tensor::expand(const Dims& shape) const { return slope::expand(*this, shape); }
Tensor Tensor::squeeze() const {
  Dims kept;
  for (const int64_t size : shape())
    if (size != 1) kept.push_back(size);
  return slope::reshape(*this, kept);
}
Tensor Tensor::squeeze(int64_t dim) const { return slope::squeeze(*this, dim); }
Tensor Tensor::unsqueeze(int64_t dim) const { return slope::unsqueeze(*this, dim); }
Tensor Tensor::movedim(int64_t from, int64_t to) const {
  from = wrap_dim(from, rank(), "movedim"), to = wrap_dim(to, rank(), "movedim");
  Dims dims;
  for (int64_t d = 0; d < rank(); ++d)
    if (d != from) dims.push_back(d);
  if (rank() > 0) dims.insert(static_cast<size_t>(to), from);
  return slope::permute(*this, dims);
}
std::vector<Tensor> Tensor::split(int64_t size, int64_t dim) const {
  return slope::split(*this, size, dim);
}
std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
  return slope::chunk(*this, chunks, dim);
}
std::vector<Tensor> Tensor::unbind(int64_t dim) const { return slope::unbind(*this, dim); }
Tensor Tensor::contiguous() const { return slope::contiguous(*this); }
Tensor Tensor::clone() const { return slope::clone(*this); }
Tensor Tensor::to(DType dtype) const { return slope::to(*this, dtype); }
Tensor Tensor::matmul(const Tensor& other) const { return slope::matmul(*this, other); }

Tensor Tensor::neg() const { return slope::neg(*this); }
Tensor Tensor::abs() const { return slope::abs(*this); }
Tensor Tensor::sign() const { return slope::sign(*this); }
Tensor Tensor::exp() const { return slope::exp(*this); }
Tensor Tensor::expm1() const { return slope::expm1(*this); }
Tensor Tensor::log() const { return slope::log(*this); }
Tensor Tensor::log1p() const { return slope::log1p(*this); }
Tensor Tensor::sqrt() const { return slope::sqrt(*this); }
Tensor Tensor::rsqrt() const { return slope::rsqrt(*this); }
Tensor Tensor::sin() const { return slope::sin(*this); }
Tensor Tensor::cos() const { return slope::cos(*this); }
Tensor Tensor::tanh() const { return slope::tanh(*this); }
Tensor Tensor::sigmoid() const { return slope::sigmoid(*this); }
Tensor Tensor::relu() const { return slope::relu(*this); }
Tensor Tensor::erf() const { return slope::erf(*this); }
Tensor Tensor::pow(Scalar exponent) const { return slope::pow(*this, exponent); }
Tensor Tensor::pow(const Tensor& exponent) const { return slope::pow(*this, exponent); }
Tensor Tensor::clamp(std::optional<Scalar> low, std::optional<Scalar> high) const {
  return slope::clamp(*this, low, high);
}
Tensor Tensor::masked_fill(const Tensor& mask, Scalar value) const {
  return slope::masked_fill(*this, mask, value);
}
Tensor Tensor::softmax(int64_t dim) const { return slope::softmax(*this, dim); }
Tensor Tensor::log_softmax(int64_t dim) const { return slope::log_softmax(*this, dim); }
Tensor Tensor::cumsum(int64_t dim) const { return slope::cumsum(*this, dim); }

Tensor Tensor::sum(const Dims& dims, bool keepdim) const {
  return slope::sum(*this, dims, keepdim);
}
Tensor Tensor::mean(const Dims& dims, bool keepdim) const {
  return slope::mean(*this, dims, keepdim);
}
Tensor Tensor::amax(const Dims& dims, bool keepdim) const {
  return slope::amax(*this, dims, keepdim);
}
Tensor Tensor::amin(const Dims& dims, bool keepdim) const {
  return slope::amin(*this, dims, keepdim);
}
Tensor Tensor::logsumexp(const Dims& dims, bool keepdim) const {
  return slope::logsumexp(*this, dims, keepdim);
}
Tensor Tensor::var(const Dims& dims, double correction, bool keepdim) const {
  return slope::var(*this, dims, correction, keepdim);
}
Tensor Tensor::std(const Dims& dims, double correction, bool keepdim) const {
  return slope::std(*this, dims, correction, keepdim);
}
Tensor Tensor::norm(double p, const Dims& dims, bool keepdim) const {
  return slope::norm(*this, p, dims, keepdim);
}
Tensor Tensor::prod() const { return slope::prod(*this); }
Tensor Tensor::prod(int64_t dim, bool keepdim) const { return slope::prod(*this, dim, keepdim); }
Tensor Tensor::max() const { return slope::max(*this); }
ValuesAndIndices Tensor::max(int64_t dim, bool keepdim) const {
  return slope::max(*this, dim, keepdim);
}
Tensor Tensor::min() const { return slope::min(*this); }
ValuesAndIndices Tensor::min(int64_t dim, bool keepdim) const {
  return slope::min(*this, dim, keepdim);
}
Tensor Tensor::argmax() const { return slope::argmax(*this); }
Tensor Tensor::argmax(int64_t dim, bool keepdim) const {
  return slope::argmax(*this, dim, keepdim);
}
Tensor Tensor::argmin() const { return slope::argmin(*this); }
Tensor Tensor::argmin(int64_t dim, bool keepdim) const {
  return slope::argmin(*this, dim, keepdim);
}
ValuesAndIndices Tensor::sort(int64_t dim, bool descending) const {
  return slope::sort(*this, dim, descending);
}
ValuesAndIndices Tensor::topk(int64_t k, int64_t dim, bool largest) const {
  return slope::topk(*this, k, dim, largest);
}

}  // namespace slope
