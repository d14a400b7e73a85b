#include <slope/core/error.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/files/folder_sink.h>
#include <slope/core/files/system_call.h>
#include <slope/models/run/curves/event_file.h>

#include <fcntl.h>
#include <unistd.h>

#include <bit>

namespace slope::train {

namespace {

template <class T>
std::string little_endian(T value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

uint32_t masked_crc(const std::string& bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

// Fields of a protobuf message: a key, 8 * field + type, and the value. Types: 0 varint, 1 eight
// bytes, 2 length and bytes, 5 four bytes.
std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
std::string double_field(int field, double value) {
  return varint(static_cast<uint64_t>(8 * field + 1)) +
         little_endian(std::bit_cast<uint64_t>(value));
}
std::string float_field(int field, float value) {
  return varint(static_cast<uint64_t>(8 * field + 5)) +
         little_endian(std::bit_cast<uint32_t>(value));
}
std::string integer_field(int field, int64_t value) {
  return varint(static_cast<uint64_t>(8 * field)) + varint(static_cast<uint64_t>(value));
}
std::string bytes_field(int field, const std::string& value) {
  return varint(static_cast<uint64_t>(8 * field + 2)) + varint(value.size()) + value;
}

std::string host() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 && name[0] ? name : "localhost";
}

}  // namespace

EventFile::EventFile(const std::string& folder, double wall_time)
    : path_(fmt::format("{}/events.out.tfevents.{}.{}.{}.0", folder,
                        static_cast<int64_t>(wall_time), host(), getpid())) {
  make_folders(folder);
  fd_ = sys::open(path_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  try {
    write(double_field(1, wall_time) + bytes_field(3, "brain.Event:2"));
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

EventFile::~EventFile() { ::close(fd_); }

void EventFile::append(double wall_time, int64_t step, const std::vector<Scalar>& scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars)
    summary += bytes_field(1, bytes_field(1, tag) + float_field(2, static_cast<float>(value)));
  write(double_field(1, wall_time) + integer_field(2, step) + bytes_field(5, summary));
}

void EventFile::write(const std::string& event) {
  const std::string length = little_endian(static_cast<uint64_t>(event.size()));
  sys::write(fd_,
             length + little_endian(masked_crc(length)) + event + little_endian(masked_crc(event)),
             path_);
}

}  // namespace slope::train
