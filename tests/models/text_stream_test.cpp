// Decoding token by token.
#include <doctest/doctest.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/infer/text_stream.h>

using namespace slope;
using namespace slope::data;

namespace {

TokenizerPtr words_of(const std::vector<std::string>& lines) {
  return make_tokenizer({.kind = "words"}, {&lines});
}

// Token by token a stream gives out the text of all tokens, and never takes anything back.
void check_stream(const Tokenizer& tokenizer, const Ids& ids) {
  train::TextStream stream(tokenizer, {});
  const std::string whole = tokenizer.decode(ids);
  std::string written;
  for (const int64_t id : ids) {
    written += stream.push(id);
    CHECK(whole.starts_with(written));
  }
  CHECK(written + stream.finish() == whole);
}

}  // namespace

TEST_CASE("text stream: it gives out nothing that later words would change") {
  const std::vector<std::string> text = {"f(x) = f (x y), U.S. don't \"a b\" 3.5 l ' u"};
  const TokenizerPtr words = words_of(text);
  check_stream(*words,
               words->encode("f ( x ) = f ( x y ) , u . s . don ' t \" a b \" 3 . 5 l ' u"));
}

TEST_CASE("text stream: it keeps the sides of quotes in a text of many tokens") {
  std::string line;
  for (int i = 0; i < 66; ++i) line += "\"a b c d e\" f g ";  // 9 tokens
  line.back() = '\n';
  const std::string text = line + line + line;
  const TokenizerPtr words = words_of({text});
  const Ids ids = words->encode(text);
  CHECK(ids.size() == 3 * (66 * 9 + 1));
  CHECK(words->decode(ids) == text);
  check_stream(*words, ids);
}

TEST_CASE("text stream: it waits for both halves of what stands for U+2581 and U+E000") {
  const std::vector<std::string> german = read_lines(SLOPE_SOURCE "/models/data/corpus/valid.de");
  const TokenizerPtr subwords = make_tokenizer({.vocab_size = 400}, {&german});
  for (const std::string text : {"a \u2581 b\u2581\u2581c", "\uE000 and \uE000_ \uE000\u2581"})
    check_stream(*subwords, subwords->encode(text));
}
