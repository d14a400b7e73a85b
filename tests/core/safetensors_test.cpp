// safetensors: round trips, every prefix, every flipped bit, sizes at the edge of 64 bits,
// mutations, saving.
#include <slope/core/files/crc32c.h>
#include <slope/core/files/half.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/memory/memory.h>
#include <slope/core/tensor/random.h>
#include <slope/tests/core/safetensors_file.h>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace slope;
using test::make_file;
using test::record;

namespace {

Tensor made(const Dims& shape, DType dtype, auto value_at) {
  Tensor x = Tensor::empty(shape, dtype);
  visit(dtype, [&]<class T> {
    const auto w = x.write<T>();
    for (int64_t i = 0; i < x.numel(); ++i) w[i] = static_cast<T>(value_at(i));
  });
  return x;
}

NamedTensors three() {
  return {{"weight", made({3, 5}, f32, [](int64_t i) { return 0.1 * static_cast<double>(i); })},
          {"steps", made({2}, i64, [](int64_t i) { return i + 1; })},
          {"mask", made({7}, boolean, [](int64_t i) { return i % 2; })}};
}

bool is_read(const std::string& file) {
  try {
    (void)parse_safetensors(file);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("crc32c: published values, and any split gives the same") {
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);  // RFC 3720, B.4
  CHECK(crc32c(std::string(32, '\xff')) == 0x62A8AB43);
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending += c;
  CHECK(crc32c(ascending) == 0x46DD794E);
  CHECK(crc32c("") == 0);
  for (size_t i = 0; i <= ascending.size(); ++i)
    CHECK(crc32c(std::string_view(ascending).substr(i),
                 crc32c(std::string_view(ascending).substr(0, i))) == 0x46DD794E);
}

TEST_CASE("half: all 65536 values of both 16-bit formats") {
  int wrong = 0;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    // By definition: (-1)^s 2^(e - bias) (1 + f / 2^n); subnormal for e = 0,
    // infinity or NaN for the largest e.
    const auto oracle = [&](int exponent_bits, int fraction_bits) {
      const int sign = bits >> 15,
                exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
      const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1),
                bias = (1 << (exponent_bits - 1)) - 1;
      double magnitude;
      if (exponent == (1 << exponent_bits) - 1)
        magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                             : std::numeric_limits<double>::infinity();
      else if (exponent == 0)
        magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
      else
        magnitude = std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
      return sign ? -magnitude : magnitude;
    };
    const auto same = [](float got, double expected) {
      return std::isnan(expected) ? std::isnan(got)
                                  : got == expected && std::signbit(got) == std::signbit(expected);
    };
    wrong += !same(from_f16(static_cast<uint16_t>(bits)), oracle(5, 10));
    wrong += !same(BFloat16::of_bits(static_cast<uint16_t>(bits)), oracle(8, 7));
  }
  CHECK(wrong == 0);
}

TEST_CASE("safetensors: what is written is read back, with and without checksums") {
  const NamedTensors saved = three();
  for (const bool checksums : {false, true}) {
    const std::string file =
        format_safetensors(saved, {{"key", "value"}}, {.checksums = checksums});
    const TensorFile read = parse_safetensors(file);
    CHECK(read.metadata == Metadata{{"key", "value"}});
    REQUIRE(read.tensors.size() == 3);
    CHECK(read.tensors[0].name == "steps");  // the widest elements first
    for (const auto& [name, x] : saved) {
      CHECK(read.at(name).dtype() == x.dtype());
      CHECK(read.at(name).shape() == x.shape());
      CHECK(read.at(name).to_vector() == x.to_vector());
    }
    CHECK(inspect_safetensors_bytes(file, "m").data_start % 8 == 0);
    CHECK(inspect_safetensors_bytes(file, "m").tensors[0].checksum.size() == (checksums ? 8 : 0));
  }
}

TEST_CASE("safetensors: values are kept to the bit, NaN and infinities too") {
  const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, -0.0f, 1e-45f, 3.4028235e38f};
  const Tensor x = made({7}, f32, [&](int64_t i) { return odd[i]; });
  const TensorFile read = parse_safetensors(format_safetensors({{"x", x}}));
  CHECK(std::memcmp(read.at("x").data<float>(), odd, sizeof odd) == 0);
}

TEST_CASE("safetensors: strided and large tensors are written in row-major order") {
  const Tensor x = made({300, 400}, f64, [](int64_t i) { return i; });
  const Tensor turned(x.storage(), x.layout().transpose(0, 1).slice(0, 1, 400, 3), f64);
  const Tensor spread(x.storage(), x.layout().select(0, 7).narrow(0, 2, 1).broadcast_to({5, 2}),
                      f64);
  const TensorFile read =
      parse_safetensors(format_safetensors({{"x", x}, {"turned", turned}, {"spread", spread}}));
  CHECK(read.at("x").to_vector() == x.to_vector());
  CHECK(read.at("turned").shape() == Dims{133, 300});
  CHECK(read.at("turned").to_vector() == turned.to_vector());
  CHECK(read.at("spread").to_vector() == spread.to_vector());
}

TEST_CASE("safetensors: names and metadata that cannot be written") {
  const Tensor x = made({1}, f32, [](int64_t) { return 1; });
  const auto refused = [&](const NamedTensors& tensors, const Metadata& metadata,
                           const char* message) {
    CHECK_THROWS_WITH_AS(format_safetensors(tensors, metadata), doctest::Contains(message),
                         UsageError);
  };
  refused({{"a", x}, {"b", x}, {"a", x}}, {}, "two tensors are named \"a\"");
  refused({{"", x}}, {}, "cannot be a tensor's name");
  refused({{"__metadata__", x}}, {}, "cannot be a tensor's name");
  refused({{"a\xff", x}}, {}, "not valid UTF-8");
  refused({{std::string("a\0b", 3), x}}, {}, "holds NUL");
  refused({{"a", Tensor()}}, {}, "tensor \"a\" is undefined");
  refused({{"a", Tensor::empty({1, 1, 1, 1, 1, 1, 1, 1, 1})}}, {}, "more than 8 dims");
  refused({{"a", Tensor::empty({int64_t{1} << 49, 0})}}, {},
          "tensor \"a\": a size is 562949953421312, more than 2^48");
  const Dims widest{int64_t{1} << 48, 0};
  CHECK(parse_safetensors(format_safetensors({{"a", Tensor::empty(widest)}})).at("a").shape() ==
        widest);
  Metadata many;
  for (int i = 0; i < 1'000'000; ++i) many.emplace_hint(many.end(), fmt::format("{:06}", i), "");
  refused({}, many, "1000000 entries of metadata are too many");
  refused({}, {{"k", "\xff"}}, "metadata value");
  refused({}, {{"crc32c", "0"}}, "reserved for checksums");
  for (const char* name : {"a b", "ü😀", "line\nbreak", "\"quoted\\\"", "\x01\x7f", "a.b.c"})
    CHECK(parse_safetensors(format_safetensors({{name, x}}, {{name, name}})).metadata.at(name) ==
          name);
  CHECK(parse_safetensors(format_safetensors({})).tensors.empty());
}

TEST_CASE("safetensors: every prefix of a file is refused") {
  for (const bool checksums : {false, true}) {
    const std::string file = format_safetensors(three(), {}, {.checksums = checksums});
    CHECK(is_read(file));
    for (size_t n = 0; n < file.size(); ++n) CHECK(!is_read(file.substr(0, n)));
    CHECK(!is_read(file + '\0'));
  }
}

TEST_CASE("safetensors: with checksums every flipped bit of a file of 4 kB is found") {
  NamedTensors tensors = three();
  tensors.push_back({"more", made({900}, f32, [](int64_t i) { return i; })});
  tensors.push_back({"empty", made({0, 3}, f32, [](int64_t) { return 0; })});
  std::string file = format_safetensors(tensors, {{"epoch", "12"}, {"note", "all of it counts"}});
  CHECK(file.size() > 4000);
  int found = 0;
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
    found += !is_read(file);
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
  }
  CHECK(found == static_cast<int>(8 * file.size()));
  file[file.size() - 3201] ^= 1;
  CHECK_THROWS_WITH_AS(parse_safetensors(file, "m"),
                       doctest::Contains("m: damaged: the checksum of tensor"), InputError);
}

// Sizes of three dims around every power of two that matters, against a product in 128 bits: each
// verdict must be the oracle's, and if the product is small enough for a real file, a file of that
// size is read.
TEST_CASE("safetensors: size products agree with a 128-bit oracle") {
  using Wide = unsigned __int128;
  const std::string sizes[] = {"0",
                               "1",
                               "2",
                               "65536",
                               "2147483648",
                               "4294967296",
                               "281474976710656",
                               "9223372036854775808",
                               "18446744073709551615"};
  const Wide values[] = {
      0, 1, 2, 65536, Wide{1} << 31, Wide{1} << 32, Wide{1} << 48, Wide{1} << 63, ~uint64_t{0}};
  const std::pair<const char*, int> dtypes[] = {{"F32", 4}, {"F64", 8},  {"I64", 8}, {"BOOL", 1},
                                                {"F16", 2}, {"BF16", 2}, {"I32", 4}, {"U32", 4},
                                                {"I16", 2}, {"U16", 2},  {"I8", 1},  {"U8", 1}};
  constexpr Wide limit = INT64_MAX;
  int checked = 0;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j)
      for (int k = 0; k < 9; ++k)
        for (const auto& [dtype, bytes] : dtypes) {
          bool allowed = true, empty = false;
          // of the sizes that are not 0; once above the limit it stays there
          Wide product = static_cast<Wide>(bytes);
          for (const int d : {i, j, k}) {
            allowed &= values[d] <= Wide{1} << 48;
            empty |= values[d] == 0;
            if (values[d] != 0 && product <= limit) product *= values[d];
          }
          allowed &= product <= limit;
          const Wide needed = empty ? 0 : product;
          const auto offsets = fmt::format("0,{}", allowed ? static_cast<uint64_t>(needed) : 8);
          const bool small = allowed && needed <= 1 << 20;
          const std::string file = make_file(
              "{" + record("a", dtype, sizes[i] + "," + sizes[j] + "," + sizes[k], offsets) + "}",
              small ? static_cast<size_t>(needed) : 0);
          std::string message;
          try {
            (void)inspect_safetensors_bytes(file, "m");
          } catch (const InputError& error) {
            message = error.what();
          }
          const bool cut_off = message.find("cut off: the tensors need " +
                                            std::to_string(static_cast<uint64_t>(needed)) +
                                            " bytes") != message.npos;
          CAPTURE(file.substr(8));
          CAPTURE(message);
          if (small)
            CHECK(message == "");
          else if (allowed)
            CHECK(cut_off);
          else
            CHECK((message.find("does not fit") != message.npos ||
                   message.find("more than 2^48") != message.npos));
          ++checked;
        }
  CHECK(checked == 729 * 12);
}

TEST_CASE("safetensors: a file that lies about its sizes makes nothing be allocated") {
  const std::string lies[] = {
      make_file("{" + record("a", "F32", "1000000000", "0,4000000000") + "}", 8),
      make_file("{" + record("a", "F32", "2", "0,8") + "," +
                    record("b", "F64", "100000000", "8,800000008") + "}",
                8),
      make_file("{" + record("a", "F32", "2", "0,8") + "," + record("b", "F32", "2", "0,8") + "}",
                8),
  };
  for (const std::string& file : lies) {
    const int64_t before = memory::stats().allocations;
    CHECK(!is_read(file));
    CHECK(memory::stats().allocations == before);
  }
}

TEST_CASE("safetensors: limits are the caller's") {
  const std::string file = format_safetensors(three(), {}, {.checksums = false});
  CHECK_THROWS_WITH_AS(parse_safetensors(file, "m", {.header_bytes = 20}),
                       doctest::Contains("more than 20"), InputError);
  CHECK_THROWS_WITH_AS(parse_safetensors(file, "m", {.tensors = 2}),
                       doctest::Contains("more than 2 tensors"), InputError);
  CHECK_THROWS_WITH_AS(parse_safetensors(file, "m", {.rank = 1}),
                       doctest::Contains("tensor \"weight\": more than 1 dims"), InputError);
  CHECK(parse_safetensors(file, "m", {.tensors = 3, .rank = 2}).tensors.size() == 3);
  Metadata metadata{{"a", ""}, {"b", ""}};
  const auto keys = [&] {
    return parse_safetensors(format_safetensors({}, metadata, {.checksums = false}), "m",
                             {.tensors = 1})
        .metadata.size();
  };
  CHECK(keys() == 2);
  metadata["c"] = "";
  CHECK_THROWS_WITH_AS(keys(), doctest::Contains("more than 2 entries of metadata"), InputError);
}

TEST_CASE("safetensors: random mutations end in a verdict") {
  const std::string seeds[] = {format_safetensors(three()),
                               format_safetensors(three(), {{"a", "b"}}, {.checksums = false})};
  uint64_t state = 1;  // SplitMix64
  const auto random = [&](size_t below) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return static_cast<size_t>((z ^ z >> 31) % below);
  };
  const std::string interesting = "{}[]\",:0123456789-.eE \\u\n";
  int read = 0;
  for (int trial = 0; trial < 30'000; ++trial) {
    std::string file = seeds[trial % 2];
    const size_t header =
        8 + static_cast<unsigned char>(file[8 - 8]) + 256 * static_cast<unsigned char>(file[1]);
    for (size_t edits = 1 + random(4); edits > 0; --edits) {
      const size_t at = 8 + random(header - 8);
      switch (random(4)) {
        case 0: file[at] = static_cast<char>(random(256)); break;
        case 1: file[at] = interesting[random(interesting.size())]; break;
        case 2: std::swap(file[at], file[8 + random(header - 8)]); break;
        default: file[random(8)] = static_cast<char>(random(256));
      }
    }
    read += is_read(file);
  }
  CHECK(read < 15'000);
  CHECK(read > 0);  // such as a changed letter of a name, or two equal digits swapped
}
