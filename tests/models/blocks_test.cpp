#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/blocks.h>

#include <numeric>

using namespace slope::data;

static std::vector<int64_t> numbers(int64_t n) {
  std::vector<int64_t> text(static_cast<size_t>(n));
  std::iota(text.begin(), text.end(), 0);
  return text;
}

TEST_CASE(
    "blocks: random blocks are pieces of the text, a function of seed and step, and reach both "
    "ends") {
  const auto text = numbers(40);
  std::vector<int64_t> starts(31);
  for (int64_t step = 0; step < 200; ++step) {
    const Blocks blocks = random_blocks(text, 4, 9, 1, step);
    CHECK(blocks.rows == 4);
    REQUIRE(blocks.inputs.size() == 36);
    for (size_t i = 0; i < 36; ++i) {
      CHECK(blocks.inputs[i] == blocks.inputs[i / 9 * 9] + static_cast<int64_t>(i % 9));
      CHECK(blocks.targets[i] == blocks.inputs[i] + 1);
    }
    for (size_t b = 0; b < 4; ++b) ++starts[static_cast<size_t>(blocks.inputs[9 * b])];
    CHECK(random_blocks(text, 4, 9, 1, step).inputs == blocks.inputs);
    CHECK(random_blocks(text, 4, 9, 2, step).inputs != blocks.inputs);
    CHECK(random_blocks(text, 4, 9, 1, step + 1).inputs != blocks.inputs);
  }
  for (int64_t count : starts) CHECK((count > 8 && count < 55));  // 800 starts over 31 places
  CHECK(random_blocks(numbers(10), 1, 9, 0, 0).targets.back() == 9);
  CHECK_THROWS_WITH_AS((void)random_blocks(numbers(9), 1, 9, 0, 0),
                       "the text has 9 tokens, it needs more than the block size 9",
                       slope::InputError);
}

TEST_CASE("blocks: evaluation predicts every token but the first exactly once") {
  for (int64_t n : {2, 3, 9, 10, 11, 19, 37, 100})
    for (int64_t rows : {1, 2, 5}) {
      std::vector<int64_t> targets;
      for (const Blocks& blocks : evaluation_blocks(numbers(n), rows, 9)) {
        CHECK(blocks.rows <= rows);
        CHECK(static_cast<int64_t>(blocks.inputs.size()) == blocks.rows * blocks.length);
        for (size_t i = 0; i < blocks.inputs.size(); ++i)
          CHECK(blocks.targets[i] == blocks.inputs[i] + 1);
        targets.insert(targets.end(), blocks.targets.begin(), blocks.targets.end());
      }
      auto expected = numbers(n);
      expected.erase(expected.begin());
      CHECK(targets == expected);
    }
  CHECK_THROWS_AS((void)evaluation_blocks(numbers(1), 1, 9), slope::InputError);
}
