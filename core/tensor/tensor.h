// Tensor: one pointer to a TensorImpl. Copying shares, as a Python reference does: a parameter
// keeps its identity when it is loaded, tied, converted or held by an optimizer. The methods above
// the line "differentiable" know nothing of gradients; those below are defined only once, in
// autograd/ops/methods.cpp: no second version silently detaches.
#pragma once

#include <slope/core/memory/memory.h>
#include <slope/core/tensor/dtype.h>
#include <slope/core/tensor/layout.h>
#include <slope/core/tensor/scalar.h>
#include <slope/core/tensor/storage.h>

#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slope {

// What autograd stores with a tensor; core only knows that it may object to a write.
struct Meta {
  virtual ~Meta() = default;
  virtual void check_write() const = 0;  // throws if a write would corrupt the tape
  // what printing appends: "requires_grad=True", "grad_fn=<AddBackward0>" or nothing
  virtual std::string text() const = 0;
};

struct TensorImpl : RefCounted, memory::Allocated {
  Storage storage;
  Layout layout;
  DType dtype = f32;
  std::unique_ptr<Meta> meta;

  static void destroy(TensorImpl* impl) { delete impl; }
};

// A scoped write: a pointer to the tensor's first element (strides are up to the caller); bumps the
// storage's version when it ends.
template <class T>
class Write {
 public:
  Write(T* data, Storage storage) : data_(data), storage_(std::move(storage)) {}
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;
  ~Write() {
    if (!storage_) __builtin_unreachable();  // otherwise g++ warns of a write through null
    storage_->bump_version();
  }
  operator T*() const { return data_; }
  T* get() const { return data_; }

 private:
  T* data_;
  Storage storage_;
};

struct ValuesAndIndices;  // autograd/ops.h

// A dim given as a number, so that {} stays an empty list of dims.
template <class T>
concept DimNumber = std::integral<T> && !std::same_as<T, bool>;

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}
  // IndexError if the layout exceeds the storage
  Tensor(Storage storage, Layout layout, DType dtype);
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  // not for temporaries, to which assigning would do nothing
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  // deleted: use any(x), all(x) or x.item<bool>(); defined() tells whether there is a tensor
  explicit operator bool() const = delete;

  static Tensor empty(const Dims& shape, DType dtype = f32);  // contiguous, not initialised

  bool defined() const { return static_cast<bool>(impl_); }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  DType dtype() const { return impl().dtype; }
  const Layout& layout() const { return impl().layout; }
  const Dims& shape() const { return layout().shape; }
  const Dims& strides() const { return layout().strides; }
  int64_t rank() const { return layout().rank(); }
  int64_t numel() const {
    uint64_t n = 1;
    // cannot overflow: checked when the layout was made
    for (int64_t size : shape()) n *= static_cast<uint64_t>(size);
    return static_cast<int64_t>(n);
  }
  int64_t size(int64_t dim) const {
    const Dims& sizes = shape();
    const auto rank = static_cast<int64_t>(sizes.size());
    if (dim >= -rank && dim < rank) return sizes[dim < 0 ? dim + rank : dim];
    SLOPE_CHECK_INDEX(rank > 0, "size: a tensor of rank 0 has no dims");
    return wrap_dim(dim, rank, "size");  // which throws
  }
  bool is_contiguous() const { return layout().is_contiguous(); }
  const Storage& storage() const { return impl().storage; }
  TensorImpl& impl() const {  // throws if there is no tensor
    if (!impl_) refuse_undefined();
    return *impl_;
  }

  // auto [B, T, C] = x.dims<3>(): the sizes, after a check of the rank.
  template <size_t N>
  std::array<int64_t, N> dims() const {
    SLOPE_CHECK_SHAPE(shape().size() == N, "expected a tensor of rank {}, got shape {}", N,
                      shape());
    std::array<int64_t, N> sizes;
    for (size_t d = 0; d < N; ++d) sizes[d] = shape()[d];
    return sizes;
  }

  template <Element T>
  const T* data() const {
    return static_cast<const T*>(address(dtype_of<T>));
  }
  template <Element T>
  [[nodiscard]] Write<T> write() const {  // needs NoGrad if the tensor requires a gradient
    return Write<T>(static_cast<T*>(writable_address(dtype_of<T>)), storage());
  }
  template <Element T>
  T item() const {  // the one element, of exactly this dtype
    SLOPE_CHECK_SHAPE(numel() == 1, "item: needs exactly one element, got shape {}", shape());
    return *data<T>();
  }
  double item() const;  // the one element, of any dtype, as a double
  // every element in row-major order, as doubles: for tests and small tensors
  std::vector<double> to_vector() const;

  // ---- differentiable: defined in autograd/ops/methods.cpp, documented in autograd/ops.h
  [[nodiscard]] Tensor transpose(int64_t a, int64_t b) const;
  [[nodiscard]] Tensor permute(const Dims& dims) const;
  [[nodiscard]] Tensor reshape(const Dims& shape) const;
  [[nodiscard]] Tensor view(const Dims& shape) const;
  [[nodiscard]] Tensor flatten(int64_t start = 0, int64_t end = -1) const;
  [[nodiscard]] Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  [[nodiscard]] Tensor slice(int64_t dim, int64_t start, int64_t end = INT64_MAX,
                             int64_t step = 1) const;
  [[nodiscard]] Tensor select(int64_t dim, int64_t index) const;
  [[nodiscard]] Tensor operator[](int64_t index) const;  // select(0, index)
  [[nodiscard]] Tensor expand(const Dims& shape) const;  // -1 keeps a size
  [[nodiscard]] Tensor squeeze() const;
  [[nodiscard]] Tensor squeeze(int64_t dim) const;
  [[nodiscard]] Tensor unsqueeze(int64_t dim) const;
  [[nodiscard]] Tensor movedim(int64_t from, int64_t to) const;
  [[nodiscard]] std::vector<Tensor> split(int64_t size, int64_t dim = 0) const;
  [[nodiscard]] std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  [[nodiscard]] std::vector<Tensor> unbind(int64_t dim = 0) const;
  [[nodiscard]] Tensor contiguous() const;  // x itself if it is contiguous
  [[nodiscard]] Tensor clone() const;
  [[nodiscard]] Tensor to(DType dtype) const;  // x itself if it has this dtype
  [[nodiscard]] Tensor matmul(const Tensor& other) const;
  [[nodiscard]] Tensor neg() const;
  [[nodiscard]] Tensor abs() const;
  [[nodiscard]] Tensor sign() const;
  [[nodiscard]] Tensor exp() const;
  [[nodiscard]] Tensor expm1() const;
  [[nodiscard]] Tensor log() const;
  [[nodiscard]] Tensor log1p() const;
  [[nodiscard]] Tensor sqrt() const;
  [[nodiscard]] Tensor rsqrt() const;
  [[nodiscard]] Tensor sin() const;
  [[nodiscard]] Tensor cos() const;
  [[nodiscard]] Tensor tanh() const;
  [[nodiscard]] Tensor sigmoid() const;
  [[nodiscard]] Tensor relu() const;
  [[nodiscard]] Tensor erf() const;
  [[nodiscard]] Tensor pow(Scalar exponent) const;
  [[nodiscard]] Tensor pow(const Tensor& exponent) const;
  [[nodiscard]] Tensor clamp(std::optional<Scalar> low, std::optional<Scalar> high = {}) const;
  [[nodiscard]] Tensor masked_fill(const Tensor& mask, Scalar value) const;
  [[nodiscard]] Tensor softmax(int64_t dim) const;
  [[nodiscard]] Tensor log_softmax(int64_t dim) const;
  [[nodiscard]] Tensor cumsum(int64_t dim) const;
  // Reductions: over all elements, over a list of dims, or over one.
  [[nodiscard]] Tensor sum(const Dims& dims = {}, bool keepdim = false) const;
  [[nodiscard]] Tensor mean(const Dims& dims = {}, bool keepdim = false) const;
  [[nodiscard]] Tensor var(const Dims& dims = {}, double correction = 1,
                           bool keepdim = false) const;
  [[nodiscard]] Tensor std(const Dims& dims = {}, double correction = 1,
                           bool keepdim = false) const;
  [[nodiscard]] Tensor amax(const Dims& dims = {}, bool keepdim = false) const;
  [[nodiscard]] Tensor amin(const Dims& dims = {}, bool keepdim = false) const;
  [[nodiscard]] Tensor logsumexp(const Dims& dims, bool keepdim = false) const;
  [[nodiscard]] Tensor norm(double p = 2, const Dims& dims = {}, bool keepdim = false) const;
  [[nodiscard]] Tensor sum(DimNumber auto dim, bool keepdim = false) const {
    return sum(Dims{dim}, keepdim);
  }
  [[nodiscard]] Tensor mean(DimNumber auto dim, bool keepdim = false) const {
    return mean(Dims{dim}, keepdim);
  }
  [[nodiscard]] Tensor var(DimNumber auto dim, double correction = 1, bool keepdim = false) const {
    return var(Dims{dim}, correction, keepdim);
  }
  [[nodiscard]] Tensor std(DimNumber auto dim, double correction = 1, bool keepdim = false) const {
    return std(Dims{dim}, correction, keepdim);
  }
  [[nodiscard]] Tensor amax(DimNumber auto dim, bool keepdim = false) const {
    return amax(Dims{dim}, keepdim);
  }
  [[nodiscard]] Tensor amin(DimNumber auto dim, bool keepdim = false) const {
    return amin(Dims{dim}, keepdim);
  }
  [[nodiscard]] Tensor logsumexp(DimNumber auto dim, bool keepdim = false) const {
    return logsumexp(Dims{dim}, keepdim);
  }
  [[nodiscard]] Tensor prod() const;
  [[nodiscard]] Tensor prod(int64_t dim, bool keepdim = false) const;
  [[nodiscard]] Tensor max() const;
  [[nodiscard]] Tensor min() const;
  [[nodiscard]] ValuesAndIndices max(int64_t dim, bool keepdim = false) const;
  [[nodiscard]] ValuesAndIndices min(int64_t dim, bool keepdim = false) const;
  [[nodiscard]] Tensor argmax() const;  // among all elements, in row-major order
  [[nodiscard]] Tensor argmin() const;
  [[nodiscard]] Tensor argmax(int64_t dim, bool keepdim = false) const;
  [[nodiscard]] Tensor argmin(int64_t dim, bool keepdim = false) const;
  [[nodiscard]] ValuesAndIndices sort(int64_t dim = -1, bool descending = false) const;
  [[nodiscard]] ValuesAndIndices topk(int64_t k, int64_t dim = -1, bool largest = true) const;

  // ---- the tape: autograd/engine/node.cpp; backward: autograd/backward.cpp
  // While threads share a tensor, they may run backward to it and call grad, set_grad, retain_grad
  // and register_hook. set_requires_grad(), and the first set_grad() of a tensor that requires no
  // gradient, are for a tensor that no other thread uses yet.
  bool requires_grad() const;
  // only for leaves of floating dtype
  const Tensor& set_requires_grad(bool requires_grad = true) const;
  bool is_leaf() const;
  Tensor grad() const;  // undefined before a backward pass has reached this leaf (or a tensor with
                        // retain_grad())
  void set_grad(const Tensor& grad) const;
  [[nodiscard]] Tensor detach() const;  // the same storage, outside the graph
  void retain_grad() const;
  // an undefined result leaves the gradient as it is
  void register_hook(std::function<Tensor(const Tensor& grad)> hook) const;
  void backward(const Tensor& gradient = {}, bool retain_graph = false,
                bool create_graph = false) const;

 private:
  [[noreturn]] static void refuse_undefined();
  [[noreturn]] void refuse_dtype(DType asked) const;
  const void* address(DType asked) const {
    if (asked != dtype()) refuse_dtype(asked);
    return static_cast<const std::byte*>(storage()->data()) + layout().offset * size_of(asked);
  }
  void* writable_address(DType asked) const;
  Ref<TensorImpl> impl_;
};

using Tensors = std::vector<Tensor>;

}  // namespace slope
