// A folder outside a run: what a killed process left of it is removed by the next, nothing else.
#ifndef SLOPE_PLAIN
#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/folder_sink.h>
#include <slope/core/files/system_call.h>
#include <slope/tests/fail_call.h>
#include <slope/tests/temporary_folder.h>

#include <doctest/doctest.h>

#include <unistd.h>

#include <cerrno>

using namespace slope;
using slope::test::FailCall;
using slope::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

bool is_weights(std::string_view name) { return name == "weights"; }

void write_out(const TemporaryFolder& folder) {
  LockedFolderSink sink(folder.file("out/"), is_weights);
  write_file(sink.file("weights"), "new");
  sink.commit();
}

// What a process that was killed in the middle of it left.
void leave_strays(const TemporaryFolder& folder) {
  write_file(folder.file("out.lock.tmp"), "slope 77\n");
  for (const char* name : {"out.77-0.tmp", "out.78-3.tmp"}) {
    fs::create_directories(folder.file(name));
    write_file(folder.file(name) + "/weights.77-0.tmp", "torn");
    write_file(folder.file(name) + "/weights", "whole");
  }
  fs::create_directories(folder.file("out.79-0.tmp"));
}

}  // namespace

TEST_CASE("locked folder sink: what a kill left is gone after the next") {
  const TemporaryFolder folder;
  leave_strays(folder);
  write_out(folder);
  CHECK(folder.names() == Names{"out"});
  CHECK(read_file(folder.file("out/weights")) == "new");
}

TEST_CASE("locked folder sink: without commit() nothing stays") {
  const TemporaryFolder folder;
  {
    LockedFolderSink sink(folder.file("out"), is_weights);
    write_file(sink.file("weights"), "new");
    CHECK(folder.names() == Names{fmt::format("out.{}-0.tmp", ::getpid()), "out.lock.tmp"});
  }
  CHECK(folder.names().empty());
  CHECK_THROWS_WITH_AS(LockedFolderSink(folder.file("no/out"), is_weights),
                       doctest::Contains("no/out: cannot create the folder"), IoError);
}

TEST_CASE("locked folder sink: a second process is refused, and the first one's files stay") {
  const TemporaryFolder folder;
  LockedFolderSink first(folder.file("out"), is_weights);
  write_file(first.file("weights"), "first");
  CHECK_THROWS_WITH_AS(LockedFolderSink(folder.file("out"), is_weights),
                       doctest::Contains("/out: this process"), UsageError);
  LockedFolderSink other(folder.file("out.b"), is_weights);  // another folder is another lock
  first.commit();
  CHECK(read_file(folder.file("out/weights")) == "first");
  CHECK(!fs::exists(folder.file("out.lock.tmp")));
}

TEST_CASE("locked folder sink: what others made is left alone") {
  const TemporaryFolder folder;
  for (const char* name : {"out.tmp", "out.x-0.tmp", "out.77-0", "out2.77-0.tmp", "out.77-9.tmp",
                           "out.77.tmp", "step-4.77-0.tmp", "out.a.77-0.tmp"})
    write_file((fs::create_directory(folder.file(name)), folder.file(name) + "/weights"), "kept");
  write_file(folder.file("out.77-9.tmp/thesis"), "beside what is not slope's");
  write_file(folder.file("out.77-1.tmp"), "a file");
  fs::create_directory_symlink("out.tmp", folder.file("out.77-2.tmp"));
  fs::create_directories(folder.file("out.77-3.tmp/weights/deep"));
  const Names before = folder.names();
  write_out(folder);
  Names after = folder.names();
  std::erase(after, "out");
  CHECK(after == before);
  CHECK(read_file(folder.file("out.tmp/weights")) == "kept");
  write_file(folder.file("b.lock.tmp"), "mine");
  CHECK_THROWS_WITH_AS(LockedFolderSink(folder.file("b"), is_weights),
                       doctest::Contains("b.lock.tmp: is a file that slope did not write"),
                       InputError);
  CHECK(read_file(folder.file("b.lock.tmp")) == "mine");
}

TEST_CASE("locked folder sink: where there are no locks it writes, and removes nothing") {
  for (const int error : {ENOLCK, ENOTSUP}) {
    const TemporaryFolder folder;
    leave_strays(folder);
    fs::remove(folder.file("out.lock.tmp"));
    sys::set_hook(
        [=](const sys::Call& call) { return call.name == std::string("lock") ? error : 0; });
    write_out(folder);
    sys::set_hook({});
    CHECK(folder.names() == Names{"out", "out.77-0.tmp", "out.78-3.tmp", "out.79-0.tmp"});
  }
}

TEST_CASE("locked folder sink: each call failing leaves the whole folder or none") {
  for (int k = 1;; ++k) {
    CAPTURE(k);
    const TemporaryFolder folder;
    leave_strays(folder);
    bool failed;
    {
      const FailCall fail(k, EIO, false);
      try {
        write_out(folder);
      } catch (const IoError&) {
      }
      failed = fail.failed();
    }
    const bool is_there = fs::exists(folder.file("out"));
    if (is_there) CHECK(read_file(folder.file("out/weights")) == "new");
    fs::remove_all(folder.file("out"));
    write_out(folder);  // the next try works, and clears up
    CHECK(folder.names() == Names{"out"});
    if (!failed) {
      CHECK(k > 30);
      CHECK(is_there);
      break;
    }
  }
}
#endif
