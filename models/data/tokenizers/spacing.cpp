#include <slope/core/error.h>
#include <slope/models/data/tokenizers/detokenize.h>
#include <slope/models/data/tokenizers/spacing.h>

#include <algorithm>
#include <map>

namespace slope::data {
namespace {

constexpr int all_levels = 4;
constexpr size_t most = 2000;  // exceptions per level

std::string shape_text(const Tokens& tokens, const std::vector<Shape>& shapes, size_t i) {
  constexpr const char* names[] = {"aa", "a", "0", "a0", "0a"};
  if (i >= tokens.size()) return "";
  return shapes[i] == Shape::symbol ? tokens[i] : names[static_cast<size_t>(shapes[i])];
}

// The tokens around the place before token i, in the form of a level's exceptions.
std::string context(int level, bool blank, const Tokens& tokens, const std::vector<Shape>& shapes,
                    size_t i) {
  const auto at = [&](size_t k) {
    return level < 2 ? shape_text(tokens, shapes, k) : k < tokens.size() ? tokens[k] : "";
  };
  std::string text = fmt::format("{}\t{}", level, blank ? '_' : '-');
  const auto add = [&](const std::string& token) { text += '\t' + token; };
  const bool wide = level == 1 || level == 3;
  if (wide || (level == 2 && shapes[i - 1] == Shape::symbol)) add(i > 1 ? at(i - 2) : "");
  add(at(i - 1));
  add(at(i));
  if (wide || (level == 2 && shapes[i - 1] != Shape::symbol)) add(at(i + 1));
  return text;
}

std::vector<Shape> shapes_of(const Tokens& tokens) {
  std::vector<Shape> shapes;
  for (const std::string& token : tokens) shapes.push_back(shape_of(token));
  return shapes;
}

// Calls f(i) for each i > 0 where token i or the one before it is a symbol: two words always have a
// blank between them.
template <class F>
void each_open_place(const std::vector<Shape>& shapes, const F& f) {
  for (size_t i = 1; i < shapes.size(); ++i)
    if (shapes[i] == Shape::symbol || shapes[i - 1] == Shape::symbol) f(i);
}

}  // namespace

std::vector<bool> Spacing::blanks(const Tokens& tokens, int levels) const {
  std::vector<bool> blanks = blanks_by_rule(tokens);
  if (exceptions_.empty()) return blanks;
  const std::vector<Shape> shapes = shapes_of(tokens);
  each_open_place(shapes, [&](size_t i) {
    for (int level = 0; level < levels; ++level)
      if (exceptions_.contains(context(level, blanks[i], tokens, shapes, i)))
        blanks[i] = !blanks[i];
  });
  return blanks;
}

Spacing Spacing::learned(const std::vector<SpacedTokens>& lines) {
  Spacing spacing;
  for (int level = 0; level < all_levels; ++level) {
    std::unordered_map<std::string, int64_t> wrong;  // times wrong minus times right
    for (const SpacedTokens& line : lines) {
      const std::vector<bool> blanks = spacing.blanks(line.tokens, level);
      const std::vector<Shape> shapes = shapes_of(line.tokens);
      each_open_place(shapes, [&](size_t i) {
        wrong[context(level, blanks[i], line.tokens, shapes, i)] +=
            blanks[i] != line.blank_before[i] ? 1 : -1;
      });
    }
    std::vector<std::pair<int64_t, std::string>> found;
    for (auto& [text, n] : wrong)
      if (n > 0) found.emplace_back(-n, text);
    std::sort(found.begin(), found.end());
    if (found.size() > most) found.resize(most);
    for (auto& [n, text] : found) spacing.exceptions_.insert(std::move(text));
  }
  return spacing;
}

std::string Spacing::join(const Tokens& tokens) const {
  return join_with_blanks(tokens, blanks(tokens, all_levels));
}

std::string Spacing::text() const {
  std::vector<std::string> lines(exceptions_.begin(), exceptions_.end());
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

Spacing Spacing::parsed(const std::string& text, const std::string& file) {
  Spacing spacing;
  int64_t number = 0;
  for (size_t start = 0; start < text.size();) {
    ++number;
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    const bool good = line.size() > 4 && line[0] >= '0' && line[0] < '0' + all_levels &&
                      line[1] == '\t' && (line[2] == '_' || line[2] == '-') && line[3] == '\t';
    SLOPE_CHECK_INPUT(good, "{}: line {}: expected a level, _ or -, and tokens, with tabs between",
                      file, number);
    spacing.exceptions_.insert(line);
    start = end + 1;
  }
  return spacing;
}

}  // namespace slope::data
