// safetensors against the reference implementation (tests/golden/safetensors_files.py), both ways.
#ifndef SLOPE_PLAIN
#include <slope/core/files/file_reader.h>
#include <slope/core/files/safetensors.h>
#include <slope/tests/golden_files.h>
#include <slope/tests/temporary_folder.h>

#include <doctest/doctest.h>

#include <cstdlib>

using namespace slope;

namespace {

void check_values(const Tensor& x, auto value_at) {
  const std::vector<double> values = x.to_vector();
  REQUIRE(values.size() == 24);
  for (size_t i = 0; i < 24; ++i) CHECK(values[i] == value_at(static_cast<double>(i)));
}

}  // namespace

TEST_CASE("safetensors: reads every dtype of a file by the reference") {
  const TensorFile file = load_safetensors(test::golden_path("reference.safetensors"));
  CHECK(file.metadata == Metadata{{"written by", "the reference"}});
  CHECK(file.tensors.size() == 15);
  const auto eighths = [](double i) { return i / 8 - 1; };
  for (const char* name : {"f32", "f16", "bf16"}) {
    CHECK(file.at(name).dtype() == (std::string_view(name) == "bf16" ? bf16 : f32));
    check_values(file.at(name), eighths);
  }
  CHECK(file.at("f64").dtype() == f64);
  check_values(file.at("f64"), eighths);
  check_values(file.at("i64"), [](double i) { return i * 1e15 - 5e15; });
  check_values(file.at("i32"), [](double i) { return i * 1e8 - 1e9; });
  check_values(file.at("u32"), [](double i) { return i * 1e8; });
  check_values(file.at("i16"), [](double i) { return i * 1000 - 10000; });
  check_values(file.at("u16"), [](double i) { return i * 2000; });
  check_values(file.at("i8"), [](double i) { return i - 12; });
  check_values(file.at("u8"), [](double i) { return i * 10; });
  for (const char* name : {"i64", "i32", "u32", "i16", "u16", "i8", "u8"})
    CHECK(file.at(name).dtype() == i64);
  check_values(file.at("bool"), [](double i) { return static_cast<int>(i) % 3 == 0; });
  CHECK(file.at("bool").dtype() == boolean);
  CHECK(file.at("f32").shape() == Dims{2, 3, 4});
  CHECK(file.at("scalar").shape() == Dims{});
  CHECK(file.at("scalar").item() == 2.5);
  CHECK(file.at("empty").shape() == Dims{0, 3});
  CHECK(file.at("quote \" backslash \\ tab \t ü 😀").item() == 1);
  CHECK_THROWS_WITH_AS(file.at("f23"), "no tensor \"f23\" among the 15 of the file", InputError);
}

TEST_CASE("safetensors: writes the bytes that the reference writes") {
  const std::string path = test::golden_path("reference_plain.safetensors");
  const TensorFile file = load_safetensors(path);
  // the order given does not matter
  NamedTensors backwards(file.tensors.rbegin(), file.tensors.rend());
  CHECK(format_safetensors(backwards, file.metadata, {.checksums = false}) == read_file(path));
}

// If SLOPE_WRITE_GOLDEN is set, the file is rewritten; the Python script then checks that the
// reference implementation reads it.
TEST_CASE("safetensors: writes, with checksums, the file that the reference was seen to read") {
  const TensorFile file = load_safetensors(test::golden_path("reference_plain.safetensors"));
  const std::string path = test::golden_path("slope.safetensors");
  if (std::getenv("SLOPE_WRITE_GOLDEN")) save_safetensors(path, file.tensors, file.metadata);
  CHECK(format_safetensors(file.tensors, file.metadata) == read_file(path));
  CHECK(load_safetensors(path).metadata == file.metadata);
}

TEST_CASE("safetensors: inspection reads the header alone") {
  const SafetensorsHeader header = inspect_safetensors(test::golden_path("reference.safetensors"));
  CHECK(header.tensors.size() == 15);
  int64_t end = 0;
  for (const TensorInfo& t : header.tensors) {
    CHECK(t.begin == end);
    end = t.end;
    if (t.name == "bf16") {
      CHECK(t.type->name == "BF16");
      CHECK(t.type->dtype == bf16);
      CHECK(t.shape == Dims{3, 8});
      CHECK(t.end - t.begin == 48);
    }
  }
  CHECK(header.data_start + end ==
        static_cast<int64_t>(read_file(test::golden_path("reference.safetensors")).size()));
}
#endif
