#include <slope/models/data/tokenizers/bpe_dropout.h>

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <queue>
#include <string>

namespace slope::data {
namespace {

struct Symbol {  // bytes begin … begin + size - 1; size 0: merged into its left neighbour
  size_t begin, size;
  int64_t left, right;  // neighbours; -1: none
};

struct Pair {
  float score;
  int64_t left, right;
  // of both symbols together when the pair was made; if it has changed, one of them was merged and
  // the pair is outdated
  size_t size;
};

struct ComesLater {
  bool operator()(const Pair& a, const Pair& b) const {
    return a.score != b.score ? a.score < b.score : a.left > b.left;
  }
};

size_t length_of_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace

std::vector<int> bpe_with_dropout(const sentencepiece::SentencePieceProcessor& model,
                                  std::string_view text, double dropout, const RandomSite& site,
                                  int64_t& draw) {
  std::string written;  // with each space as ▁ (U+2581), as in the pieces
  for (char c : text) written += c == ' ' ? "\xE2\x96\x81" : std::string(1, c);
  std::vector<Symbol> symbols;
  for (size_t i = 0; i < written.size(); i += symbols.back().size) {
    const auto n = static_cast<int64_t>(symbols.size());
    symbols.push_back({i, length_of_first(std::string_view(written).substr(i)), n - 1, n + 1});
  }
  if (symbols.empty()) return {};
  symbols.back().right = -1;
  const auto at = [&](int64_t i) -> Symbol& { return symbols[static_cast<size_t>(i)]; };
  const auto piece_of = [&](size_t begin, size_t size) {
    return model.PieceToId({written.data() + begin, size});
  };

  std::priority_queue<Pair, std::vector<Pair>, ComesLater> pairs;
  const auto add_pair = [&](int64_t left, int64_t right) {
    if (left < 0 || right < 0) return;
    const size_t size = at(left).size + at(right).size;
    const int piece = piece_of(at(left).begin, size);
    if (model.IsUnknown(piece) || model.IsControl(piece) || model.IsByte(piece)) return;
    pairs.push({model.GetScore(piece), left, right, size});
  };
  for (int64_t i = 1; i < static_cast<int64_t>(symbols.size()); ++i) add_pair(i - 1, i);
  while (!pairs.empty()) {
    const Pair pair = pairs.top();
    pairs.pop();
    Symbol &left = at(pair.left), &right = at(pair.right);
    if (left.size == 0 || right.size == 0 || left.size + right.size != pair.size) continue;
    if (dropout > 0 && uniform_f64(site, draw++) < dropout) continue;
    left.size = pair.size;
    left.right = right.right;
    right.size = 0;
    if (left.right >= 0) at(left.right).left = pair.left;
    add_pair(left.left, pair.left);
    add_pair(pair.left, left.right);
  }

  std::vector<int> pieces;
  for (int64_t i = 0; i >= 0; i = at(i).right) {
    const int piece = piece_of(at(i).begin, at(i).size);
    if (!model.IsUnknown(piece)) {
      pieces.push_back(piece);
      continue;
    }
    for (size_t k = 0; k < at(i).size; ++k)
      pieces.push_back(model.PieceToId(
          fmt::format("<0x{:02X}>", static_cast<unsigned char>(written[at(i).begin + k]))));
  }
  return pieces;
}

}  // namespace slope::data
