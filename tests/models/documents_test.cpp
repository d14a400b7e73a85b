// Documents: each line alone between two separators, in batches, training, a resume, evaluation and
// generation.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/models/data/documents.h>
#include <slope/models/infer/evaluate.h>
#include <slope/models/infer/generate.h>
#include <slope/models/train/tasks/document_task.h>
#include <slope/tests/models/run_settings.h>
#include <slope/tests/temporary_folder.h>

#include <cmath>
#include <set>

using namespace slope;
using namespace slope::train;
using slope::test::settings_of;

namespace {

using Ids = std::vector<int64_t>;
const std::vector<std::string> lines{"ab", "", "b", "abba"};

std::string many_names() {
  std::string text;
  for (char a = 'a'; a <= 'j'; ++a)
    for (char b = 'a'; b <= 'd'; ++b) text += std::string{a, b, 'x'} + "\n";
  return text;  // 40 lines
}

data::TokenizerPtr characters_of(const std::vector<std::string>& lines) {
  return data::document_tokenizer({.kind = "characters", .specials = data::Specials::none}, lines);
}

RunSettings of_documents(const std::map<std::string, std::string>& more = {}) {
  std::map<std::string, std::string> values{
      {"documents", "lines"}, {"batch_size", "3"}, {"block_size", "8"}, {"n_embd", "8"}};
  for (const auto& [key, value] : more) values[key] = value;
  return settings_of("microgpt", values);
}

}  // namespace

TEST_CASE("documents: a separator at both ends, empty lines left out, short ones padded") {
  const data::TokenizerPtr characters = characters_of(lines);
  CHECK(characters->size() == 3);  // a, b and the separator
  const auto id = [&](const char* c) { return characters->encode(c)[0]; };
  const int64_t a = id("a"), b = id("b"), s = id("\n"), no = data::no_target;
  const data::Documents documents = data::encode_documents(lines, *characters);
  CHECK(documents == data::Documents{{s, a, b, s}, {s, b, s}, {s, a, b, b, a, s}});
  CHECK_THROWS_AS(data::encode_documents({"abc"}, *characters), InputError);

  const Ids which{1, 2};
  const data::Blocks all = data::document_blocks(documents, which, 8);
  CHECK(all.rows == 2);
  CHECK(all.length == 5);
  CHECK(all.inputs == Ids{s, b, s, s, s, s, a, b, b, a});
  CHECK(all.targets == Ids{b, s, no, no, no, a, b, b, a, s});
  CHECK(data::count_targets(all) == 7);
  const data::Blocks cut = data::document_blocks(documents, which, 3);
  CHECK(cut.length == 3);
  CHECK(cut.targets == Ids{b, s, no, a, b, b});
}

TEST_CASE("documents: of words, a line of blanks is none; the separator is never too rare") {
  const std::vector<std::string> text{"b b", " ", "a\u3000", "\u3000\t"};
  const data::TokenizerPtr words =
      data::document_tokenizer({.kind = "words", .min_freq = 2}, {"b b"});
  const int64_t b = words->encode("b")[0], s = words->encode("\n")[0], unknown = data::unk_id;
  CHECK(words->size() == 6);
  CHECK(data::encode_documents(text, *words) == data::Documents{{s, b, b, s}, {s, unknown, s}});
  CHECK_THROWS_WITH_AS(data::document_tokenizer({.kind = "words", .min_freq = 2}, {"a", "b"}),
                       doctest::Contains("occurs 2 times"), InputError);
}

TEST_CASE("documents: an epoch has each training document once; a resume goes on where it was") {
  DocumentTask task(of_documents({{"validation_share", "0.25"}}), many_names());
  CHECK(task.epoch_length() == 10);  // 30 documents in batches of 3
  std::vector<double> losses;
  int64_t targets = 0;
  for (int64_t i = 0; i < 20; ++i) {
    const Work work = task.next();
    CHECK(work.sequences == 3);
    if (i < 10) targets += work.targets;
    losses.push_back(work.loss(0, 3).item());
  }
  CHECK(targets == 30 * 4);
  CHECK(std::set(losses.begin(), losses.begin() + 10) !=
        std::set(losses.begin() + 10, losses.end()));  // another order
  DocumentTask again(of_documents({{"validation_share", "0.25"}}), many_names());
  again.seek(13);
  CHECK(again.next().loss(0, 3).item() == losses[13]);
  CHECK(task.evaluate().targets == 10 * 4);
  DocumentTask few(of_documents({{"validation_share", "0.25"}, {"validation_size", "8"}}),
                   many_names());
  CHECK(few.evaluate().targets == 8);
  CHECK_THROWS_AS(DocumentTask(of_documents(), "ab\n\n"), InputError);
}

TEST_CASE("documents: another run's vocabulary must have a line break, which separates them") {
  const test::TemporaryFolder run;
  RunSettings characters = of_documents({{"from", "prose"}}),
              words = of_documents({{"from", "prose"}, {"tokenizer", "words"}});
  characters.tokenizers_from = words.tokenizers_from = run.path();
  const char* says = "--documents lines: the vocabulary of --from prose has no line break";
  run.write("source.vocab", "a\nb\n");
  CHECK_THROWS_WITH_AS(DocumentTask(characters, "ab\nba\n"), doctest::Contains(says), UsageError);
  const std::string specials = "<pad>\n<unk>\n<sos>\n<eos>\n";
  run.write("source.vocab", specials + "ab\nba\n");
  CHECK_THROWS_WITH_AS(DocumentTask(words, "ab ba\nab ba\n"), doctest::Contains(says), UsageError);
  run.write("source.vocab", specials + "\\n\nab\nba\n");
  CHECK(DocumentTask(words, "ab ba\nab ba\n").evaluate().targets == 3);  // of one document
}

TEST_CASE("documents: padding and the other rows of a batch change no document's loss") {
  const data::TokenizerPtr characters = characters_of(lines);
  const data::Documents documents = data::encode_documents(lines, *characters);
  const auto& type =
      dynamic_cast<const models::LanguageModelType&>(models::model_named("microgpt"));
  manual_seed(5);
  const auto model = type.make(*type.small(), characters->size(), models::Weights::drawn);
  nn::to(model->module(), f64);
  double one_by_one = 0;
  for (const auto& document : documents)
    one_by_one += evaluate_documents(*model, {document}).loss_sum;
  CHECK(evaluate_documents(*model, documents).loss_sum ==
        doctest::Approx(one_by_one).epsilon(1e-13));
}

TEST_CASE("documents: after a separator the next one is generated without what was before") {
  const data::TokenizerPtr characters = characters_of(lines);
  const auto& type =
      dynamic_cast<const models::LanguageModelType&>(models::model_named("microgpt"));
  manual_seed(6);
  const auto model = type.make(*type.small(), characters->size(), models::Weights::drawn);
  for (const Tensor& weight : nn::parameters(model->module())) nn::init::normal(weight, 0, 0.5);
  const std::string long_text = generate(
      *model, *characters, "", {.tokens = 200, .sampling = {.seed = 3}, .separator = "\n"});
  CHECK(long_text ==
        generate(*model, *characters, "",
                 {.tokens = 200, .sampling = {.seed = 3}, .separator = "\n", .cached = false}));
  CHECK(std::count(long_text.begin(), long_text.end(), '\n') > 3);
  // Each document has the same likeliest continuation: nothing carries over from the one before.
  const std::string likeliest = generate(
      *model, *characters, "", {.tokens = 60, .sampling = {.temperature = 0}, .separator = "\n"});
  const size_t end = likeliest.find('\n');
  if (end != likeliest.npos)
    for (size_t i = 0; i + end + 1 < likeliest.size(); ++i)
      CHECK(likeliest[i] == likeliest[i + end + 1]);
  for (uint64_t seed = 0; seed < 5; ++seed) {  // a separator in the prompt is one, too
    const auto after = [&](const std::string& prompt) {
      return generate(*model, *characters, prompt,
                      {.tokens = 40, .sampling = {.seed = seed}, .separator = "\n"});
    };
    CHECK(after("ab\nb") == after("b"));
    CHECK(after("ab\n") == after(""));
  }
}
