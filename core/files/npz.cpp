#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/npz.h>
#include <slope/core/files/safetensors_header.h>
#include <slope/core/files/zip.h>
#include <slope/core/loops/copy.h>
#include <slope/core/text/json.h>
#include <slope/core/text/visible.h>

#include <algorithm>
#include <array>
#include <set>

namespace slope {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6), ending = ".npy";
constexpr size_t longest_header = 10'000, most_dims = 8;
constexpr int64_t largest_size = 999'999'999'999'999;  // of a dim

struct Descr {
  std::string_view descr, stored;  // NumPy's and safetensors' names of one dtype
};
constexpr std::array descrs{Descr{"<f4", "F32"},  Descr{"<f8", "F64"}, Descr{"<i8", "I64"},
                            Descr{"|b1", "BOOL"}, Descr{"<f2", "F16"}, Descr{"<i4", "I32"},
                            Descr{"<u4", "U32"},  Descr{"<i2", "I16"}, Descr{"<u2", "U16"},
                            Descr{"|i1", "I8"},   Descr{"|u1", "U8"}};

struct Header {
  const StoredType* type = nullptr;
  bool fortran_order = false;
  Dims shape;
};

// Reads the header, {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: these three keys
// in any order, and no other Python.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

  Header read() {
    Header header;
    std::set<std::string> seen;
    expect("{");
    while (!accept("}")) {
      const std::string key = quoted();
      check(seen.insert(key).second);
      expect(":");
      if (key == "descr") {
        header.type = type(quoted());
      } else if (key == "fortran_order") {
        header.fortran_order = accept("True");
        if (!header.fortran_order) expect("False");
      } else if (key == "shape") {
        header.shape = shape();
      } else {
        check(false);
      }
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
    space();
    check(text_.empty() && seen.size() == 3);
    return header;
  }

 private:
  void check(bool condition) const {
    SLOPE_CHECK_INPUT(condition, "{}: its header is malformed before '{}'", where_,
                      visible(std::string(text_.substr(0, 40))));
  }
  void space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    space();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) { check(accept(token)); }
  std::string quoted() {
    expect("'");
    const size_t end = text_.find('\'');
    check(end != text_.npos);
    const std::string word(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return word;
  }
  Dims shape() {
    Dims shape;
    expect("(");
    while (!accept(")")) {
      space();
      size_t digits = 0;
      int64_t size = 0;
      for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits)
        size = std::min(10 * size + (text_[digits] - '0'), largest_size + 1);
      check(digits > 0 && size <= largest_size && shape.size() < most_dims);
      text_.remove_prefix(digits);
      shape.push_back(size);
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
    return shape;
  }
  const StoredType* type(const std::string& descr) const {
    for (const Descr& d : descrs)
      if (d.descr == descr) return safetensors::stored_type(d.stored);
    throw InputError(fmt::format("{}: arrays of dtype '{}' are not read; convert them with astype",
                                 where_, visible(descr.substr(0, 40))));
  }

  std::string_view text_;
  std::string where_;
};

Tensor parse_npy(std::string_view bytes, const std::string& where) {
  SLOPE_CHECK_INPUT(bytes.size() >= 12 && bytes.starts_with(magic), "{}: not a .npy array", where);
  const auto byte = [&](size_t at) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[at]));
  };
  const size_t format = byte(6), field = format == 1 ? 2 : 4, start = 8 + field;
  SLOPE_CHECK_INPUT(format >= 1 && format <= 3, "{}: version {} of .npy is not known", where,
                    format);
  size_t length = 0;
  for (size_t i = field; i-- > 0;) length = length << 8 | byte(8 + i);
  SLOPE_CHECK_INPUT(length <= longest_header && length <= bytes.size() - start,
                    "{}: its header claims {} bytes", where, length);
  const Header header = HeaderReader(bytes.substr(start, length), where).read();
  const std::string_view data = bytes.substr(start + length);
  int64_t n = 0;
  try {
    n = checked_mul(numel(header.shape), header.type->bytes);
  } catch (const ShapeError& e) {
    throw InputError(fmt::format("{}: {}", where, e.what()));
  }
  SLOPE_CHECK_INPUT(n == static_cast<int64_t>(data.size()),
                    "{}: shape {} needs {} bytes, the entry has {}", where, header.shape, n,
                    data.size());
  Dims stored = header.shape;
  if (header.fortran_order) std::reverse(stored.begin(), stored.end());
  const Tensor x = Tensor::empty(stored, header.type->dtype);
  const auto elements = static_cast<size_t>(x.numel());
  visit(x.dtype(), [&]<class T> {
    const auto out = x.write<T>();
    const size_t valid = elements == 0 ? 0 : header.type->decode(data.data(), out.get(), elements);
    SLOPE_CHECK_INPUT(valid == elements, "{}: element {} is neither 0 nor 1, as a bool must be",
                      where, valid);
  });
  if (!header.fortran_order) return x;
  Layout reversed = x.layout();
  std::reverse(reversed.shape.begin(), reversed.shape.end());
  std::reverse(reversed.strides.begin(), reversed.strides.end());
  return contiguous_copy(Tensor(x.storage(), reversed, x.dtype()));
}

std::string format_npy(const Tensor& x0) {
  const Tensor x = contiguous_copy(x0, x0.dtype() == bf16 ? f32 : x0.dtype());
  const std::string_view stored = safetensors::stored_type(x.dtype()).name;
  const auto descr = std::find_if(descrs.begin(), descrs.end(),
                                  [&](const Descr& d) { return d.stored == stored; });
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descr->descr, to_string(x.shape()));
  header.resize((magic.size() + 4 + header.size() + 1 + 63) / 64 * 64 - magic.size() - 5, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes +=
      {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  bytes += header;
  visit(x.dtype(), [&]<class T> {
    bytes.append(reinterpret_cast<const char*>(x.data<T>()),
                 static_cast<size_t>(x.numel()) * sizeof(T));
  });
  return bytes;
}

}  // namespace

NamedTensors parse_npz(std::string_view file, const std::string& where) {
  NamedTensors tensors;
  for (const auto& [name, bytes] : parse_zip(file, where)) {
    SLOPE_CHECK_INPUT(name.ends_with(ending), "{}: entry {} is not a .npy array", where,
                      visible(name));
    tensors.push_back({name.substr(0, name.size() - ending.size()),
                       parse_npy(bytes, fmt::format("{}: {}", where, visible(name)))});
  }
  return tensors;
}

std::string format_npz(const NamedTensors& tensors) {
  std::vector<std::string> arrays;
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  for (const auto& [name, x] : tensors) {
    SLOPE_CHECK_AS(UsageError, !name.empty() && names.insert(name).second,
                   "npz: the name '{}' is empty or appears twice", visible(name));
    SLOPE_CHECK_AS(UsageError, is_text(name), "npz: the name '{}' holds NUL or is not valid UTF-8",
                   visible(name));
    SLOPE_CHECK_AS(UsageError, x.defined(), "npz: {} is undefined", visible(name));
    SLOPE_CHECK_AS(UsageError, x.shape().size() <= most_dims, "npz: {} has more than {} dims",
                   visible(name), most_dims);
    for (const int64_t size : x.shape())
      SLOPE_CHECK_AS(UsageError, size <= largest_size, "npz: {}: a size is {}, more than {}",
                     visible(name), size, largest_size);
    arrays.push_back(format_npy(x));
  }
  for (size_t i = 0; i < arrays.size(); ++i)
    entries.push_back({tensors[i].name + std::string(ending), arrays[i]});
  return format_zip(entries);
}

#ifndef SLOPE_PLAIN
NamedTensors load_npz(const std::string& path) { return parse_npz(read_file(path), path); }
void save_npz(const std::string& path, const NamedTensors& tensors) {
  write_file(path, format_npz(tensors));
}
#endif

}  // namespace slope
