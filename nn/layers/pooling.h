// Pooling and padding of the last dim as modules, with PyTorch's names and printed texts; the
// functions are in functional/pooling.h.
#pragma once

#include <slope/nn/functional/pooling.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct AvgPool1d {
  int64_t kernel_size;
  AvgPoolOptions options;
  explicit AvgPool1d(int64_t kernel, AvgPoolOptions o = {}) : kernel_size(kernel), options(o) {
    if (options.stride == 0) options.stride = kernel;
  }
  Tensor forward(const Tensor& x) const { return avg_pool1d(x, kernel_size, options); }
  std::string extra_repr() const {
    return fmt::format("kernel_size=({},), stride=({},), padding=({},)", kernel_size,
                       options.stride, options.padding);
  }
  AvgPool1d blank() const { return AvgPool1d(kernel_size, options); }
  SLOPE_MODULE(AvgPool1d)
};

struct MaxPool1d {
  int64_t kernel_size;
  MaxPoolOptions options;
  explicit MaxPool1d(int64_t kernel, MaxPoolOptions o = {}) : kernel_size(kernel), options(o) {
    if (options.stride == 0) options.stride = kernel;
  }
  Tensor forward(const Tensor& x) const { return max_pool1d(x, kernel_size, options); }
  std::string extra_repr() const {
    return fmt::format("kernel_size={}, stride={}, padding={}, dilation={}, ceil_mode={}",
                       kernel_size, options.stride, options.padding, options.dilation,
                       python(options.ceil_mode));
  }
  MaxPool1d blank() const { return MaxPool1d(kernel_size, options); }
  SLOPE_MODULE(MaxPool1d)
};

// Called with the values and indices of max_pool1d_with_indices and, optionally, the length of
// what was pooled.
struct MaxUnpool1d {
  int64_t kernel_size, stride, padding;
  explicit MaxUnpool1d(int64_t kernel, int64_t stride = 0, int64_t padding = 0)
      : kernel_size(kernel), stride(stride == 0 ? kernel : stride), padding(padding) {}
  Tensor forward(const Tensor& x, const Tensor& indices) const {
    return max_unpool1d(
        x, indices,
        checked_add(checked_mul(x.size(-1) - 1, stride), kernel_size) - checked_mul(2, padding));
  }
  Tensor forward(const Tensor& x, const Tensor& indices, int64_t length) const {
    return max_unpool1d(x, indices, length);
  }
  std::string extra_repr() const {
    return fmt::format("kernel_size=({},), stride=({},), padding=({},)", kernel_size, stride,
                       padding);
  }
  MaxUnpool1d blank() const { return MaxUnpool1d(kernel_size, stride, padding); }
  SLOPE_MODULE(MaxUnpool1d)
};

struct LPPool1d {
  double norm_type;
  int64_t kernel_size;
  LpPoolOptions options;
  LPPool1d(double p, int64_t kernel, LpPoolOptions o = {})
      : norm_type(p), kernel_size(kernel), options(o) {}
  Tensor forward(const Tensor& x) const { return lp_pool1d(x, norm_type, kernel_size, options); }
  std::string extra_repr() const {
    return fmt::format("norm_type={}, kernel_size={}, stride={}, ceil_mode={}", norm_type,
                       kernel_size, options.stride == 0 ? "None" : std::to_string(options.stride),
                       python(options.ceil_mode));
  }
  LPPool1d blank() const { return LPPool1d(norm_type, kernel_size, options); }
  SLOPE_MODULE(LPPool1d)
};

struct AdaptiveAvgPool1d {
  int64_t output_size;
  Tensor forward(const Tensor& x) const { return adaptive_avg_pool1d(x, output_size); }
  std::string extra_repr() const { return fmt::format("output_size={}", output_size); }
  AdaptiveAvgPool1d blank() const { return {output_size}; }
  SLOPE_MODULE(AdaptiveAvgPool1d)
};

struct AdaptiveMaxPool1d {
  int64_t output_size;
  Tensor forward(const Tensor& x) const { return adaptive_max_pool1d(x, output_size); }
  std::string extra_repr() const { return fmt::format("output_size={}", output_size); }
  AdaptiveMaxPool1d blank() const { return {output_size}; }
  SLOPE_MODULE(AdaptiveMaxPool1d)
};

// ---- padding: {before, after}
struct ConstantPad1d {
  Dims padding;
  double value;
  ConstantPad1d(Dims padding, double value) : padding(std::move(padding)), value(value) {}
  Tensor forward(const Tensor& x) const { return slope::pad(x, padding, value); }
  std::string extra_repr() const {
    return fmt::format("padding={}, value={}", python(padding), python(value));
  }
  ConstantPad1d blank() const { return {padding, value}; }
  SLOPE_MODULE(ConstantPad1d)
};

struct ZeroPad1d {
  Dims padding;
  Tensor forward(const Tensor& x) const { return slope::pad(x, padding); }
  std::string extra_repr() const { return python(padding); }
  ZeroPad1d blank() const { return {padding}; }
  SLOPE_MODULE(ZeroPad1d)
};

struct ReflectionPad1d {
  Dims padding;
  Tensor forward(const Tensor& x) const { return pad(x, padding, PadMode::reflect); }
  std::string extra_repr() const { return python(padding); }
  ReflectionPad1d blank() const { return {padding}; }
  SLOPE_MODULE(ReflectionPad1d)
};

struct ReplicationPad1d {
  Dims padding;
  Tensor forward(const Tensor& x) const { return pad(x, padding, PadMode::replicate); }
  std::string extra_repr() const { return python(padding); }
  ReplicationPad1d blank() const { return {padding}; }
  SLOPE_MODULE(ReplicationPad1d)
};

struct CircularPad1d {
  Dims padding;
  Tensor forward(const Tensor& x) const { return pad(x, padding, PadMode::circular); }
  std::string extra_repr() const { return python(padding); }
  CircularPad1d blank() const { return {padding}; }
  SLOPE_MODULE(CircularPad1d)
};

}  // namespace slope::nn
