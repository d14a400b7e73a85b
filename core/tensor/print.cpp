#include <slope/core/tensor/print.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <ostream>
#include <vector>

namespace slope {
namespace {

constexpr std::string_view opening = "tensor(";

// std::to_chars: correctly rounded, as Python's format is, and independent of the locale.
std::string digits(double value, std::chars_format format, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // the largest double has 309 digits
  std::string text(static_cast<size_t>(precision) + 320, '\0');
  text.resize(static_cast<size_t>(
      std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr -
      text.data()));
  return text;
}

// How elements are formatted; derived from all that will be shown, then applied to each.
class Column {
 public:
  Column(const std::vector<double>& shown, const PrintOptions& options)
      : precision_(options.precision) {
    std::vector<double> values;  // without zeros, inf and nan
    std::copy_if(shown.begin(), shown.end(), std::back_inserter(values),
                 [](double x) { return std::isfinite(x) && x != 0; });
    if (values.empty()) return;
    const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const double least = std::abs(*std::min_element(values.begin(), values.end(), smaller));
    const double most = std::abs(*std::max_element(values.begin(), values.end(), smaller));
    whole_ = std::all_of(values.begin(), values.end(), [](double x) { return x == std::ceil(x); });
    scientific_ = options.sci_mode.value_or(most / least > 1000 || most > 1e8 || least < 1e-4);
    for (const double x : values) width_ = std::max(width_, text(x).size());
  }
  Column(const std::vector<int64_t>& shown, const PrintOptions&) {
    for (const int64_t x : shown) width_ = std::max(width_, text(x).size());
  }
  Column(const std::vector<bool>& shown, const PrintOptions&) {
    for (const bool x : shown) width_ = std::max(width_, text(x).size());
  }

  size_t width() const { return width_; }
  std::string operator()(auto value) const {
    const std::string t = text(value);
    return std::string(width_ - std::min(width_, t.size()), ' ') + t;
  }

 private:
  std::string text(double x) const {
    if (scientific_) return digits(x, std::chars_format::scientific, precision_);
    if (!whole_) return digits(x, std::chars_format::fixed, precision_);
    return digits(x, std::chars_format::fixed, 0) + (std::isfinite(x) ? "." : "");
  }
  static std::string text(int64_t x) { return std::to_string(x); }
  static std::string text(bool x) { return x ? "True" : "False"; }

  int precision_ = 4;
  bool whole_ = true, scientific_ = false;
  size_t width_ = 1;
};

template <class T>
using Shown =
    std::conditional_t<std::is_floating_point_v<T> || std::is_same_v<T, BFloat16>, double, T>;

// The elements of one tensor, walked along its layout.
template <class T>
class Text {
 public:
  Text(const Tensor& tensor, const PrintOptions& options)
      : x_(tensor.data<T>()), layout_(tensor.layout()), options_(options),
        summarize_(tensor.numel() > options.threshold), column_(shown(), options) {}

  std::string operator()() const { return block(0, 0, opening.size()); }

 private:
  bool cuts(size_t d) const {
    return summarize_ && layout_.shape[d] - options_.edgeitems > options_.edgeitems;
  }

  // f(i) for each index of dim d that is shown; i = -1 stands for the omitted ones.
  void for_shown(size_t d, const std::function<void(int64_t)>& f) const {
    const int64_t n = layout_.shape[d], edge = cuts(d) ? options_.edgeitems : n;
    for (int64_t i = 0; i < edge; ++i) f(i);
    if (!cuts(d)) return;
    f(-1);
    for (int64_t i = n - edge; i < n; ++i) f(i);
  }

  std::vector<Shown<T>> shown() const {
    std::vector<Shown<T>> values;
    const std::function<void(size_t, int64_t)> collect = [&](size_t d, int64_t at) {
      if (d == layout_.shape.size()) {
        values.push_back(x_[at]);
        return;
      }
      for_shown(d, [&](int64_t i) {
        if (i >= 0) collect(d + 1, at + i * layout_.strides[d]);
      });
    };
    collect(0, 0);
    return values;
  }

  std::string row(size_t d, int64_t at, size_t indent) const {
    const int64_t room = options_.linewidth - static_cast<int64_t>(indent);
    const int64_t per_line = std::max<int64_t>(1, room / static_cast<int64_t>(column_.width() + 2));
    std::string text = "[";
    int64_t count = 0;
    for_shown(d, [&](int64_t i) {
      if (count > 0) text += count % per_line == 0 ? ",\n" + std::string(indent + 1, ' ') : ", ";
      ++count;
      if (i >= 0)
        text += column_(static_cast<Shown<T>>(x_[at + i * layout_.strides[d]]));
      else
        text += options_.edgeitems > 0 ? " ..." : "...";
    });
    return text + "]";
  }

  std::string block(size_t d, int64_t at, size_t indent) const {
    const size_t dims_left = layout_.shape.size() - d;
    if (dims_left == 0) return column_(static_cast<Shown<T>>(x_[at]));
    if (dims_left == 1) return row(d, at, indent);
    const std::string separator =
        "," + std::string(dims_left - 1, '\n') + std::string(indent + 1, ' ');
    std::string text = "[";
    for_shown(d, [&](int64_t i) {
      if (text.size() > 1) text += separator;
      text += i < 0 ? "..." : block(d + 1, at + i * layout_.strides[d], indent + 1);
    });
    return text + "]";
  }

  const T* x_;
  const Layout& layout_;
  const PrintOptions& options_;
  bool summarize_;
  Column column_;
};

}  // namespace

std::string to_string(const Tensor& tensor, const PrintOptions& options, std::string_view suffix) {
  SLOPE_CHECK_AS(UsageError,
                 options.precision >= 0 && options.precision <= 1000 && options.edgeitems >= 0,
                 "print: precision must be 0 to 1000 and edgeitems not negative, got {} and {}",
                 options.precision, options.edgeitems);
  if (!tensor.defined()) return "tensor(undefined)";
  // printing recurses once for each dim
  SLOPE_CHECK_SHAPE(tensor.rank() <= 1000, "print: {} dims are too many to print; reshape it",
                    tensor.rank());
  const bool empty = tensor.numel() == 0;
  std::string text(opening);
  text += empty ? "[]" : visit(tensor.dtype(), [&]<class T> { return Text<T>(tensor, options)(); });

  std::vector<std::string> suffixes;
  if (empty ? tensor.rank() != 1 : options.edgeitems == 0)
    suffixes.push_back("size=" + to_string(tensor.shape()));
  if (tensor.dtype() == f64 || tensor.dtype() == bf16 || (empty && tensor.dtype() != f32))
    suffixes.push_back(fmt::format("dtype=torch.{}", name(tensor.dtype())));
  const std::string known = tensor.impl().meta ? tensor.impl().meta->text() : "";
  if (!suffix.empty() || !known.empty())
    suffixes.push_back(suffix.empty() ? known : std::string(suffix));

  const size_t line_begin = text.rfind('\n') + 1;  // npos + 1 is 0
  auto line = static_cast<int64_t>(text.size() - line_begin) + 2;
  for (const std::string& s : suffixes) {
    const auto length = static_cast<int64_t>(s.size());
    if (line + length + 2 > options.linewidth) {
      text += ",\n" + std::string(opening.size(), ' ') + s;
      line = static_cast<int64_t>(opening.size()) + length;
    } else {
      text += ", " + s;
      line += length + 2;
    }
  }
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace slope
