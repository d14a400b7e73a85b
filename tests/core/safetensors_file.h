// Hand-made safetensors files: a header as text and a number of data bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace slope::test {

inline std::string file_with_length(uint64_t n, const std::string& rest) {
  std::string file(8, '\0');
  std::memcpy(file.data(), &n, 8);
  return file + rest;
}

inline std::string make_file(const std::string& header, size_t data_bytes) {
  return file_with_length(header.size(), header + std::string(data_bytes, '\0'));
}

// `"NAME":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
inline std::string record(const std::string& name, const std::string& dtype,
                          const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + offsets + "]}";
}

}  // namespace slope::test
