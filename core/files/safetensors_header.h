// The header of a safetensors file: its two checks (is the length plausible, does the JSON fit the
// file) and its rules in one place.
#pragma once

#include <slope/core/files/safetensors.h>

namespace slope::safetensors {

inline constexpr size_t length_bytes = 8;              // u64, little endian
inline constexpr int64_t max_size = int64_t{1} << 48;  // of one dim, by the format's JSON schema
// the key of the header's checksum; "crc32c:NAME" is the key of a tensor's
inline constexpr std::string_view checksum_key = "crc32c";
inline bool is_checksum_key(std::string_view key) {
  return key == checksum_key || key.substr(0, 7) == "crc32c:";
}

// The JSON's length, checked against the file's size. `start`: at most the file's first 9 bytes.
int64_t read_header_length(std::string_view start, int64_t file_bytes, std::string_view where,
                           const SafetensorsLimits& limits);

// `header`: the length and the JSON. Checks everything that can be known without the data.
SafetensorsHeader parse_header(std::string_view header, int64_t file_bytes, std::string_view where,
                               const SafetensorsLimits& limits);

const StoredType& stored_type(DType dtype);            // how tensors of this dtype are stored
const StoredType* stored_type(std::string_view name);  // null if the reader does not know the name

}  // namespace slope::safetensors
