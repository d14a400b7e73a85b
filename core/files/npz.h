// .npz: named arrays in one file, as numpy.savez writes it: a zip archive of .npy entries. f32 f64
// i64 bool are written (bf16, which NumPy lacks, as f32); on reading, f16 becomes f32, and i8 u8
// i16 u16 i32 u32 become i64. Arrays in C order and in Fortran order are read. Before a
// tensor is allocated, InputError names whatever is malformed; nothing in a file is ever executed.
// Files of 2 GB or more from numpy.savez are not read (zip.h).
#pragma once

#include <slope/core/tensor/named_tensor.h>

#include <string>
#include <string_view>

namespace slope {

NamedTensors parse_npz(std::string_view file, const std::string& where = "npz");
std::string format_npz(const NamedTensors& tensors);

#ifndef SLOPE_PLAIN
NamedTensors load_npz(const std::string& path);
// Through FileSink: the old file stays until the new one is complete. UsageError on duplicate,
// empty or invalid names, and for more than 8 dims.
void save_npz(const std::string& path, const NamedTensors& tensors);
#endif

}  // namespace slope
