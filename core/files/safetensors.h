// safetensors: named tensors in one file, as defined by Hugging Face: u64 length N, N bytes of JSON
// header, data. The reader is stricter than the reference: it validates everything before it
// allocates a tensor, names each malformation (InputError), and accepts no gap, overlap, trailing
// byte, duplicate or unknown key. f32 f64 bf16 i64 bool are written; on reading, f16 becomes f32,
// and i8 u8 i16 u16 i32 u32 become i64. With checksums (CRC-32C of each tensor and of the header,
// in __metadata__ where other readers ignore them) any single flipped bit is found.
#pragma once

#include <slope/core/tensor/named_tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slope {

using Metadata = std::map<std::string, std::string>;

struct TensorFile {
  Metadata metadata;                                // without the checksums
  NamedTensors tensors;                             // in the order of the file
  const Tensor& at(const std::string& name) const;  // InputError if there is none
};

// How elements are stored in the file, and the dtype that they are read as.
struct StoredType {
  std::string_view name;  // "BF16"
  int64_t bytes;          // of one element
  DType dtype;
  // returns the index of the first invalid element, else n
  size_t (*decode)(const void* stored, void* to, size_t n);
};

struct TensorInfo {
  std::string name;
  const StoredType* type;
  Dims shape;
  int64_t begin, end;    // bytes, from the start of the data
  std::string checksum;  // eight hexadecimal digits, or empty
};

struct SafetensorsHeader {
  Metadata metadata;
  std::vector<TensorInfo> tensors;  // sorted by begin
  int64_t data_start = 0;
};

struct SafetensorsLimits {
  int64_t header_bytes = 100'000'000, tensors = 1'000'000;  // metadata may have twice as many keys
  size_t rank = 8;
};

struct SaveOptions {
  bool checksums = true;
};

// From memory; messages begin with `where`.
SafetensorsHeader inspect_safetensors_bytes(std::string_view file, const std::string& where,
                                            const SafetensorsLimits& limits = {});
TensorFile parse_safetensors(std::string_view file, const std::string& where = "safetensors",
                             const SafetensorsLimits& limits = {});
std::string format_safetensors(const NamedTensors& tensors, const Metadata& metadata = {},
                               SaveOptions options = {});

#ifndef SLOPE_PLAIN
SafetensorsHeader inspect_safetensors(
    const std::string& path, const SafetensorsLimits& limits = {});  // reads only the header
// Eight hexadecimal digits that tell files saved with checksums apart: the CRC-32C of the header,
// which is all that is read; InputError as above.
std::string safetensors_checksum(const std::string& path);
TensorFile load_safetensors(const std::string& path, const SafetensorsLimits& limits = {});
// Through FileSink: the old file stays until the new one is complete. UsageError on duplicate,
// empty or invalid names.
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata = {}, SaveOptions options = {});
#endif

}  // namespace slope
