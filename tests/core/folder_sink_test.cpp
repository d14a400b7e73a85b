// Checkpoint folders, links and logs: what a crash or a failing disk may leave behind.
#ifndef SLOPE_PLAIN
#include <slope/core/error.h>
#include <slope/core/files/append_log.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/folder_sink.h>
#include <slope/core/files/system_call.h>
#include <slope/tests/fail_call.h>
#include <slope/tests/temporary_folder.h>

#include <doctest/doctest.h>

#include <fstream>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

using namespace slope;
using slope::test::FailCall;
using slope::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view links[] = {"last", "best"};
constexpr OwnFiles::File files[] = {{"loss.svg", "<svg "}};
bool is_in_step(std::string_view name) { return name == "weights" || name == "state"; }
Strays remove_strays(const std::string& folder) {
  return slope::remove_strays(folder, {links, files, is_in_step});
}

void save_step(const TemporaryFolder& run, int step) {
  FolderSink sink(run.file("step-" + std::to_string(step)));
  write_file(sink.file("weights"), "weights " + std::to_string(step));
  write_file(sink.file("state"), "state " + std::to_string(step));
  sink.replace();
  swap_link(run.file("last"), "step-" + std::to_string(step));
}

}  // namespace

TEST_CASE("folder sink: visible whole at commit, gone without") {
  const TemporaryFolder run;
  {
    FolderSink sink(run.file("step-1/"));
    write_file(sink.file("a"), "1");
    CHECK(!fs::exists(run.file("step-1")));
    CHECK(run.names() == std::vector<std::string>{fmt::format("step-1.{}-0.tmp", ::getpid())});
    CHECK(fs::exists(sink.file("a")));
  }
  CHECK(run.names().empty());
  save_step(run, 1);
  save_step(run, 2);
  CHECK(run.names() == std::vector<std::string>{"last", "step-1", "step-2"});
  CHECK(fs::read_symlink(run.file("last")) == "step-2");
  CHECK(read_file(run.file("last/weights")) == "weights 2");
}

TEST_CASE("try_link: a file system without links is named before there is anything to save") {
  const test::TemporaryFolder run;
  try_link(run.file("last"));
  CHECK(sys::names_in(run.path()).empty());
  const test::FailCall fail(1, EPERM, false);
  CHECK_THROWS_WITH_AS(try_link(run.file("last")),
                       doctest::Contains("a run's folder needs symbolic links"), IoError);
}

TEST_CASE("folder sink: replace() replaces a folder of that name, commit() does not") {
  const TemporaryFolder run;
  fs::create_directories(run.file("step-1/deep/er"));
  {
    FolderSink sink(run.file("step-1"));
    CHECK_THROWS_WITH_AS(sink.commit(), doctest::Contains("step-1: appeared meanwhile"), IoError);
  }
  CHECK(fs::exists(run.file("step-1/deep/er")));
  save_step(run, 1);
  CHECK(run.names() == std::vector<std::string>{"last", "step-1"});
  CHECK(!fs::exists(run.file("step-1/deep")));
  CHECK(read_file(run.file("last/state")) == "state 1");
  write_file(run.file("best"), "mine");
  CHECK_THROWS_WITH_AS(swap_link(run.file("best"), "step-1"),
                       doctest::Contains("best: is no link to a checkpoint"), IoError);
  CHECK(read_file(run.file("best")) == "mine");
}

TEST_CASE("folder sink: a failed replace() moves the old folder back where none can be exchanged") {
  const TemporaryFolder run;
  save_step(run, 1);
  int renames = 0;
  {
    FolderSink sink(run.file("step-1"));
    write_file(sink.file("weights"), "new");
    sys::set_hook([&](const sys::Call& call) {
      const std::string_view name = call.name;
      return name == "exchange" ? EINVAL : name == "rename" && ++renames == 2 ? EIO : 0;
    });
    CHECK_THROWS_AS(sink.replace(), IoError);
    sys::set_hook({});
  }
  CHECK(renames == 3);
  CHECK(run.names() == std::vector<std::string>{"last", "step-1"});
  CHECK(read_file(run.file("last/weights")) == "weights 1");
}

TEST_CASE("folder sink: each call failing leaves the old checkpoint or the new, never a mixture") {
  for (const bool persistently : {false, true}) {
    for (int k = 1;; ++k) {
      CAPTURE(k);
      const TemporaryFolder run;
      save_step(run, 1);
      bool failed, threw = false;
      {
        const FailCall fail(k, EIO, persistently);
        try {
          save_step(run, 2);
        } catch (const IoError&) {
          threw = true;
        }
        failed = fail.failed();
      }
      const std::string weights = read_file(run.file("last/weights")),
                        state = read_file(run.file("last/state"));
      CHECK(((weights == "weights 1" && state == "state 1") ||
             (weights == "weights 2" && state == "state 2")));
      remove_strays(run.path());
      for (const std::string& name : run.names())
        CHECK((name == "last" || name == "step-1" || name == "step-2"));
      if (!failed) {
        CHECK(k > 25);
        CHECK(weights == "weights 2");
        break;
      }
      if (persistently) CHECK(threw);
      save_step(run, 2);  // the next try works
      CHECK(read_file(run.file("last/weights")) == "weights 2");
    }
  }
}

TEST_CASE("folder sink: strays of a crash are removed, nothing else") {
  const TemporaryFolder run;
  save_step(run, 3);
  write_file(run.file("loss.svg.77-0.tmp"), "<svg torn");
  write_file(run.file("loss.svg.77-1.tmp"), "<s");
  for (const char* name : {"step-4.tmp", "step-4.77-0.tmp"}) {
    fs::create_directories(run.file(name));
    write_file(run.file(name) + "/weights", "torn");
    write_file(run.file(name) + "/state.77-0.tmp", "torn");
  }
  fs::create_symlink("step-4", run.file("last.tmp"));
  fs::create_symlink("step-4", run.file("last.77-0.tmp"));
  const std::vector<std::string> others = {
      "notes.tmp.txt", "thesis.tmp",     "thesis.7-0.tmp",    "step-.tmp",        "step-4b.tmp",
      "step-5.tmp",    "loss.svg.7.tmp", "loss.svg.7-.tmp",   "loss.svg.tmp",     "last.7-0.tmp",
      ".tmp",          "best.tmp",       "loss.svg.07-0.tmp", "loss.svg.79-0.tmp"};
  for (const std::string& name : others) write_file(run.file(name), "kept");
  fs::create_directories(run.file("backup.tmp/deep"));
  fs::create_directories(run.file("loss.svg.78-1.tmp"));
  fs::create_symlink("thesis.tmp", run.file("best.77-0.tmp"));
  for (const char* name : {"step-007.tmp", "step-99999999999999999999.tmp", "step-6.tmp",
                           "step-6.77-0.tmp", "step-6.77-1.tmp"})
    write_file((fs::create_directory(run.file(name)), run.file(name) + "/thesis"), "kept");
  write_file(run.file("step-6.77-1.tmp/weights"), "beside what is not slope's");
  const Strays strays = remove_strays(run.path());
  CHECK((strays.removed == 6 && strays.staying.empty()));
  CHECK(run.names().size() == others.size() + 10);
  for (const std::string& name : others) CHECK(read_file(run.file(name)) == "kept");
  CHECK(fs::exists(run.file("backup.tmp/deep")));
  CHECK(remove_strays(run.path()).removed == 0);
  CHECK_THROWS_AS(remove_strays(run.file("missing")), IoError);
}

TEST_CASE("folder sink: what has the name of a temporary is not in the way, and stays") {
  const TemporaryFolder run;
  for (const std::string& name :
       {std::string("step-1.tmp"), std::string("last.tmp"),
        fmt::format("step-1.{}-0.tmp", ::getpid()), fmt::format("last.{}-0.tmp", ::getpid())})
    write_file(run.file(name), "mine");
  save_step(run, 1);
  CHECK(read_file(run.file("last/state")) == "state 1");
  remove_step(run.file("step-1"));
  CHECK(run.names().size() == 5);
  fs::remove(run.file("last"));
  for (const std::string& name : run.names()) CHECK(read_file(run.file(name)) == "mine");
}

TEST_CASE("folder sink: a folder that cannot be removed is named with the first reason") {
  const TemporaryFolder run;
  save_step(run, 1);
  int left = 0;  // files that can be removed
  const auto protect = [&](int removable) {
    left = removable;
    sys::set_hook([&](const sys::Call& call) {
      const bool is_file = call.path.ends_with("/state") || call.path.ends_with("/weights");
      return std::string_view(call.name) == "remove" && is_file && left-- <= 0 ? EACCES : 0;
    });
  };
  protect(0);
  CHECK_THROWS_WITH_AS(remove_step(run.file("step-1")),
                       doctest::Contains("step-1: cannot remove: Permission denied"), IoError);
  CHECK(read_file(run.file("step-1/weights")) == "weights 1");  // nothing was removed
  protect(1);
  CHECK_THROWS_WITH_AS(remove_step(run.file("step-1")),
                       doctest::Contains(".tmp: cannot remove: Permission denied"), IoError);
  CHECK(!fs::exists(run.file("step-1")));
  write_file(run.file("loss.svg.77-0.tmp"), "<svg torn");
  protect(0);
  const Strays strays = remove_strays(run.path());
  CHECK(strays.removed == 1);
  REQUIRE(strays.staying.size() == 1);
  CHECK(strays.staying[0].find("cannot remove: Permission denied") != std::string::npos);
  sys::set_hook({});
  CHECK(remove_strays(run.path()).removed == 1);
}

TEST_CASE("folder sink: several threads may make the same folders at once") {
  const TemporaryFolder run;
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> failures{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        try {
          make_folders(run.file(fmt::format("{}/a/b/c", round)));
        } catch (const std::exception&) {
          ++failures;
        }
      });
    threads.clear();
    CHECK(failures == 0);
  }
}

TEST_CASE("folder sink: make_folders makes the whole path and refuses a file in it") {
  const TemporaryFolder run;
  make_folders(run.file("a/b/c/"));
  make_folders(run.file("a/b/c"));
  CHECK(fs::is_directory(run.file("a/b/c")));
  write_file(run.file("a/file"), "");
  CHECK_THROWS_AS(make_folders(run.file("a/file")), IoError);
  CHECK_THROWS_AS(make_folders(run.file("a/file/d")), IoError);
}

TEST_CASE("folder sink: if memory fails while it is undone, the process goes on") {
  const TemporaryFolder run;
  {
    FolderSink sink(run.file("step-1"));
    write_file(sink.file("a"), "");
    sys::set_hook([](const sys::Call& call) -> int {
      if (std::string_view(call.name) == "list") throw std::bad_alloc();
      return 0;
    });
  }
  sys::set_hook({});
  CHECK(!fs::exists(run.file("step-1")));
}

TEST_CASE("append log: grows by whole lines, cuts a torn line and what came after a step") {
  const TemporaryFolder run;
  const std::string path = run.file("log.jsonl");
  {
    AppendLog log(path);
    for (int step = 1; step <= 5; ++step) log.append("{\"step\":" + std::to_string(step) + "}");
    log.sync();
    CHECK(log.bytes() == 5 * 11);
  }
  std::ofstream(path, std::ios::app) << "{\"st";  // a crash
  AppendLog log(path);
  CHECK(log.bytes() == 55);
  log.cut_back(33);
  CHECK(read_file(path) == "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n");
  log.append("next");
  CHECK(read_file(path) == "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\nnext\n");
  log.cut_back(11);
  CHECK(read_file(path) == "{\"step\":1}\n");
  CHECK_THROWS_AS(log.cut_back(12), UsageError);  // would fill the file with zeros
  CHECK_THROWS_AS(log.cut_back(-1), UsageError);
  CHECK(read_file(path) == "{\"step\":1}\n");
  CHECK_THROWS_AS(AppendLog{run.path()}, IoError);
}

TEST_CASE("append log: a second name of the file keeps its content") {
  const TemporaryFolder run;
  write_file(run.file("log"), "one\ntwo\n");
  fs::create_hard_link(run.file("log"), run.file("other"));
  AppendLog log(run.file("log"));
  log.cut_back(4);
  log.append("three");
  CHECK(read_file(run.file("log")) == "one\nthree\n");
  CHECK(read_file(run.file("other")) == "one\ntwo\n");
}

TEST_CASE("append log: a failed append leaves whole lines") {
  const TemporaryFolder run;
  AppendLog log(run.file("log"));
  log.append("one");
  {
    const FailCall fail(1, ENOSPC, true);
    CHECK_THROWS_WITH_AS(log.append("two"), doctest::Contains("No space left"), IoError);
  }
  log.append("three");
  CHECK(read_file(run.file("log")) == "one\nthree\n");
}

TEST_CASE("append log: without its lock it changes nothing") {
  const TemporaryFolder run;
  const FileLock lock(run.file("lock"));
  AppendLog log(run.file("log"), &lock);
  log.append("one");
  fs::remove(run.file("lock"));
  CHECK_THROWS_WITH_AS(log.append("two"), doctest::Contains("removed or replaced"), IoError);
  CHECK_THROWS_AS(log.cut_back(0), IoError);
  CHECK_THROWS_AS(AppendLog(run.file("other"), &lock), IoError);
  CHECK(read_file(run.file("log")) == "one\n");
  CHECK(!fs::exists(run.file("other")));
}

TEST_CASE("append log: never through a link") {
  const TemporaryFolder run;
  write_file(run.file("notes"), "mine\nno end");
  fs::create_symlink("notes", run.file("log"));
  CHECK_THROWS_WITH_AS(AppendLog(run.file("log")), doctest::Contains("is a link"), IoError);
  CHECK(read_file(run.file("notes")) == "mine\nno end");
}
#endif
