#include <slope/core/files/crc32c.h>
#include <slope/core/files/half.h>
#include <slope/core/files/safetensors_header.h>
#include <slope/core/text/json.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>

namespace slope::safetensors {
namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors files are little endian, and elements are copied as they are");

// Converts one element after the other. `stored`, a part of the file, may be unaligned.
template <class From, class To, To (*convert)(From)>
size_t decode(const void* stored, void* to, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    From x;
    std::memcpy(&x, static_cast<const char*>(stored) + i * sizeof(From), sizeof(From));
    static_cast<To*>(to)[i] = convert(x);
  }
  return n;
}
template <class From>
int64_t widen(From x) {
  return x;
}
size_t decode_bool(const void* stored, void* to, size_t n) {
  const auto* x = static_cast<const unsigned char*>(stored);
  for (size_t i = 0; i < n; ++i) {
    if (x[i] > 1) return i;
    static_cast<bool*>(to)[i] = x[i] == 1;
  }
  return n;
}
template <int bytes>
size_t copy(const void* stored, void* to, size_t n) {
  if (n > 0) std::memcpy(to, stored, n * bytes);
  return n;
}

constexpr StoredType types[] = {
    {"F32", 4, f32, copy<4>},
    {"F64", 8, f64, copy<8>},
    {"I64", 8, i64, copy<8>},
    {"BOOL", 1, boolean, decode_bool},
    {"BF16", 2, bf16, copy<2>},
    {"F16", 2, f32, decode<uint16_t, float, from_f16>},
    {"I32", 4, i64, decode<int32_t, int64_t, widen>},
    {"U32", 4, i64, decode<uint32_t, int64_t, widen>},
    {"I16", 2, i64, decode<int16_t, int64_t, widen>},
    {"U16", 2, i64, decode<uint16_t, int64_t, widen>},
    {"I8", 1, i64, decode<int8_t, int64_t, widen>},
    {"U8", 1, i64, decode<uint8_t, int64_t, widen>},
};

// Bytes of a tensor, or nothing if they do not fit in 63 bits. Sizes of 0 count as 1, because
// strides are products of sizes too: (2^48, 2^48, 0) is refused in any order.
std::optional<int64_t> tensor_bytes(const Dims& shape, int64_t element) {
  int64_t product = element;
  bool empty = false;
  for (const int64_t size : shape) {
    empty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  }
  return empty ? 0 : product;
}

struct Parser {
  JsonReader json;
  const SafetensorsLimits& limits;
  SafetensorsHeader header = {};
  std::map<std::string, std::string> checksums = {};  // by tensor
  std::optional<std::string> own_checksum = {};       // of the header
  size_t own_digits = 0;  // the place of own_checksum's digits in the JSON

  TensorInfo tensor(const std::string& name, size_t at) {
    const std::string label = "tensor " + JsonReader::quoted(name);
    if (name.empty()) json.fail(at, "a tensor has an empty name");
    if (static_cast<int64_t>(header.tensors.size()) == limits.tensors)
      json.fail(at, "more than {} tensors", limits.tensors);
    std::optional<std::string> dtype;
    std::optional<Dims> shape;
    InlineVector<int64_t, 4> offsets;
    bool has_offsets = false;
    json.object([&](const std::string& key) {
      const size_t value = json.position();
      if (key == "dtype") {
        dtype = json.string();
      } else if (key == "shape") {
        shape.emplace();
        json.array([&] {
          json.peek();
          const size_t place = json.position();
          const int64_t size = json.integer();
          if (size < 0) json.fail(place, "{}: a size is {}", label, size);
          if (size > max_size) json.fail(place, "{}: a size is {}, more than 2^48", label, size);
          if (shape->size() == limits.rank)
            json.fail(place, "{}: more than {} dims", label, limits.rank);
          shape->push_back(size);
        });
      } else if (key == "data_offsets") {
        has_offsets = true;
        json.array([&] {
          json.peek();
          const size_t place = json.position();
          const int64_t offset = json.integer();
          if (offset < 0) json.fail(place, "{}: a data offset is {}", label, offset);
          if (offsets.size() == 2) json.fail(place, "{}: more than two data_offsets", label);
          offsets.push_back(offset);
        });
      } else {
        json.fail(value, "{}: unknown key {}", label, JsonReader::quoted(key));
      }
    });
    if (!dtype) json.fail(at, "{}: dtype is missing", label);
    if (!shape) json.fail(at, "{}: shape is missing", label);
    if (!has_offsets) json.fail(at, "{}: data_offsets are missing", label);
    if (offsets.size() != 2)
      json.fail(at, "{}: data_offsets needs two numbers, got {}", label, offsets.size());
    const StoredType* type = stored_type(*dtype);
    if (!type)
      json.fail(at, "{}: dtype {} is unknown or not supported", label, JsonReader::quoted(*dtype));
    const std::optional<int64_t> bytes = tensor_bytes(*shape, type->bytes);
    if (!bytes)
      json.fail(at, "{}: shape {} of {} does not fit in 63 bits", label, *shape, type->name);
    if (offsets[1] < offsets[0])
      json.fail(at, "{}: data_offsets [{}, {}] end before they begin", label, offsets[0],
                offsets[1]);
    if (offsets[1] - offsets[0] != *bytes)
      json.fail(at, "{}: shape {} of {} needs {} bytes, data_offsets [{}, {}] give {}", label,
                *shape, type->name, *bytes, offsets[0], offsets[1], offsets[1] - offsets[0]);
    return {name, type, *shape, offsets[0], offsets[1], {}};
  }

  void metadata_entry(const std::string& key) {
    json.peek();
    const size_t at = json.position();
    if (std::ssize(header.metadata) + std::ssize(checksums) == 2 * limits.tensors)
      json.fail(at, "more than {} entries of metadata", 2 * limits.tensors);
    std::string value = json.string();
    if (!is_checksum_key(key)) {
      header.metadata[key] = std::move(value);
      return;
    }
    if (value.size() != 8 || value.find_first_not_of("0123456789abcdef") != value.npos ||
        json.position() - at != 10)
      json.fail(at, "the checksum {} is not eight hexadecimal digits", JsonReader::quoted(value));
    if (key == checksum_key) {
      own_checksum = value;
      own_digits = at + 1;
    } else {
      checksums[key.substr(checksum_key.size() + 1)] = value;
    }
  }

  void parse() {
    if (json.rest().substr(0, 1) != "{") json.fail(0, "the header does not begin with '{{'");
    json.object([&](const std::string& name) {
      json.peek();
      const size_t at = json.position();
      if (name == "__metadata__")
        json.object([&](const std::string& key) { metadata_entry(key); });
      else
        header.tensors.push_back(tensor(name, at));
    });
    if (const size_t at = json.rest().find_first_not_of(' '); at != std::string_view::npos)
      json.fail(json.position() + at, "something other than spaces follows the header's object");
  }
};

}  // namespace

const StoredType& stored_type(DType dtype) {
  return *std::find_if(std::begin(types), std::end(types),
                       [&](const StoredType& t) { return t.dtype == dtype; });
}

const StoredType* stored_type(std::string_view name) {
  const auto* at = std::find_if(std::begin(types), std::end(types),
                                [&](const StoredType& t) { return t.name == name; });
  return at == std::end(types) ? nullptr : at;
}

int64_t read_header_length(std::string_view start, int64_t file_bytes, std::string_view where,
                           const SafetensorsLimits& limits) {
  SLOPE_CHECK_INPUT(start.size() >= length_bytes, "{}: {} bytes are too few for a safetensors file",
                    where, file_bytes);
  uint64_t n;
  std::memcpy(&n, start.data(), length_bytes);
  const uint64_t rest = static_cast<uint64_t>(file_bytes) - length_bytes;
  SLOPE_CHECK_INPUT(n <= static_cast<uint64_t>(limits.header_bytes),
                    "{}: not a safetensors file: a header of {} bytes, more than {}", where, n,
                    limits.header_bytes);
  SLOPE_CHECK_INPUT(n <= rest, "{}: cut off: the header has {} bytes, the file {} after its length",
                    where, n, rest);
  SLOPE_CHECK_INPUT(n >= 2, "{}: not a safetensors file: a header of {} bytes holds no object",
                    where, n);
  SLOPE_CHECK_INPUT(start.size() > length_bytes && start[length_bytes] == '{',
                    "{}: not a safetensors file: the header does not begin with '{{'", where);
  return static_cast<int64_t>(n);
}

SafetensorsHeader parse_header(std::string_view header, int64_t file_bytes, std::string_view where,
                               const SafetensorsLimits& limits) {
  Parser parser{JsonReader(header.substr(length_bytes), where, length_bytes), limits};
  parser.parse();
  if (parser.own_checksum) {
    const std::string sum =
        fmt::format("{:08x}", crc32c_around(header, length_bytes + parser.own_digits));
    SLOPE_CHECK_INPUT(sum == *parser.own_checksum,
                      "{}: damaged: the header's checksum is {}, the file records {}", where, sum,
                      *parser.own_checksum);
  }
  SafetensorsHeader& h = parser.header;
  h.data_start = static_cast<int64_t>(header.size());

  std::sort(h.tensors.begin(), h.tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  int64_t end = 0;
  const TensorInfo* previous = nullptr;
  for (const TensorInfo& t : h.tensors) {
    const std::string label = JsonReader::quoted(t.name);
    SLOPE_CHECK_INPUT(t.begin >= end,
                      "{}: tensors {} and {} overlap: one begins at {}, the other ends at {}",
                      where, JsonReader::quoted(previous->name), label, t.begin, end);
    SLOPE_CHECK_INPUT(t.begin == end, "{}: a gap of {} bytes before tensor {}", where,
                      t.begin - end, label);
    end = t.end;
    previous = &t;
  }
  const int64_t data = file_bytes - h.data_start;
  SLOPE_CHECK_INPUT(end <= data, "{}: cut off: the tensors need {} bytes of data, the file has {}",
                    where, end, data);
  SLOPE_CHECK_INPUT(end == data, "{}: {} bytes follow the last tensor", where, data - end);

  const bool checked = parser.own_checksum.has_value();
  SLOPE_CHECK_INPUT(checked || parser.checksums.empty(),
                    "{}: damaged: tensors have checksums, the header has none", where);
  for (TensorInfo& t : h.tensors) {
    const auto found = parser.checksums.find(t.name);
    SLOPE_CHECK_INPUT(!checked || found != parser.checksums.end(),
                      "{}: damaged: tensor {} has no checksum", where, JsonReader::quoted(t.name));
    if (checked) t.checksum = found->second;
  }
  SLOPE_CHECK_INPUT(!checked || parser.checksums.size() == h.tensors.size(),
                    "{}: damaged: a checksum belongs to no tensor", where);
  return std::move(h);
}

}  // namespace slope::safetensors
