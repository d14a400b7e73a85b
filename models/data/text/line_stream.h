// Lines of text as they arrive: from a file all at once; from a pipe or a terminal those that have
// arrived, so that an interactive user gets answers and a fast writer gets large batches.
#pragma once

#include <slope/core/files/input_stream.h>
#include <slope/models/data/text/read_text.h>

#include <optional>

namespace slope::data {

class LineStream {
 public:
  // "-" is standard input. IoError if the file cannot be opened.
  explicit LineStream(const std::string& file) : stream_(file) {}

  // The next lines, cleaned as in read_text(); nothing at the end of the text. From a pipe: waits
  // for a line, then takes what follows within a pause of 20 ms, up to about a megabyte. An
  // InputError names byte and line in the whole text; a line of a pipe may have 64 MiB at most.
  std::optional<std::vector<std::string>> next();

  const std::string& name() const { return stream_.name(); }
  size_t lines_before() const { return before_.lines; }  // lines before those of the last next()

 private:
  InputStream stream_;
  std::string rest_;  // the beginning of a line that has not ended yet
  TextBefore before_, read_;
  bool is_at_end_ = false;
};

}  // namespace slope::data
