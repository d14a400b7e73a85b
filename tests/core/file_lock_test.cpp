// The lock of a run's folder.
#ifndef SLOPE_PLAIN
#include <slope/core/error.h>
#include <slope/core/files/file_lock.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/system_call.h>
#include <slope/tests/fail_call.h>
#include <slope/tests/temporary_folder.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include <unistd.h>

#include <cerrno>

using namespace slope;
using slope::test::FailCall;
using slope::test::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("file lock: the second owner is refused until the first lets go") {
  const TemporaryFolder run;
  {
    const FileLock first(run.file("lock"));
    CHECK_THROWS_WITH_AS(FileLock(run.file("lock")),
                         doctest::Contains("this process is working in this folder"), UsageError);
    CHECK_THROWS_WITH_AS(FileLock(run.file("lock")), doctest::Contains(run.path().c_str()),
                         UsageError);
  }
  const FileLock second(run.file("lock"));
  second.check();
  CHECK_THROWS_AS(FileLock(run.file("missing/lock")), IoError);
  CHECK_THROWS_AS(FileLock(run.path()), IoError);
}

TEST_CASE("file lock: a copy made with cp -al gets a lock of its own") {
  const TemporaryFolder run;
  { const FileLock before(run.file("lock")); }
  fs::create_hard_link(run.file("lock"), run.file("copy"));
  const FileLock lock(run.file("lock")), copy(run.file("copy"));
  lock.check();
  copy.check();
  fs::create_hard_link(run.file("lock"), run.file("later"));  // while it is locked
  CHECK_THROWS_WITH_AS(FileLock(run.file("later")), doctest::Contains("then remove"), UsageError);
  CHECK(fs::hard_link_count(run.file("lock")) == 2);
}

TEST_CASE(
    "file lock: it tells when the file is gone, and does not write over one that is not a lock") {
  const TemporaryFolder run;
  const FileLock lock(run.file("lock"));
  fs::remove(run.file("lock"));
  CHECK_THROWS_WITH_AS(lock.check(), doctest::Contains("removed or replaced"), IoError);
  const FileLock next(run.file("lock"));
  CHECK_THROWS_AS(lock.check(), IoError);
  next.check();
  {
    const FailCall fail(1, EIO, true);
    CHECK_THROWS_AS(next.check(), IoError);  // the file system gives no certain answer
  }
  for (const char* text : {"mine", "4711\n", "12a\n", "20261128", "20261128\n", "slope",
                           "slope x\n", "123456789012345678901234567890\n"}) {
    write_file(run.file("other"), text);
    CHECK_THROWS_WITH_AS(FileLock(run.file("other")), doctest::Contains("did not write"),
                         InputError);
    CHECK(read_file(run.file("other")) == text);
  }
}

TEST_CASE("file lock: a file system without locks is told apart, and keeps no new file") {
  const TemporaryFolder run;
  for (const int error : {ENOLCK, ENOTSUP, EIO}) {
    sys::set_hook(
        [=](const sys::Call& call) { return call.name == std::string("lock") ? error : 0; });
    if (error == EIO)
      CHECK_THROWS_AS(FileLock(run.file("other")), IoError);
    else
      CHECK_THROWS_AS(FileLock(run.file("lock")), sys::NoLocksError);
    sys::set_hook({});
  }
  CHECK(!fs::exists(run.file("lock")));
}

TEST_CASE("file lock: who waits for a file that its owner removes makes a new one") {
  const TemporaryFolder run;
  FileLock first(run.file("lock"), "the run");
  CHECK_THROWS_WITH_AS(FileLock(run.file("lock"), "the run"), doctest::Contains("the run: this"),
                       UsageError);
  first.remove();
  CHECK(run.names().empty());
  const FileLock second(run.file("lock"));
  first.remove();  // the file is another one now
  second.check();
}

TEST_CASE("file lock: locks that a kill left are taken; one that fails is gone again") {
  const TemporaryFolder run;
  for (const char* text : {"", "slope 4194304\n", "slope 7\n"}) {
    write_file(run.file("lock"), text);
    const FileLock lock(run.file("lock"));
    CHECK(read_file(run.file("lock")) == fmt::format("slope {}\n", ::getpid()));
  }
  fs::remove(run.file("lock"));
  sys::set_hook(
      [](const sys::Call& call) { return call.name == std::string("write") ? ENOSPC : 0; });
  CHECK_THROWS_AS(FileLock(run.file("lock")), IoError);
  sys::set_hook({});
  CHECK(run.names().empty());
}
#endif
