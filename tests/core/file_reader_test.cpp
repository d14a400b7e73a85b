// Reading: only regular files, without blocking, never more than the limit.
#ifndef SLOPE_PLAIN
#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/tests/fail_call.h>
#include <slope/tests/temporary_folder.h>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

using namespace slope;
using slope::test::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("file reader: whole files and ranges") {
  const TemporaryFolder folder;
  write_file(folder.file("a"), std::string("ab\0cd", 5));
  CHECK(read_file(folder.file("a")) == std::string("ab\0cd", 5));
  const FileReader reader(folder.file("a"));
  char range[2];
  reader.read(3, range, 2);
  CHECK(std::string(range, 2) == "cd");
  CHECK_THROWS_AS(reader.read(4, range, 2), IoError);
  write_file(folder.file("empty"), "");
  CHECK(read_file(folder.file("empty")).empty());
}

TEST_CASE("file reader: anything but a regular file is refused at once") {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("folder"));
  ::mkfifo(folder.file("fifo").c_str(), 0666);
  fs::create_symlink("nowhere", folder.file("dangling"));
  fs::create_symlink("loop", folder.file("loop"));
  for (const std::string& path :
       {folder.file("folder"), folder.file("fifo"), folder.file("dangling"), folder.file("loop"),
        folder.file("missing"), std::string("/dev/zero"), std::string("/dev/tty"), std::string()}) {
    CAPTURE(path);
    CHECK_THROWS_AS(read_file(path), IoError);
  }
}

TEST_CASE("file reader: a sparse file of 1 TB is refused before any memory is taken") {
  const TemporaryFolder folder;
  write_file(folder.file("huge"), "");
  // the file system does not hold such files
  if (::truncate(folder.file("huge").c_str(), int64_t{1} << 40) != 0) return;
  CHECK_THROWS_WITH_AS(read_file(folder.file("huge")),
                       doctest::Contains("more than the 4294967296"), IoError);
  CHECK_THROWS_WITH_AS(read_file(folder.file("huge"), 10),
                       doctest::Contains("it has 1099511627776 bytes, more than the 10"), IoError);
}

TEST_CASE("file reader: a read error names the file") {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "abc");
  for (int k = 1; k <= 2; ++k) {
    const test::FailCall fail(k, EIO, false);
    CHECK_THROWS_WITH_AS(read_file(folder.file("a")), doctest::Contains("a: cannot"), IoError);
  }
}
#endif
