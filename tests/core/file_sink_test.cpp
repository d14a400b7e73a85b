// Writing: the name refers to the complete old content or the complete new one,
// whatever call fails.
#ifndef SLOPE_PLAIN
#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/tests/fail_call.h>
#include <slope/tests/temporary_folder.h>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

using namespace slope;
using slope::test::FailCall;
using slope::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {
std::string message_of(auto&& f) {
  try {
    f();
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}
}  // namespace

TEST_CASE("file sink: writes new files and replaces old ones") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a"), large(300'000, 'x');
  write_file(path, "one");
  CHECK(read_file(path) == "one");
  FileSink sink(path);
  for (int i = 0; i < 100; ++i) sink.write("0123456789");
  sink.write(large);
  sink.write("end");
  CHECK(read_file(path) == "one");  // until commit
  sink.commit();
  const std::string content = read_file(path);
  CHECK(content.size() == 301'003);
  CHECK(content.substr(995, 10) == "56789xxxxx");
  CHECK(content.substr(301'000) == "end");
  CHECK(folder.names() == std::vector<std::string>{"a"});
}

TEST_CASE("file sink: without commit the old file stays and no temporary") {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "old");
  { FileSink(folder.file("a")).write("new"); }
  CHECK(read_file(folder.file("a")) == "old");
  CHECK(folder.names() == std::vector<std::string>{"a"});
}

TEST_CASE("file sink: each call failing, once or persistently, leaves the old content or the new") {
  for (const bool persistently : {false, true}) {
    int k = 1;
    for (;; ++k) {
      const TemporaryFolder folder;
      const std::string path = folder.file("a"), content(200'000, 'n');
      write_file(path, "old");
      std::string message;
      bool failed;
      {
        const FailCall fail(k, ENOSPC, persistently);
        message = message_of([&] { write_file(path, content); });
        failed = fail.failed();
      }
      if (!failed) break;
      CAPTURE(k);
      CHECK(message.find(folder.path()) == 0);
      CHECK(message.find("No space left on device") != message.npos);
      const std::string now = read_file(path);
      CHECK((now == "old" || now == content));
      if (!persistently) CHECK(folder.names() == std::vector<std::string>{"a"});
    }
    CHECK(k > 7);  // create, write, sync, close, rename, open and sync of the folder
  }
}

TEST_CASE("file sink: destinations that are not regular files are refused and untouched") {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("folder"));
  CHECK(message_of([&] { write_file(folder.file("folder"), "x"); }).find("is a folder") !=
        std::string::npos);
  ::mkfifo(folder.file("fifo").c_str(), 0666);
  CHECK(message_of([&] { write_file(folder.file("fifo"), "x"); }).find("not a regular file") !=
        std::string::npos);
  CHECK(message_of([&] { write_file("/dev/full", "x"); }).find("not a regular file") !=
        std::string::npos);
  fs::create_symlink("nowhere", folder.file("dangling"));
  CHECK(message_of([&] { write_file(folder.file("dangling"), "x"); }).find("leads nowhere") !=
        std::string::npos);
  CHECK(message_of([&] {
          write_file(folder.file("missing/a"), "x");
        }).find("No such file or directory") != std::string::npos);
  CHECK(message_of([&] { write_file("", "x"); }) != "");
  CHECK(fs::is_fifo(folder.file("fifo")));
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("file sink: a link keeps leading to the file, which keeps its mode") {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "old");
  ::chmod(folder.file("a").c_str(), 0600);
  fs::create_symlink("a", folder.file("link"));
  write_file(folder.file("link"), "new");
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(read_file(folder.file("a")) == "new");
  struct stat s;
  ::stat(folder.file("a").c_str(), &s);
  CHECK((s.st_mode & 0777) == 0600);
}

TEST_CASE("file sink: a name that cannot be looked at is not replaced") {
  const TemporaryFolder folder;
  write_file(folder.file("a"), "old");
  ::chmod(folder.file("a").c_str(), 0600);
  fs::create_symlink("a", folder.file("link"));
  for (const int error : {EIO, ESTALE, EACCES})
    for (const char* name : {"a", "link"})
      for (const int k : {1, 2}) {  // the kind of file, its permissions
        const FailCall fail(k, error, false);
        CHECK_THROWS_AS(write_file(folder.file(name), "new"), IoError);
      }
  CHECK(read_file(folder.file("a")) == "old");
  CHECK(fs::read_symlink(folder.file("link")) == "a");
  CHECK(folder.names() == std::vector<std::string>{"a", "link"});
}

TEST_CASE("file sink: beyond the file size limit is an error, not a signal") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write_file(path, "old");
  rlimit before;
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100'000;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of([&] { write_file(path, std::string(1'000'000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(message == path + ": cannot write: File too large");
  CHECK(read_file(path) == "old");
  CHECK(folder.names() == std::vector<std::string>{"a"});
  sigset_t pending;
  ::sigpending(&pending);
  CHECK(!sigismember(&pending, SIGXFSZ));
}

TEST_CASE("file sink: a folder that cannot be written is named") {
  if (::geteuid() == 0) return;  // root may write everywhere
  const TemporaryFolder folder;
  fs::create_directory(folder.file("locked"));
  ::chmod(folder.file("locked").c_str(), 0500);
  CHECK(message_of([&] { write_file(folder.file("locked/a"), "x"); }).find("Permission denied") !=
        std::string::npos);
}
#endif
