// Writes an event file for TensorBoard: TFRecord records, each with an Event of
// tensorflow/core/util/event.proto.
//   record = length (u64) · crc(length) · Event · crc(Event)     little-endian; crc: masked CRC-32C
//   Event  = fields by number. 1: wall time (double); the first Event also has 3: "brain.Event:2",
//            all others 2: step (varint), 5: Summary { 1: Value { 1: tag, 2: value (float) }, … }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slope::train {

class EventFile {
 public:
  struct Scalar {
    std::string tag;
    double value;
  };

  // Makes FOLDER/events.out.tfevents.SECONDS.HOST.PID.0; IoError
  EventFile(const std::string& folder, double wall_time);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;
  void append(double wall_time, int64_t step, const std::vector<Scalar>& scalars);  // IoError
  const std::string& path() const { return path_; }

 private:
  void write(const std::string& event);

  std::string path_;
  int fd_ = -1;
};

}  // namespace slope::train
