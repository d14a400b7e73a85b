// .npz files against NumPy's, and malformed ones.
#include <doctest/doctest.h>
#include <slope/core/files/npz.h>
#include <slope/core/files/zip.h>
#include <slope/core/tensor/factories.h>
#include <slope/tests/golden_files.h>

#include <map>

using namespace slope;

namespace {

std::map<std::string, Tensor> by_name(const NamedTensors& tensors) {
  std::map<std::string, Tensor> all;
  for (const auto& [name, x] : tensors) all[name] = x;
  return all;
}

template <class F>
std::vector<double> rule(const F& f) {
  std::vector<double> values;
  for (int64_t n = 0; n < 24; ++n) values.push_back(static_cast<double>(f(n)));
  return values;
}
const auto eighths = [](int64_t n) { return static_cast<double>(n) / 8 - 1; };

// An archive of one array with this header.
std::string npz_of(const std::string& header, const std::string& data) {
  std::string array("\x93NUMPY\1\0", 8);
  array += {static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return format_zip({{"x.npy", array + header + data}});
}
void refused(const std::string& file, const std::string& says) {
  try {
    (void)parse_npz(file, "file");
    FAIL_CHECK("accepted: " << says);
  } catch (const InputError& e) {
    CHECK_MESSAGE(std::string(e.what()).find(says) != std::string::npos, e.what());
    CHECK(std::string(e.what()).find('\n') == std::string::npos);
  }
}

}  // namespace

TEST_CASE("npz: NumPy's file is read: every dtype, both orders of elements, odd shapes") {
  const auto x = by_name(parse_npz(test::golden_text("reference.npz")));
  CHECK(x.size() == 15);
  CHECK(x.at("f32").shape() == Dims{2, 3, 4});
  for (const char* name : {"f32", "f16", "fortran"}) {
    CHECK(x.at(name).dtype() == f32);
    CHECK(x.at(name).to_vector() == rule(eighths));
  }
  CHECK(x.at("fortran").shape() == Dims{2, 3, 4});
  CHECK(x.at("f64").dtype() == f64);
  CHECK(x.at("f64").to_vector() == rule(eighths));
  CHECK(x.at("i64").data<int64_t>()[23] == 18'000'000'000'000'000);
  CHECK(x.at("i32").to_vector() == rule([](int64_t n) { return n * 100'000'000 - 1'000'000'000; }));
  CHECK(x.at("u32").to_vector() == rule([](int64_t n) { return n * 100'000'000; }));
  CHECK(x.at("i16").to_vector() == rule([](int64_t n) { return n * 1000 - 10000; }));
  CHECK(x.at("u16").to_vector() == rule([](int64_t n) { return n * 2000; }));
  CHECK(x.at("i8").to_vector() == rule([](int64_t n) { return n - 12; }));
  CHECK(x.at("u8").to_vector() == rule([](int64_t n) { return n * 10; }));
  CHECK(x.at("u8").dtype() == i64);
  CHECK(x.at("bool").dtype() == boolean);
  CHECK(x.at("bool").to_vector() == rule([](int64_t n) { return n % 3 == 0; }));
  CHECK(x.at("scalar").shape() == Dims{});
  CHECK(x.at("scalar").item() == 2.5);
  CHECK(x.at("empty").shape() == Dims{0, 3});
  CHECK(x.at("layers.0.weight").to_vector() == std::vector<double>{1});
}

TEST_CASE("npz: what is written is what NumPy reads (tests/golden/npz.py), and is read back") {
  NamedTensors tensors;
  for (const auto& [name, x] : parse_npz(test::golden_text("reference.npz")))
    if (name == "f32" || name == "f64" || name == "i64" || name == "bool" || name == "scalar" ||
        name == "empty" || name == "layers.0.weight")
      tensors.push_back({name, x});
  const std::string file = format_npz(tensors);
  CHECK(file == test::golden_text("slope.npz"));
  const NamedTensors read = parse_npz(file);
  REQUIRE(read.size() == tensors.size());
  for (size_t i = 0; i < read.size(); ++i) {
    CHECK(read[i].name == tensors[i].name);
    CHECK(read[i].tensor.dtype() == tensors[i].tensor.dtype());
    CHECK(read[i].tensor.shape() == tensors[i].tensor.shape());
    CHECK(read[i].tensor.to_vector() == tensors[i].tensor.to_vector());
  }
  CHECK(parse_npz(format_npz({})).empty());
  CHECK_THROWS_AS((void)format_npz({{"x", ones({1})}, {"x", ones({1})}}), UsageError);
  CHECK_THROWS_AS((void)format_npz({{"", ones({1})}}), UsageError);
}

TEST_CASE("npz: what could not be read back is not written") {
  const auto not_written = [](const std::string& name, const Tensor& x, const char* says) {
    CHECK_THROWS_WITH_AS((void)format_npz({{name, x}}), doctest::Contains(says), UsageError);
  };
  const Tensor x = ones({1});
  not_written("\xff", x, "not valid UTF-8");
  not_written(std::string("a\0b", 3), x, "holds NUL");
  not_written(std::string(65'532, 'x'), x, "has 65536 bytes, more than 65535");
  not_written("x", ones({1, 1, 1, 1, 1, 1, 1, 1, 1}), "more than 8 dims");
  not_written("x", Tensor::empty({int64_t{1} << 50, 0}), "a size is 1125899906842624");
  not_written("x", Tensor(), "x is undefined");
  const std::string longest(65'531, 'x');
  const NamedTensors read = parse_npz(
      format_npz({{longest, ones({1, 1, 1, 1, 1, 1, 1, 1})}, {"ü", Tensor::empty({1 << 30, 0})}}));
  CHECK(read[0].name == longest);
  CHECK(read[0].tensor.shape().size() == 8);
  CHECK(read[1].name == "ü");
  CHECK(read[1].tensor.shape() == Dims{1 << 30, 0});
}

TEST_CASE("npz: malformed files are refused in one line, before a tensor is allocated") {
  const std::string four(4, '\0'),
      plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
  CHECK(parse_npz(npz_of(plain, four))[0].tensor.item() == 0);
  CHECK(parse_npz(npz_of("{'shape':(),'descr':'<f4','fortran_order':True}", four)).size() == 1);
  refused("", "not a zip archive");
  refused("PK", "not a zip archive");
  refused(npz_of(plain, "123"), "shape (1,) needs 4 bytes, the entry has 3");
  const auto shape = [&](const std::string& text) {
    return npz_of("{'descr': '<f4', 'fortran_order': False, 'shape': " + text + "}", four);
  };
  refused(shape("(99999999999999, 99999999999999)"), "overflow");
  refused(shape("(1000000000000,)"), "needs 4000000000000 bytes");
  refused(shape("(-1,)"), "header is malformed");
  refused(shape("(9999999999999999999999,)"), "header is malformed");
  refused(shape("(1,1,1,1,1,1,1,1,1)"), "header is malformed");
  refused(shape("(1"), "header is malformed");
  refused(shape("__import__('os')"), "header is malformed");
  refused(npz_of("{'descr': '|O', 'fortran_order': False, 'shape': ()}", four), "dtype '|O'");
  refused(npz_of("{'descr': '>f4', 'fortran_order': False, 'shape': ()}", four), "astype");
  refused(npz_of("{'descr': '<f4', 'shape': ()}", four), "header is malformed");
  refused(npz_of("{'descr': '<f4', 'descr': '<f4', 'shape': ()}", four), "header is malformed");
  refused(npz_of(plain + "x", four), "header is malformed");
  refused(npz_of("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", "\2"),
          "as a bool must be");
  refused(format_zip({{"x.npy", "no array"}}), "not a .npy array");
  refused(format_zip({{"notes.txt", "text"}}), "notes.txt is not a .npy array");
  refused(format_zip({{"x.npy", "a"}, {"x.npy", "b"}}), "appears twice");

  const std::string whole = npz_of(plain, four);
  for (size_t n = 0; n < whole.size(); ++n)
    CHECK_THROWS_AS((void)parse_npz(whole.substr(0, n)), InputError);
  refused(whole + "behind", "not a zip archive");
  refused("before" + whole, "not where its end says");
  const auto with = [&](size_t at, char byte) {
    std::string file = whole;
    file[at] = byte;
    return file;
  };
  const size_t directory = whole.rfind("PK\1\2"), end = whole.rfind("PK\5\6");
  refused(with(directory + 8, 1), "encrypted");
  refused(with(directory + 10, 8), "compressed; save the file with numpy.savez");
  refused(with(directory + 20, 99), "stored, but in");
  refused(with(directory + 42, 1), "does not begin where the directory says");
  refused(with(directory + 46, 'y'), "another name");
  refused(with(35, '\0'), "its checksum differs");
  refused(with(end + 8, 2), "not where its end says");
  refused(whole.substr(0, end) + "PK\6\7" + std::string(16, '\0') + whole.substr(end),
          "is a zip64 archive");
  // the first entry, which claims the second one's bytes, is refused before they are summed
  std::string claims = format_zip({{"a.npy", "1234"}, {"b.npy", "5678"}});
  const size_t first = claims.find("PK\1\2");
  claims[first + 20] = claims[first + 24] = static_cast<char>(first - 35);
  refused(claims, "two entries overlap");
  // one flipped byte: refused, or one of the fields that no reader needs
  for (size_t at = 0; at < whole.size(); ++at) try {
      CHECK(parse_npz(with(at, static_cast<char>(whole[at] ^ 0x55)))[0].tensor.numel() == 1);
    } catch (const InputError&) {
    }
}
