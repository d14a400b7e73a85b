#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/data/tokenizers/words.h>
#include <slope/tests/models/characters.h>
#include <slope/tests/temporary_folder.h>

#include <cstdlib>

using namespace slope::data;
using slope::InputError;
using slope::test::count_tokens;
using slope::test::split_characters;
using slope::test::TemporaryFolder;

TEST_CASE("vocab: frequency descending, then code points; rare words are unknown") {
  const auto counts =
      count_words({"der Hund und der Ball", "Über dem Hund: der Ärmel.", "Zwei und zwei"});
  CHECK(counts.at("der") == 3);
  const auto all = Vocab::from_counts(counts, Specials::sentence);
  CHECK(all.decode({0, 1, 2, 3, 4, 5, 6, 7}) ==
        Tokens{"<pad>", "<unk>", "<sos>", "<eos>", "der", "hund", "und", "zwei"});
  // by code points it comes after every ASCII word and after ä
  CHECK(all.token(all.size() - 1) == "über");
  const auto frequent = Vocab::from_counts(counts, Specials::sentence, 2);
  CHECK(frequent.size() == 8);
  CHECK(encode_sentence("Der Ball und der Hund", WordTokenizer(frequent)) ==
        std::vector<int64_t>{sos_id, 4, unk_id, 6, 4, 5, eos_id});
  CHECK(encode_sentence("", WordTokenizer(frequent)) == std::vector<int64_t>{sos_id, eos_id});
  CHECK_THROWS_AS((void)frequent.token(8), slope::IndexError);
  CHECK_THROWS_AS((void)frequent.token(-1), slope::IndexError);
}

TEST_CASE("vocab: words and characters come back from their file, newline and backslash too") {
  const TemporaryFolder folder;
  const auto words = Vocab::from_counts(count_words({"a b \\ b 日本 \\n"}), Specials::sentence);
  CHECK(Vocab::load(folder.write("w", words.text()), Specials::sentence) == words);
  const auto characters =
      Vocab::from_counts(count_tokens(split_characters("a\nb\\n\r\té \n")), Specials::none);
  CHECK(characters.token(0) == "\n");
  CHECK(characters.text().starts_with("\\n\n"));
  characters.save(folder.file("c"));
  CHECK(Vocab::load(folder.file("c"), Specials::none) == characters);
  CHECK(join(characters.decode(characters.encode(split_characters("é\n\\"))), "") == "é\n\\");
  CHECK_THROWS_WITH_AS((void)characters.encode({"z"}),
                       "vocabulary: 'z' is not one of its 9 tokens, and it has no <unk>",
                       InputError);
}

TEST_CASE("vocab: characters counted and encoded from code points are those of strings") {
  const std::string text = "aé\n日本 aa\\\U0001F600\U0001F600b" + std::string(1, '\0');
  CHECK(count_characters(text) == count_tokens(split_characters(text)));
  const auto vocab = Vocab::from_counts(count_characters(text), Specials::none);
  CHECK(vocab.encode_characters(text) == vocab.encode(split_characters(text)));
  CHECK(vocab.encode_characters("").empty());
  CHECK_THROWS_WITH_AS((void)vocab.encode_characters("az"), doctest::Contains("'z' is not one of"),
                       InputError);
}

TEST_CASE(
    "vocab: U+FEFF is a token where it stands alone on the first line, else a byte order mark") {
  const TemporaryFolder folder;
  const auto characters =
      Vocab::from_counts(count_tokens(split_characters("\uFEFF\uFEFFab")), Specials::none);
  CHECK(characters.token(0) == "\uFEFF");
  characters.save(folder.file("v"));
  CHECK(Vocab::load(folder.file("v"), Specials::none) == characters);
  CHECK(Vocab::load(folder.write("marked", "\uFEFFa\r\nb\r\n"), Specials::none).token(0) == "a");
}

TEST_CASE("vocab: a file that is not a vocabulary is refused, with its line") {
  const std::string head = "<pad>\n<unk>\n<sos>\n<eos>\n";
  const auto refuses = [](const std::string& text, const char* message) {
    CHECK_THROWS_WITH_AS((void)Vocab::parse(text, "v", Specials::sentence), message, InputError);
  };
  CHECK(Vocab::parse(head + "a\n", "v", Specials::sentence).size() == 5);
  refuses("", "v: the vocabulary is empty");
  refuses(head + "a\nb\na\n", "v: line 7: 'a' appears twice");
  refuses(head + "a\n\nb\n", "v: line 6: an empty token");
  refuses(head + "a\nb", "v: line 6: no newline at the end; the vocabulary was cut off");
  refuses(head + "a\\x\n", "v: line 5: a backslash must be followed by n, r or a backslash");
  refuses(head + "a\\\n", "v: line 5: a backslash must be followed by n, r or a backslash");
  refuses("<pad>\n<unk>\n<eos>\n<sos>\n", "v: line 3: <sos> must be here, not '<eos>'");
  refuses("<pad>\n<unk>\n<sos>\n", "v: line 4: <eos> must be here, not ''");
  refuses("a\nb\nc\nd\ne\n", "v: line 1: <pad> must be here, not 'a'");
  for (size_t length = 0; length < head.size(); ++length)
    CHECK_THROWS_AS((void)Vocab::parse(head.substr(0, length), "v", Specials::sentence),
                    InputError);
}

TEST_CASE("vocab: Multi30k with min_freq 2 has 7882 German and 5898 English words") {
  const char* data = std::getenv("SLOPE_DATA");
  if (!data) {
    MESSAGE("skipped: set SLOPE_DATA to a folder with multi30k/train.de.gz and train.en.gz");
    return;
  }
  const auto text = read_parallel(std::string(data) + "/multi30k/train", "de", "en");
  CHECK(text.source.size() == 29000);
  CHECK(Vocab::from_counts(count_words(text.source), Specials::sentence, 2).size() == 7882);
  CHECK(Vocab::from_counts(count_words(text.target), Specials::sentence, 2).size() == 5898);
}
