// safetensors: any bytes give an InputError, or tensors that are the same after being written and
// read again.
#include <slope/core/files/safetensors.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace slope;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  TensorFile file;
  try {
    file = parse_safetensors({reinterpret_cast<const char*>(data), size});
  } catch (const InputError& error) {
    require(std::strchr(error.what(), '\n') == nullptr, "a message is one line");
    return 0;
  }
  const std::string written = format_safetensors(file.tensors, file.metadata);
  const TensorFile again = parse_safetensors(written);
  require(again.metadata == file.metadata, "metadata survive");
  require(again.tensors.size() == file.tensors.size(), "tensors survive");
  for (const auto& entry : file.tensors) {
    const Tensor &x = entry.tensor, &y = again.at(entry.name);
    require(x.dtype() == y.dtype() && x.shape() == y.shape(), "dtype and shape survive");
    visit(x.dtype(), [&]<class T> {
      require(x.numel() == 0 || std::memcmp(x.data<T>(), y.data<T>(),
                                            static_cast<size_t>(x.numel()) * sizeof(T)) == 0,
              "values survive");
    });
  }
  return 0;
}

#ifdef SLOPE_FUZZ
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Most mutations change the JSON alone and make the length right again, so that they get past the
// first check; some then give the file as many bytes of data as its largest number says.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  uint64_t n = 0;
  if (size >= 8) std::memcpy(&n, data, 8);
  if (size < 10 || n > size - 8 || max_size < size + 64 || seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  std::string header(reinterpret_cast<char*>(data) + 8, n),
      rest(reinterpret_cast<char*>(data) + 8 + n, size - 8 - n);
  header.resize(n + 64);
  header.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(header.data()), n, n + 64));
  if (seed % 3 == 0) {
    unsigned long long most = 0;
    for (const char* p = header.c_str(); *p; ++p)
      if (*p >= '0' && *p <= '9' && (p == header.c_str() || p[-1] < '0' || p[-1] > '9'))
        most = std::max(most, std::strtoull(p, nullptr, 10));
    if (most < 4096) rest.resize(most);
  }
  n = header.size();
  const size_t now = std::min(max_size, 8 + header.size() + rest.size());
  const std::string all = std::string(reinterpret_cast<char*>(&n), 8) + header + rest;
  std::memcpy(data, all.data(), now);
  return now;
}
#endif
