#include <slope/core/files/crc32c.h>
#include <slope/core/files/safetensors_header.h>
#include <slope/core/text/json.h>

#ifndef SLOPE_PLAIN
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#endif

#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>

namespace slope {
namespace {

using safetensors::length_bytes;
constexpr int64_t chunk = 1 << 18;  // bytes: read, checksummed and decoded while in the cache

using ReadAt = std::function<void(int64_t offset, void* to, size_t bytes)>;
using WriteTo = std::function<void(std::string_view)>;

Tensor read_tensor(const TensorInfo& info, int64_t data_start, const std::string& where,
                   const ReadAt& read_at) {
  Tensor tensor = Tensor::empty(info.shape, info.type->dtype);
  const int64_t elements_per_chunk = chunk / info.type->bytes, n = tensor.numel();
  std::vector<char> buffer(static_cast<size_t>(std::min(chunk, info.end - info.begin)));
  uint32_t sum = 0;
  visit(tensor.dtype(), [&]<class T> {
    const auto out = tensor.write<T>();
    for (int64_t i = 0; i < n; i += elements_per_chunk) {
      const auto now = static_cast<size_t>(std::min(elements_per_chunk, n - i)),
                 bytes = now * static_cast<size_t>(info.type->bytes);
      read_at(data_start + info.begin + i * info.type->bytes, buffer.data(), bytes);
      if (!info.checksum.empty()) sum = crc32c({buffer.data(), bytes}, sum);
      const size_t valid = info.type->decode(buffer.data(), out.get() + i, now);
      SLOPE_CHECK_INPUT(valid == now,
                        "{}: tensor {}: element {} is neither 0 nor 1, as a bool must be", where,
                        JsonReader::quoted(info.name), i + static_cast<int64_t>(valid));
    }
  });
  SLOPE_CHECK_INPUT(info.checksum.empty() || fmt::format("{:08x}", sum) == info.checksum,
                    "{}: damaged: the checksum of tensor {} is {:08x}, the file records {}", where,
                    JsonReader::quoted(info.name), sum, info.checksum);
  return tensor;
}

TensorFile read_tensors(SafetensorsHeader header, const std::string& where, const ReadAt& read_at) {
  TensorFile file{std::move(header.metadata), {}};
  file.tensors.reserve(header.tensors.size());
  for (const TensorInfo& info : header.tensors)
    file.tensors.push_back({info.name, read_tensor(info, header.data_start, where, read_at)});
  return file;
}

// The elements in row-major order, as bytes, whatever the strides.
void write_elements(const Tensor& tensor, const WriteTo& write) {
  const int64_t element = size_of(tensor.dtype()), n = tensor.numel();
  const char* x = visit(tensor.dtype(),
                        [&]<class T> { return reinterpret_cast<const char*>(tensor.data<T>()); });
  if (n == 0) return;
  if (tensor.is_contiguous()) {
    write({x, static_cast<size_t>(n * element)});
    return;
  }
  const Dims &shape = tensor.shape(), &strides = tensor.strides();
  Dims index(shape.size(), 0);
  std::string buffer;
  buffer.reserve(chunk);
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) at += index[d] * strides[d];
    buffer.append(x + at * element, static_cast<size_t>(element));
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
    if (static_cast<int64_t>(buffer.size()) + element > chunk || i == n - 1) {
      write(buffer);
      buffer.clear();
    }
  }
}

// Sorted as in the reference implementation: the widest elements first, then by name, so that
// everything is aligned after a header whose length is a multiple of 8.
NamedTensors sorted_for_file(NamedTensors tensors) {
  constexpr int order[] = {2, 1, 0, 4, 3};  // f32 f64 i64 bool bf16
  std::sort(tensors.begin(), tensors.end(), [&](const auto& a, const auto& b) {
    return std::make_tuple(order[static_cast<int>(a.tensor.dtype())], std::string_view(a.name)) <
           std::make_tuple(order[static_cast<int>(b.tensor.dtype())], std::string_view(b.name));
  });
  return tensors;
}

void check_text(std::string_view text, const char* what) {
  SLOPE_CHECK_AS(UsageError, is_text(text), "save: {} {} holds NUL or is not valid UTF-8", what,
                 JsonReader::quoted(text));
}

void check_names(const NamedTensors& tensors, const Metadata& metadata) {
  constexpr int64_t most = SafetensorsLimits{}.tensors;
  SLOPE_CHECK_AS(UsageError, std::ssize(tensors) <= most && std::ssize(metadata) < most,
                 "save: {} tensors and {} entries of metadata are too many", tensors.size(),
                 metadata.size());
  std::vector<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    SLOPE_CHECK_AS(UsageError, !name.empty() && name != "__metadata__",
                   "save: {} cannot be a tensor's name", JsonReader::quoted(name));
    SLOPE_CHECK_AS(UsageError, tensor.defined(), "save: tensor {} is undefined",
                   JsonReader::quoted(name));
    SLOPE_CHECK_AS(UsageError, tensor.shape().size() <= SafetensorsLimits{}.rank,
                   "save: tensor {} has more than {} dims", JsonReader::quoted(name),
                   SafetensorsLimits{}.rank);
    for (const int64_t size : tensor.shape())
      SLOPE_CHECK_AS(UsageError, size <= safetensors::max_size,
                     "save: tensor {}: a size is {}, more than 2^48", JsonReader::quoted(name),
                     size);
    check_text(name, "the name");
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  SLOPE_CHECK_AS(UsageError, twice == names.end(), "save: two tensors are named {}",
                 JsonReader::quoted(*twice));
  for (const auto& [key, value] : metadata) {
    check_text(key, "the metadata key");
    check_text(value, "the metadata value");
    SLOPE_CHECK_AS(UsageError, !safetensors::is_checksum_key(key),
                   "save: the metadata key {} is reserved for checksums", JsonReader::quoted(key));
  }
}

// Length and JSON, padded with spaces to a multiple of 8. `tensors` are sorted.
std::string format_header(const NamedTensors& tensors, Metadata metadata, SaveOptions options) {
  if (options.checksums) {
    for (const auto& [name, tensor] : tensors) {
      uint32_t sum = 0;
      write_elements(tensor, [&](std::string_view bytes) { sum = crc32c(bytes, sum); });
      metadata[fmt::format("{}:{}", safetensors::checksum_key, name)] = fmt::format("{:08x}", sum);
    }
    metadata[std::string(safetensors::checksum_key)] = no_crc32c;
  }
  size_t digits = 0;
  std::string header(length_bytes, '\0');
  const char* comma = "{";
  if (!metadata.empty()) {
    header += "{\"__metadata__\":";
    for (const auto& [key, value] : metadata) {
      header += fmt::format("{}{}:\"", comma, JsonReader::escaped(key));
      if (key == safetensors::checksum_key) digits = header.size();
      header += JsonReader::escaped(value).substr(1);
      comma = ",";
    }
    header += "}";
  }
  int64_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    const int64_t begin = end;
    SLOPE_CHECK_SHAPE(
        !__builtin_add_overflow(end, checked_mul(tensor.numel(), size_of(tensor.dtype())), &end),
        "save: the tensors are too large");
    std::string shape;
    for (const int64_t size : tensor.shape())
      shape += fmt::format("{}{}", shape.empty() ? "" : ",", size);
    header += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          comma, JsonReader::escaped(name),
                          safetensors::stored_type(tensor.dtype()).name, shape, begin, end);
    comma = ",";
  }
  header += comma[0] == '{' ? "{}" : "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const uint64_t n = header.size() - length_bytes;
  SLOPE_CHECK_AS(UsageError, static_cast<int64_t>(n) <= SafetensorsLimits{}.header_bytes,
                 "save: names and metadata make a header of {} bytes", n);
  std::memcpy(header.data(), &n, length_bytes);
  if (options.checksums) {
    const std::string sum = fmt::format("{:08x}", crc32c_around(header, digits));
    header.replace(digits, sum.size(), sum);
  }
  return header;
}

void write_file_to(const NamedTensors& tensors, const Metadata& metadata, SaveOptions options,
                   const WriteTo& write) {
  check_names(tensors, metadata);
  const NamedTensors sorted = sorted_for_file(tensors);
  write(format_header(sorted, metadata, options));
  for (const auto& [name, tensor] : sorted) write_elements(tensor, write);
}

}  // namespace

const Tensor& TensorFile::at(const std::string& name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  SLOPE_CHECK_INPUT(found != tensors.end(), "no tensor {} among the {} of the file",
                    JsonReader::quoted(name), tensors.size());
  return found->tensor;
}

SafetensorsHeader inspect_safetensors_bytes(std::string_view file, const std::string& where,
                                            const SafetensorsLimits& limits) {
  const auto file_bytes = static_cast<int64_t>(file.size());
  const int64_t n =
      safetensors::read_header_length(file.substr(0, length_bytes + 1), file_bytes, where, limits);
  return safetensors::parse_header(file.substr(0, length_bytes + static_cast<size_t>(n)),
                                   file_bytes, where, limits);
}

TensorFile parse_safetensors(std::string_view file, const std::string& where,
                             const SafetensorsLimits& limits) {
  return read_tensors(inspect_safetensors_bytes(file, where, limits), where,
                      [&](int64_t offset, void* to, size_t bytes) {
                        std::memcpy(to, file.data() + offset, bytes);
                      });
}

std::string format_safetensors(const NamedTensors& tensors, const Metadata& metadata,
                               SaveOptions options) {
  std::string file;
  write_file_to(tensors, metadata, options, [&](std::string_view bytes) { file.append(bytes); });
  return file;
}

#ifndef SLOPE_PLAIN
namespace {

// The length and the JSON.
std::string header_bytes(const FileReader& file, const std::string& path,
                         const SafetensorsLimits& limits) {
  std::string header(static_cast<size_t>(std::min<int64_t>(file.bytes(), length_bytes + 1)), '\0');
  file.read(0, header.data(), header.size());
  const int64_t n = safetensors::read_header_length(header, file.bytes(), path, limits);
  header.resize(length_bytes + static_cast<size_t>(n));
  file.read(0, header.data(), header.size());
  return header;
}

SafetensorsHeader read_header(const FileReader& file, const std::string& path,
                              const SafetensorsLimits& limits) {
  return safetensors::parse_header(header_bytes(file, path, limits), file.bytes(), path, limits);
}

}  // namespace

SafetensorsHeader inspect_safetensors(const std::string& path, const SafetensorsLimits& limits) {
  return read_header(FileReader(path), path, limits);
}

std::string safetensors_checksum(const std::string& path) {
  const FileReader file(path);
  const std::string header = header_bytes(file, path, {});
  (void)safetensors::parse_header(header, file.bytes(), path, {});  // damaged: better said so
  return fmt::format("{:08x}", crc32c(header));
}

TensorFile load_safetensors(const std::string& path, const SafetensorsLimits& limits) {
  const FileReader file(path);
  return read_tensors(
      read_header(file, path, limits), path,
      [&](int64_t offset, void* to, size_t bytes) { file.read(offset, to, bytes); });
}

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata, SaveOptions options) {
  FileSink sink(path);
  write_file_to(tensors, metadata, options, [&](std::string_view bytes) { sink.write(bytes); });
  sink.commit();
}
#endif

}  // namespace slope
