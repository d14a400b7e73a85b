// Kinds; what register_model refuses. tests/consumer/own_model_test.py has a model that it takes.
#include <doctest/doctest.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/registry.h>

#include <algorithm>

using namespace slope;

namespace {

struct Plain {
  int64_t vocab_size = 2, block_size = 8;
  SLOPE_CONFIG(key(block_size, "positions", 1, 100))
};
struct WithAlpha : Plain {  // a setting of the optimizer rmsprop
  double alpha = 0.5;
  SLOPE_CONFIG(key(block_size, "positions", 1, 100), key(alpha, "a factor", 0, 1))
};
struct WithTokenizer : Plain {
  std::string tokenizer = "mine";
  SLOPE_CONFIG(key(tokenizer, "how text is cut"))
};
struct WithOut : Plain {  // a flag of slope train
  int64_t out = 3;
  SLOPE_CONFIG(key(out, "channels", 1, 9))
};
struct WithChoices : Plain {
  std::string pace = "fast";
  SLOPE_CONFIG(key(pace, "how fast", {"slow", "slower"}))
};
struct OutOfRange : Plain {
  int64_t heads = 0;
  SLOPE_CONFIG(key(heads, "heads", 1, 9))
};

// The next token by the newest one alone.
template <class C>
struct Bigrams {
  C config;
  nn::Embedding table;
  explicit Bigrams(const C& c) : config(c), table(c.vocab_size, c.vocab_size) {}
  Tensor forward(const Tensor& tokens) const { return table(tokens); }  // (B, T) -> (B, T, V)
  SLOPE_MODULE(Bigrams, table)
};

template <class C>
void refuses(const std::string& name, const std::string& says) {
  const std::string message = "register_model: " + says;
  CHECK_THROWS_WITH_AS(models::register_model(models::language_model<Bigrams<C>>(name, "")),
                       message.c_str(), UsageError);
}

}  // namespace

TEST_CASE("registry: all_kinds has the kind of every model, and each kind has a default model") {
  std::string names;
  for (const models::Kind kind : models::all_kinds) {
    names += std::string(name(kind)) + " ";
    CHECK(models::default_model(kind).kind == kind);
  }
  CHECK(names == "translation lm points ");
  for (const models::ModelTypePtr& type : models::zoo())
    CHECK_MESSAGE(
        std::count(std::begin(models::all_kinds), std::end(models::all_kinds), type->kind) == 1,
        type->name);
}

TEST_CASE("registry: a model whose name or settings cannot be told from slope's is refused") {
  const size_t before = models::zoo().size();
  refuses<Plain>("lm", "lm is the name of a kind; give the model another one");
  refuses<Plain>("llama", "there is already a model called llama; give this one another name");
  refuses<WithAlpha>("own", "own: the setting alpha is one of slope's own; give it another name");
  refuses<WithTokenizer>("own",
                         "own: the setting tokenizer is one of slope's own; give it another name");
  refuses<WithOut>("own", "own: the setting out is one of slope's own; give it another name");
  CHECK(models::zoo().size() == before);
}

TEST_CASE("registry: every model refuses heads that do not divide, by the names of its settings") {
  int tried = 0;
  for (const models::ModelTypePtr& type : models::zoo())
    for (const models::Setting& setting : type->small()->settings()) {
      const std::string divides = "divides ";
      const size_t at = setting.help.find(divides);
      if (at == setting.help.npos) continue;
      const std::string other = setting.help.substr(at + divides.size());
      const auto config = type->small();
      const models::Settings settings = config->settings();
      const auto place = [&](const std::string& key) -> int64_t& {
        return **std::get_if<int64_t*>(&models::find_setting(settings, key)->place);
      };
      place(setting.key) = place(other) + 1;
      const auto make = [&] {
        const auto drawn = models::Weights::drawn;
        if (const auto* t = dynamic_cast<const models::TranslationType*>(type.get()))
          (void)t->make(*config, {31, 37}, drawn);
        if (const auto* t = dynamic_cast<const models::LanguageModelType*>(type.get()))
          (void)t->make(*config, 29, drawn);
      };
      CAPTURE(type->name);
      CHECK_THROWS_WITH_AS(make(), doctest::Contains("is not divisible"), UsageError);
      CHECK_THROWS_WITH_AS(make(), doctest::Contains(other.c_str()), UsageError);
      ++tried;
    }
  CHECK(tried >= 9);  // five for translation, three for text, one of them with two such settings
}

TEST_CASE("registry: a default that a run could not read back is refused") {
  refuses<WithChoices>("own", "own: the default of pace, 'fast', is none of slow, slower");
  refuses<OutOfRange>("own", "own: the default of heads, 0, is outside 1 to 9");
  CHECK(!models::find_model("own"));
}
