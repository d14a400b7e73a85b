#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/text/gunzip.h>
#include <slope/models/data/text/line_stream.h>
#include <slope/models/data/text/read_text.h>
#include <slope/tests/temporary_folder.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <thread>

using namespace slope::data;
using slope::InputError, slope::IoError;
using slope::test::TemporaryFolder;
using std::string;
using Lines = std::vector<string>;

template <size_t n>
static string bytes(const char (&literal)[n]) {
  return string(literal, n - 1);
}

// Made by Python's gzip.compress(…, 9, mtime=0): two lines; 40000 times 'a'; nothing.
static const string packed = bytes(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x73\x2f\x3a\xbc\xe7\xf0\xfc\x54\xae\xaa\xf2\xd4\x4c"
    "\x2e\x00\x58\x66\xf9\xfb\x0d\x00\x00\x00");
static const string packed_a = bytes(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\xac\xeb\x5f\xc2"
    "\xcb\x16\x40\x01\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x37\xf7\xb8\xdd"
    "\xf3\x40\x9c"
    "\x00\x00");
static const string packed_nothing =
    bytes("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00");
static const string unpacked_text = "Grüße\nzwei\n";

TEST_CASE(
    "read_text: lines end with \\n alone; CRLF, a byte order mark and a missing last newline do no "
    "harm") {
  const TemporaryFolder folder;
  const auto lines = [&](const string& content) { return read_lines(folder.write("t", content)); };
  CHECK(lines("") == Lines{});
  CHECK(lines("\n") == Lines{""});
  CHECK(lines("a\nb\n") == Lines{"a", "b"});
  CHECK(lines("a\nb") == Lines{"a", "b"});
  CHECK(lines("a\n\n\nb\n\n") == Lines{"a", "", "", "b", ""});
  CHECK(lines("a\r\nb\r\n") == Lines{"a", "b"});
  CHECK(lines("a\rb\r\r\nc\nd\ne") == Lines{"a\rb", "c", "d", "e"});
  CHECK(lines("\xEF\xBB\xBFä\n\xEF\xBB\xBFö\n") == Lines{"ä", "\xEF\xBB\xBFö"});
  CHECK(lines("a\u2028b\u0085c\vd\n") == Lines{"a\u2028b\u0085c\vd"});
  CHECK(lines(bytes("a\0b\n")) == Lines{bytes("a\0b")});
}

TEST_CASE("read_text: ill-formed UTF-8 is refused with its byte in the file") {
  const TemporaryFolder folder;
  const string file = folder.write("t", "\xEF\xBB\xBFgut\r\nschlecht \xFC\n");
  CHECK_THROWS_WITH_AS((void)read_text(file),
                       (file + ": not valid UTF-8 at byte 17 (line 2): a byte that UTF-8 never "
                               "uses; convert the text to UTF-8")
                           .c_str(),
                       InputError);
}

TEST_CASE("read_text: gzip files, of several members and with zero padding too") {
  const TemporaryFolder folder;
  const auto text = [&](const string& content) { return read_text(folder.write("t.gz", content)); };
  CHECK(text(packed) == unpacked_text);
  CHECK(text(packed + packed) == unpacked_text + unpacked_text);
  CHECK(text(packed + string(512, '\0')) == unpacked_text);
  CHECK(text(packed_nothing) == "");
  CHECK(text(packed_a) == string(40000, 'a'));
  CHECK(read_text(folder.write("name", packed)) ==
        unpacked_text);  // gzip is known by its first bytes
}

TEST_CASE(
    "read_text: a gzip file cut off anywhere, changed or continued by something else is refused") {
  const TemporaryFolder folder;
  const auto text = [&](const string& content) { return read_text(folder.write("t.gz", content)); };
  for (size_t length = 0; length < packed.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS((void)text(packed.substr(0, length)), InputError);
    if (length > 0) CHECK_THROWS_AS((void)text(packed + packed.substr(0, length)), InputError);
  }
  // with a changed header or padding bit it may unpack to the same text, never to another
  for (size_t bit = 0; bit < 8 * packed.size(); ++bit) {
    string changed = packed;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    string text;
    try {
      text = gunzip(changed, "t.gz");
    } catch (const InputError&) {
      continue;
    }
    CHECK(text == unpacked_text);
  }
  const string plain = folder.write("plain.gz", "text"),
               more = folder.write("more.gz", packed + "text");
  CHECK_THROWS_WITH_AS(
      (void)read_text(plain),
      (plain + ": is not gzip data, though its name ends in .gz; rename or pack it").c_str(),
      InputError);
  CHECK_THROWS_WITH_AS((void)read_text(more),
                       (more + ": 4 bytes after the end of the gzip data").c_str(), InputError);
}

TEST_CASE("read_text: a gzip file may not grow without limit") {
  CHECK(gunzip(packed_a, "a.gz", {.free = 40000, .ratio = 1}).size() == 40000);
  CHECK_THROWS_WITH_AS(
      (void)gunzip(packed_a, "a.gz", {.free = 1000}),
      "a.gz: unpacks to more than 7400 bytes; if that is intended, unpack it first", InputError);
  CHECK_THROWS_AS((void)gunzip(packed_a, "a.gz", {.most = 39999}), InputError);
  CHECK(gunzip(packed_a, "a.gz", {.most = 40000}).size() == 40000);
}

TEST_CASE("read_text: lines that end with CR alone are named, not taken for one") {
  const TemporaryFolder folder;
  for (const string content : {"a\rb\rc\r", "a\rb\rc", "a\rb\rc\n", "a\r", "a\rb\nc\rd\n"}) {
    const string file = folder.write("t", content);
    CHECK_THROWS_WITH_AS((void)read_text(file), doctest::Contains("with CR alone"), InputError);
    CHECK_THROWS_WITH_AS((void)read_text(file), doctest::Contains("tr '\\r' '\\n'"), InputError);
  }
}

TEST_CASE("read_text: lines that end with LF, then CR are named") {
  const TemporaryFolder folder;
  for (const string content : {"a\n\rb\n\r", "a\n\rb\n\rc\n", "a\n\rb", "a\n\r\n\rb\n\rc\n\r"})
    CHECK_THROWS_WITH_AS((void)read_text(folder.write("t", content)),
                         doctest::Contains("LF, then CR; convert it: tr -d '\\r'"), InputError);
}

TEST_CASE("read_text: any number of CR before LF ends a line") {
  const TemporaryFolder folder;
  CHECK(read_text(folder.write("t", "a\r\r\nb\n\r\nc\r\r\r\n\r")) == "a\nb\n\nc\n\r");
}

TEST_CASE("read_text: FIFOs are read to their end; folders and devices are an IoError") {
  const TemporaryFolder folder;
  const auto refuses = [](const string& file, const string& why) {
    try {
      (void)read_text(file);
      FAIL_CHECK("read ", file);
    } catch (const IoError& error) {
      CHECK(string(error.what()).starts_with(file + ": " + why));
    }
  };
  std::filesystem::create_symlink("nowhere", folder.file("dangling"));
  std::filesystem::create_symlink("loop", folder.file("loop"));
  refuses(folder.file("missing"), "cannot read: No such file");
  refuses(folder.file("dangling"), "cannot read: No such file");
  refuses(folder.file("loop"), "cannot read: ");
  refuses(folder.write("file", "") + "/below", "cannot read: Not a directory");
  refuses(folder.path(), "cannot read: is a folder");
  refuses("/dev/zero", "cannot read: is a device");
  CHECK(read_text("/dev/null").empty());

  const string fifo = folder.file("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  for (const string& content : {unpacked_text, packed, string(200'000, 'x'), string()}) {
    std::thread writer([&] { std::ofstream(fifo) << content; });
    CHECK(read_text(fifo) == (content == packed ? unpacked_text : content));
    writer.join();
  }
}

namespace {
// A pipe: a stream of lines, and the end that is written to.
struct Fifo {
  Fifo() {
    const string path = folder.file("fifo");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    std::thread opens([&] { lines.emplace(path); });
    out.open(path);
    opens.join();
  }
  TemporaryFolder folder;
  std::optional<LineStream> lines;
  std::ofstream out;
};
}  // namespace

TEST_CASE("line stream: a line is answered when it is there, lines that come together together") {
  Fifo fifo;
  fifo.out << "\xEF\xBB\xBFone\ntwo\r\nthr" << std::flush;
  CHECK(fifo.lines->next() == Lines{"one", "two"});
  fifo.out << "ee\n\xEF\xBB\xBF" << std::flush;
  CHECK(fifo.lines->next() == Lines{"three"});
  CHECK(fifo.lines->lines_before() == 2);
  fifo.out << "\n\nlast" << std::flush;
  CHECK(fifo.lines->next() == Lines{"\xEF\xBB\xBF", ""});
  fifo.out.close();
  CHECK(fifo.lines->next() == Lines{"last"});
  CHECK(fifo.lines->lines_before() == 5);
  CHECK(!fifo.lines->next());
  CHECK(!fifo.lines->next());
}

TEST_CASE("line stream: a CR within a line of a pipe is one, whichever lines come with it") {
  Fifo fifo;
  for (const char* line : {"one", "a\rb", "c\rd\re"}) {
    fifo.out << line << '\n' << std::flush;
    CHECK(fifo.lines->next() == Lines{line});
  }
  fifo.out << "f\rg" << std::flush;
  fifo.out.close();
  CHECK(fifo.lines->next() == Lines{"f\rg"});

  Fifo mostly_mac;
  mostly_mac.out << "a\rb\rc\n" << std::flush;
  CHECK_THROWS_WITH_AS((void)mostly_mac.lines->next(),
                       doctest::Contains("line ends are 2 with CR alone and 1 with LF"),
                       InputError);

  Fifo mac;
  mac.out << "a\rb\r" << std::flush;
  mac.out.close();
  CHECK_THROWS_WITH_AS((void)mac.lines->next(), doctest::Contains("with CR alone"), InputError);
}

TEST_CASE("line stream: a file comes whole, packed ones too; errors count from its beginning") {
  const TemporaryFolder folder;
  LineStream plain(folder.write("t", "a\nb")), gz(folder.write("t.gz", packed)),
      nothing(folder.write("nothing", ""));
  CHECK(plain.next() == Lines{"a", "b"});
  CHECK(!plain.next());
  CHECK(gz.next() == Lines{"Grüße", "zwei"});
  CHECK(!nothing.next());
  CHECK_THROWS_AS((void)LineStream(folder.write("x.gz", "a\n")).next(), InputError);

  Fifo fifo;
  fifo.out << "good\n" << std::flush;
  CHECK(fifo.lines->next() == Lines{"good"});
  fifo.out << "b\xFF\n" << std::flush;
  CHECK_THROWS_WITH_AS((void)fifo.lines->next(), doctest::Contains("byte 6 (line 2)"), InputError);
}

TEST_CASE("read_text: a huge sparse file is refused before memory is taken") {
  const TemporaryFolder folder;
  const string file = folder.write("sparse", "");
  std::filesystem::resize_file(file, uintmax_t{1} << 40);
  CHECK_THROWS_AS((void)read_text(file), IoError);
}

TEST_CASE("read_parallel: finds plain and packed files") {
  const TemporaryFolder folder;
  folder.write("p.de.gz", packed);
  folder.write("p.en", "greetings\r\ntwo");
  const auto text = read_parallel(folder.file("p"), "de", "en");
  CHECK(text.source == Lines{"Grüße", "zwei"});
  CHECK(text.target == Lines{"greetings", "two"});
  CHECK(text.source_file == folder.file("p.de.gz"));
  CHECK_THROWS_WITH_AS(
      (void)read_parallel(folder.file("p"), "de", "fr"),
      (folder.file("p.fr") + ": no such file, nor " + folder.file("p.fr.gz")).c_str(), IoError);
}

TEST_CASE("read_parallel: an empty corpus is refused") {
  const TemporaryFolder folder;
  for (const string content : {"", "\n\n", " \n\t\r\n"}) {
    folder.write("p.de", content);
    folder.write("p.en", content);
    CHECK_THROWS_WITH_AS((void)read_parallel(folder.file("p"), "de", "en"),
                         (folder.file("p.de") + ": contains no text").c_str(), InputError);
  }
}

TEST_CASE(
    "read_parallel: different numbers of lines are refused, with both and with the line where the "
    "texts part") {
  Lines source, target;
  for (size_t i = 0; i < 300; ++i) {
    source.emplace_back(10 + i * i * 7919 % 61, 'd');
    target.emplace_back(9 + i * i * 7919 % 61 + i % 3, 'e');
  }
  const auto part = [&](Lines s, Lines t) { return first_suspicious_line(s, t); };
  for (size_t k : {0, 1, 7, 100, 250, 299}) {
    Lines missing = target, twice = target;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(k));
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(k),
                 "another line, of a length that its neighbours do not have, to be told apart");
    CHECK(std::abs(part(source, missing) - static_cast<int64_t>(k + 1)) <= 2);
    CHECK(std::abs(part(source, twice) - static_cast<int64_t>(k + 1)) <= 2);
    CHECK(std::abs(part(missing, target) - static_cast<int64_t>(k + 1)) <= 2);
  }
  CHECK(first_suspicious_line({}, {"a"}) == 1);

  const TemporaryFolder folder;
  folder.write("p.de", "ein\nzwei\ndrei\n");
  folder.write("p.en", "one\ntwo\n");
  try {
    (void)read_parallel(folder.file("p"), "de", "en");
    FAIL_CHECK("accepted");
  } catch (const InputError& error) {
    const string message = error.what();
    CHECK(message.starts_with(folder.file("p.de") + " has 3 lines and " + folder.file("p.en") +
                              " has 2: "));
  }
}
