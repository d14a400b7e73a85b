// Malformed safetensors files, each with its message, and similar valid files, which are
// read.
#include <slope/core/files/safetensors.h>
#include <slope/tests/core/safetensors_file.h>

#include <doctest/doctest.h>

#include <vector>

using namespace slope;
using test::file_with_length;
using test::make_file;
using test::record;

namespace {

struct Case {
  std::string file, message;  // message "": must be read
};

std::string verdict(const std::string& file) {
  try {
    (void)parse_safetensors(file, "m.safetensors");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void check_all(const std::vector<Case>& cases) {
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string got = verdict(cases[i].file);
    CAPTURE(i);
    CAPTURE(cases[i].file.substr(std::min<size_t>(8, cases[i].file.size()), 200));
    if (cases[i].message.empty()) {
      CHECK(got == "");
    } else {
      CHECK_MESSAGE(got.find(cases[i].message) != got.npos,
                    got << " | expected: " << cases[i].message);
      CHECK(got.rfind("m.safetensors: ", 0) == 0);
      CHECK(got.find('\n') == got.npos);
    }
  }
}

// A header with one tensor "a" of these fields.
Case one(const std::string& dtype, const std::string& shape, const std::string& offsets,
         size_t data, const std::string& message) {
  return {make_file("{" + record("a", dtype, shape, offsets) + "}", data), message};
}
Case header(const std::string& text, size_t data, const std::string& message) {
  return {make_file(text, data), message};
}

const std::string a8 = record("a", "F32", "2", "0,8"), b8 = record("b", "F32", "2", "8,16");

}  // namespace

TEST_CASE("safetensors: malformed lengths") {
  const std::string good = "{" + a8 + "}";
  const uint64_t size = good.size() + 8;  // of what follows the length field
  std::vector<Case> cases = {
      {"", "0 bytes are too few"},
      {std::string(1, '\0'), "1 bytes are too few"},
      {std::string(7, '\0'), "7 bytes are too few"},
      {std::string(8, '\0'), "a header of 0 bytes holds no object"},
      {std::string(9, '\0'), "a header of 0 bytes holds no object"},
      {file_with_length(0, "{}"), "a header of 0 bytes holds no object"},
      {file_with_length(1, "{}"), "a header of 1 bytes holds no object"},
      {file_with_length(2, "{}"), ""},
      {file_with_length(3, "{}"), "cut off: the header has 3 bytes, the file 2"},
      {file_with_length(2, ""), "cut off"},
      {make_file(good, 8), ""},
      {std::string(8, '\xff'), "a header of 18446744073709551615 bytes, more than 100000000"},
      {std::string(4096, '\xff'), "a header of 18446744073709551615 bytes, more than 100000000"},
      {std::string(4096, '{'), "a header of 8897841259083430779 bytes"},
      {"PK\x03\x04 and so on", "more than 100000000"},
      {std::string("\x89HDF\r\n\x1a\n", 8) + good, "more than 100000000"},
  };
  for (const uint64_t n : {uint64_t{7}, size - 9, size - 7, size - 8 - 1})
    cases.push_back({file_with_length(n, good + std::string(8, '\0')), "m.safetensors: "});
  for (const uint64_t n : {size + 1, uint64_t{100'000'000}, size + 8})
    cases.push_back({file_with_length(n, good + std::string(8, '\0')), "cut off"});
  for (const uint64_t n :
       {uint64_t{100'000'001}, uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 63,
        ~uint64_t{0}, ~uint64_t{0} - 7, (uint64_t{1} << 63) - 1})
    cases.push_back({file_with_length(n, good + std::string(8, '\0')), "more than 100000000"});
  check_all(cases);
}

TEST_CASE("safetensors: malformed headers") {
  check_all({
      header("{}", 0, ""),
      header("{} ", 0, ""),
      header("{}      ", 0, ""),
      header("{ }", 0, ""),
      header("{\n}", 0, ""),
      header("{}", 1, "1 bytes follow the last tensor"),
      header(" {}", 0, "does not begin with '{'"),
      header("\n{}", 0, "does not begin with '{'"),
      header("\xEF\xBB\xBF{}", 0, "does not begin with '{'"),
      header("[]", 0, "does not begin with '{'"),
      header("\"a\"", 0, "does not begin with '{'"),
      header("null", 0, "does not begin with '{'"),
      header("12", 0, "does not begin with '{'"),
      header(std::string(2, '\0'), 0, "does not begin with '{'"),
      header("{}\n", 0, "other than spaces follows the header's object at byte 10"),
      header("{}\t", 0, "other than spaces"),
      header(std::string("{}\0", 3), 0, "other than spaces"),
      header("{}  x", 0, "other than spaces follows the header's object at byte 12"),
      header("{}{}", 0, "other than spaces"),
      header("{}}", 0, "other than spaces"),
      header("{},", 0, "other than spaces"),
      header("{{", 0, "expected a string, found \"{\" at byte 9"),
      header("{]", 0, "expected a string"),
      header("{,}", 0, "expected a string"),
      header("{" + a8, 8, "expected ',' or '}', found the end"),
      header("{" + a8 + ",}", 8, "expected a string"),
      header("{" + a8 + " " + b8 + "}", 16, "expected ',' or '}'"),
      header("{" + a8 + "," + b8 + "}", 16, ""),
      header("{" + b8 + "," + a8 + "}", 16, ""),
      header("{ " + a8 + " ,\n\t" + b8 + " } ", 16, ""),
      header("{" + a8 + "," + a8 + "}", 8, "the key \"a\" appears twice"),
      header("{" + a8 + "," + record("\\u0061", "F32", "2", "8,16") + "}", 16,
             "the key \"a\" appears twice"),
      header("{" + a8 + "," + record("A", "F32", "2", "8,16") + "}", 16, ""),
      header("{" + record("", "F32", "2", "0,8") + "}", 8, "a tensor has an empty name"),
      header("{" + record("a\\u0000b", "F32", "2", "0,8") + "}", 8, "holds NUL"),
      header("{" + record("a\\ud800", "F32", "2", "0,8") + "}", 8, "lone surrogate"),
      header("{" + record("\\ud83d\\ude00", "F32", "2", "0,8") + "}", 8, ""),
      header("{" + record("a\xff", "F32", "2", "0,8") + "}", 8, "not valid UTF-8"),
      header("{" + record("a\xc0\x80", "F32", "2", "0,8") + "}", 8, "not valid UTF-8"),
      header("{" + record("a\n", "F32", "2", "0,8") + "}", 8, "control character 0x0a"),
      header("{" + record("a\\n", "F32", "2", "0,8") + "}", 8, ""),
      header("{" + record("a\\n", "F33", "2", "0,8") + "}", 8, "tensor \"a\\n\": dtype \"F33\""),
      header("{\"a\":1}", 0, "expected '{', found \"1\""),
      header("{\"a\":null}", 0, "expected '{', found \"n\""),
      header("{\"a\":[]}", 0, "expected '{', found \"[\""),
      header("{\"a\":\"x\"}", 0, "expected '{'"),
      header("{\"a\":{}}", 0, "tensor \"a\": dtype is missing"),
      header(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8, "dtype is missing"),
      header(R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8, "shape is missing"),
      header(R"({"a":{"dtype":"F32","shape":[2]}})", 8, "data_offsets are missing"),
      header(R"({"a":{"data_offsets":[0,8],"shape":[2],"dtype":"F32"}})", 8, ""),
      header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8,
             "unknown key \"x\""),
      header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"strides":[1]}})", 8,
             "unknown key \"strides\""),
      header(R"({"a":{"dtype":"F32","Shape":[2],"data_offsets":[0,8]}})", 8,
             "unknown key \"Shape\""),
      header(R"({"a":{"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]}})", 8,
             "the key \"shape\" appears twice"),
      header(R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8,
             "the key \"dtype\" appears twice"),
      header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"data_offsets":[0,8]}})", 8,
             "\"data_offsets\" appears twice"),
      header(R"({"a":{"dtype":32,"shape":[2],"data_offsets":[0,8]}})", 8,
             "expected a string, found \"3\""),
      header(R"({"a":{"dtype":null,"shape":[2],"data_offsets":[0,8]}})", 8,
             "expected a string, found \"n\""),
      header(R"({"a":{"dtype":["F32"],"shape":[2],"data_offsets":[0,8]}})", 8, "expected a string"),
      header(R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})", 8,
             "expected '[', found \"2\""),
      header(R"({"a":{"dtype":"F32","shape":{},"data_offsets":[0,8]}})", 8, "expected '['"),
      header(R"({"a":{"dtype":"F32","shape":null,"data_offsets":[0,8]}})", 8, "expected '['"),
      header(R"({"a":{"dtype":"F32","shape":"[2]","data_offsets":[0,8]}})", 8, "expected '['"),
      header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":8}})", 8, "expected '['"),
      header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":{"0":8}}})", 8, "expected '['"),
      header(R"({"a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})", 8,
             "expected an integer, found \"[\""),
      header(R"({"__metadata__":{}})", 0, ""),
      header(R"({"__metadata__":{"a":"b"}})", 0, ""),
      header(R"({"__metadata__":{"":""}})", 0, ""),
      header("{" + a8 + R"(,"__metadata__":{"a":"b"}})", 8, ""),
      header(R"({"__metadata__":null})", 0, "expected '{'"),
      header(R"({"__metadata__":[]})", 0, "expected '{'"),
      header(R"({"__metadata__":"x"})", 0, "expected '{'"),
      header(R"({"__metadata__":{"a":1}})", 0, "expected a string, found \"1\""),
      header(R"({"__metadata__":{"a":null}})", 0, "expected a string"),
      header(R"({"__metadata__":{"a":{"b":"c"}}})", 0, "expected a string"),
      header(R"({"__metadata__":{"a":["b"]}})", 0, "expected a string"),
      header(R"({"__metadata__":{"a":true}})", 0, "expected a string"),
      header(R"({"__metadata__":{"a":"b","a":"c"}})", 0, "the key \"a\" appears twice"),
      header(R"({"__metadata__":{"a":"b"},"__metadata__":{"a":"b"}})", 0,
             "the key \"__metadata__\" appears twice"),
      header(R"({"__metadata__":{"a":"\ud800"}})", 0, "lone surrogate"),
      header("{\"__metadata__\":{\"a\":\"\xff\"}}", 0, "not valid UTF-8"),
      header(R"({"__metadata__":)" + std::string(1'000'000, '['), 0, "expected '{', found \"[\""),
      header("{\"a\":" + std::string(1'000'000, '{'), 0, "expected a string"),
      header("{\"a\":{\"shape\":" + std::string(1'000'000, '['), 0,
             "expected an integer, found \"[\""),
  });
}

TEST_CASE("safetensors: malformed dtypes and shapes") {
  std::vector<Case> cases = {
      one("F32", "2", "0,8", 8, ""),
      one("F32", "", "0,4", 4, ""),
      one("F32", "0", "0,0", 0, ""),
      one("F32", "0,5", "0,0", 0, ""),
      one("F32", " 1 , 2 ", " 0 , 8 ", 8, ""),
      one("F32", "1,1,1,1,1,1,1,2", "0,8", 8, ""),
      one("F32", "1,1,1,1,1,1,1,1,2", "0,8", 8, "more than 8 dims"),
      one("F32", "2,", "0,8", 8, "expected an integer, found \"]\""),
      one("F32", ",2", "0,8", 8, "expected an integer, found \",\""),
      one("F32", "2 2", "0,8", 8, "expected ',' or ']'"),
      one("F32", "-2", "0,8", 8, "tensor \"a\": a size is -2"),
      one("F32", "-1,-2", "0,8", 8, "a size is -1"),
      one("F32", "2.0", "0,8", 8, "found a fraction"),
      one("F32", "2e0", "0,8", 8, "found a fraction"),
      one("F32", "1e400", "0,8", 8, "found a fraction"),
      one("F32", "NaN", "0,8", 8, "expected an integer"),
      one("F32", "02", "0,8", 8, "begins with 0"),
      one("F32", "+2", "0,8", 8, "expected an integer"),
      one("F32", "-0", "0,0", 0, "found -0"),
      one("F32", "\\\"2\\\"", "0,8", 8, "expected an integer"),
      one("F32", "\"2\"", "0,8", 8, "expected an integer"),
      one("F32", "true", "0,8", 8, "expected an integer"),
      one("F32", "null", "0,8", 8, "expected an integer"),
      one("F32", "3", "0,8", 8, "shape (3,) of F32 needs 12 bytes, data_offsets [0, 8] give 8"),
      one("F32", "1", "0,8", 8, "needs 4 bytes"),
      one("F32", "0", "0,8", 8, "needs 0 bytes"),
      one("F32", "", "0,0", 0, "shape () of F32 needs 4 bytes"),
      one("F64", "2", "0,8", 8, "needs 16 bytes"),
      one("BOOL", "2", "0,8", 8, "needs 2 bytes"),
      one("F16", "4", "0,8", 8, ""),
      one("BF16", "4", "0,8", 8, ""),
      one("F16", "2", "0,8", 8, "needs 4 bytes"),
      one("F32", "281474976710656", "0,8", 8, "needs 1125899906842624 bytes"),
      one("F32", "281474976710657", "0,8", 8, "more than 2^48"),
      one("F32", "281474976710656,0", "0,0", 0, ""),
      one("F32", "281474976710656,281474976710656,0", "0,0", 0, "does not fit in 63 bits"),
      one("F32", "0,281474976710656,281474976710656", "0,0", 0, "does not fit in 63 bits"),
      one("F32", "9223372036854775808,9223372036854775808,0", "0,0", 0, "does not fit in 64 bits"),
      one("F32", "0,9223372036854775807", "0,0", 0, "more than 2^48"),
      one("F32", "18446744073709551616", "0,0", 0, "does not fit in 64 bits"),
      one("F32", "4294967296,4294967296", "0,0", 0, "does not fit in 63 bits"),
      one("F32", "4611686018427387904", "0,0", 0, "more than 2^48"),
      one("F64", "1073741824,1073741824", "0,0", 0, "does not fit in 63 bits"),
      one("BOOL", "2147483648,2147483648", "0,0", 0, "needs 4611686018427387904 bytes"),
      one("BOOL", "2147483648,4294967296", "0,0", 0, "does not fit in 63 bits"),
  };
  for (const char* dtype :
       {"", "f32", "F32 ", "FP32", "float32", "F128", "U64", "C64", "F8_E5M2", "F8_E4M3", "F8_E8M0",
        "F8_E4M3FNUZ", "F4", "F6_E2M3", "I128", "BOOLEAN", "F3", "F322", "B32"})
    cases.push_back(
        one(dtype, "2", "0,8", 8,
            std::string("tensor \"a\": dtype \"") + dtype + "\" is unknown or not supported"));
  check_all(cases);
}

TEST_CASE("safetensors: malformed offsets") {
  const auto two = [](const std::string& a, const std::string& b, size_t data,
                      const std::string& message) {
    return header("{" + record("a", "F32", "2", a) + "," + record("b", "F32", "2", b) + "}", data,
                  message);
  };
  check_all({
      one("F32", "2", "", 8, "data_offsets needs two numbers, got 0"),
      one("F32", "2", "0", 8, "data_offsets needs two numbers, got 1"),
      one("F32", "2", "0,8,8", 8, "more than two data_offsets"),
      one("F32", "2", "8,0", 8, "data_offsets [8, 0] end before they begin"),
      one("F32", "2", "-8,0", 8, "a data offset is -8"),
      one("F32", "2", "0,-8", 8, "a data offset is -8"),
      one("F32", "2", "0.0,8", 8, "found a fraction"),
      one("F32", "2", "0,8.5", 8, "found a fraction"),
      one("F32", "2", "0,8e0", 8, "found a fraction"),
      one("F32", "2", "00,8", 8, "begins with 0"),
      one("F32", "2", "\"0\",8", 8, "expected an integer"),
      one("F32", "2", "null,8", 8, "expected an integer"),
      one("F32", "2", "0,18446744073709551624", 8, "does not fit in 64 bits"),
      one("F32", "2", "18446744073709551608,0", 8, "does not fit in 64 bits"),
      one("F32", "2", "9223372036854775800,9223372036854775807", 8, "give 7"),
      one("F32", "2", "9223372036854775799,9223372036854775807", 8,
          "a gap of 9223372036854775799 bytes before tensor \"a\""),
      one("F32", "2", "0,8", 7, "cut off: the tensors need 8 bytes of data, the file has 7"),
      one("F32", "2", "0,8", 0, "cut off: the tensors need 8 bytes of data, the file has 0"),
      one("F32", "2", "0,8", 9, "1 bytes follow the last tensor"),
      one("F32", "2", "0,8", 4096, "4088 bytes follow the last tensor"),
      one("F32", "2", "4,12", 12, "a gap of 4 bytes before tensor \"a\""),
      one("F32", "2", "1,9", 9, "a gap of 1 bytes before tensor \"a\""),
      one("F32", "0", "8,8", 8, "a gap of 8 bytes before tensor \"a\""),
      one("F32", "0", "8,8", 0, "a gap of 8 bytes before tensor \"a\""),
      two("0,8", "8,16", 16, ""),
      two("8,16", "0,8", 16, ""),
      two("0,8", "0,8", 8, "tensors \"a\" and \"b\" overlap: one begins at 0, the other ends at 8"),
      two("0,8", "4,12", 12, "overlap"),
      two("4,12", "0,8", 12, "tensors \"b\" and \"a\" overlap"),
      two("0,8", "7,15", 15, "overlap: one begins at 7"),
      two("0,8", "9,17", 17, "a gap of 1 bytes before tensor \"b\""),
      two("0,8", "16,24", 24, "a gap of 8 bytes before tensor \"b\""),
      two("8,16", "16,24", 24, "a gap of 8 bytes before tensor \"a\""),
      two("0,8", "8,16", 15, "cut off: the tensors need 16 bytes"),
      two("0,8", "8,16", 17, "1 bytes follow"),
      header("{" + record("a", "F32", "0", "0,0") + "," + record("b", "F32", "2", "0,8") + "," +
                 record("c", "F32", "0,3", "8,8") + "}",
             8, ""),
      header("{" + record("a", "F32", "0", "4,4") + "," + record("b", "F32", "2", "0,8") + "}", 8,
             "overlap"),
      header("{" + record("a", "BOOL", "3", "0,3") + "," + record("b", "F32", "2", "3,11") + "}",
             11, ""),  // unaligned is allowed
  });
}

TEST_CASE("safetensors: malformed values and checksums") {
  const auto bools = [](char last) {
    return make_file("{" + record("a", "BOOL", "2", "0,2") + "}", 0) + std::string{'\1', last};
  };
  const auto sums = [](const std::string& metadata, const std::string& message) {
    return header("{\"__metadata__\":{" + metadata + "}," + a8 + "}", 8, message);
  };
  check_all({
      {bools(0), ""},
      {bools(1), ""},
      {bools(2), "tensor \"a\": element 1 is neither 0 nor 1"},
      {bools('\xff'), "element 1 is neither 0 nor 1"},
      sums(R"("note":"crc32c")", ""),
      sums(R"("crc32c:a":"00000000")", "tensors have checksums, the header has none"),
      sums(R"("crc32c":"00000000")", "the header's checksum is"),
      sums(R"("crc32c":"00000000","crc32c:a":"00000000")", "the header's checksum is"),
      sums(R"("crc32c":"0000000")", "is not eight hexadecimal digits"),
      sums(R"("crc32c":"000000000")", "is not eight hexadecimal digits"),
      sums(R"("crc32c":"0000000G")", "is not eight hexadecimal digits"),
      sums(R"("crc32c":"ABCDEF00")", "is not eight hexadecimal digits"),
      sums(R"("crc32c":"\u00300000000")", "is not eight hexadecimal digits"),
      sums(R"("crc32c:a":"")", "is not eight hexadecimal digits"),
  });
}
