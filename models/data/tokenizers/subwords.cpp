#include <slope/core/error.h>
#include <slope/core/text/visible.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/tokenizers/bpe_dropout.h>
#include <slope/models/data/tokenizers/lines.h>
#include <slope/models/data/tokenizers/subword_text.h>
#include <slope/models/data/tokenizers/subwords.h>

#include <fmt/ranges.h>
#include <sentencepiece_processor.h>

namespace slope::data {
namespace {

constexpr const char* special_names[] = {"<pad>", "<unk>", "<sos>", "<eos>"};
constexpr size_t part_bytes = 1 << 14;  // a longer line is split into parts

}  // namespace

SubwordTokenizer::SubwordTokenizer(std::string model, const std::string& file, bool lowercase)
    : model_(std::move(model)),
      processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()), pieces_(4, -1),
      lowercase_(lowercase) {
  SLOPE_CHECK_INPUT(!model_.empty() && processor_->LoadFromSerializedProto(model_).ok(),
                    "{}: is not a SentencePiece model", file);
  const int n = processor_->GetPieceSize();
  for (int piece = 0; piece < n; ++piece) {
    const bool special = processor_->IsUnknown(piece) || processor_->IsControl(piece);
    const std::string& text = processor_->IdToPiece(piece);
    SLOPE_CHECK_INPUT(!find_utf8_error(text), "{}: piece {} ('{}') is not valid UTF-8", file, piece,
                      visible(text));
    ids_.push_back(special ? unk_id : size());
    if (special) continue;
    pieces_.push_back(piece);
    if (text.find(blank_mark, 1) != text.npos) word_by_word_ = false;
  }
  SLOPE_CHECK_INPUT(size() > 4, "{}: is a SentencePiece model without pieces", file);
  line_break_ = id_of(processor_->PieceToId("<0x0A>"));
  // the mark, or its bytes if the model was learned from a text without blanks
  const std::string blank = fmt::format("{}", fmt::join(processor_->EncodeAsPieces(" "), ""));
  whole_lines_ = blank != blank_mark && blank != "<0xE2><0x96><0x81>";
  std::vector<std::vector<int>> ways;
  is_bpe_ = !processor_->NBestEncode("a", 2, &ways).ok();  // only unigram supports it
  if (whole_lines_ || line_break_ == unk_id) word_by_word_ = false;
}

SubwordTokenizer::~SubwordTokenizer() = default;

template <class Append>
Ids SubwordTokenizer::cut(std::string_view text, const Append& append) const {
  Ids ids;
  for_each_line(
      text,
      [&](std::string_view line) {
        const std::string prepared = to_subword_text(line, lowercase_);
        for_each_part(prepared, whole_lines_ ? prepared.size() : part_bytes,
                      [&](std::string_view part) { append(part, ids); });
      },
      [&] { ids.push_back(line_break_); });
  return ids;
}

void SubwordTokenizer::append_ids(std::string_view part, Ids& ids) const {
  std::vector<int> pieces;
  const auto status = processor_->Encode({part.data(), part.size()}, &pieces);
  SLOPE_CHECK_INPUT(status.ok(), "subwords: {}", status.ToString());
  for (int piece : pieces) ids.push_back(id_of(piece));
}

Ids SubwordTokenizer::encode(std::string_view text) const {
  return cut(text, [&](std::string_view part, Ids& ids) { append_ids(part, ids); });
}

// Most words occur often, so each distinct word is split only once.
std::vector<Ids> SubwordTokenizer::encode_lines(const std::vector<std::string>& lines) const {
  if (!word_by_word_) return Tokenizer::encode_lines(lines);
  std::unordered_map<std::string, Ids> known;
  std::vector<Ids> all;
  all.reserve(lines.size());
  for (const std::string& line : lines)
    all.push_back(cut(line, [&](std::string_view part, Ids& ids) {
      while (!part.empty()) {  // a word with the blank before it
        const std::string_view word = part.substr(0, part.find(' ', 1));
        part.remove_prefix(word.size());
        const auto [at, is_new] = known.try_emplace(std::string(word));
        if (is_new) append_ids(word, at->second);
        ids.insert(ids.end(), at->second.begin(), at->second.end());
      }
    }));
  return all;
}

Ids SubwordTokenizer::sample(std::string_view text, double dropout, const RandomSite& site) const {
  if (!is_bpe_) return Tokenizer::sample(text, dropout, site);
  int64_t draw = 0;
  return cut(text, [&](std::string_view part, Ids& ids) {
    for (int piece : bpe_with_dropout(*processor_, part, dropout, site, draw))
      ids.push_back(id_of(piece));
  });
}

std::string SubwordTokenizer::decode(std::span<const int64_t> ids,
                                     const Tokens& for_unknown) const {
  std::string text;
  auto next = for_unknown.begin();
  std::vector<int> line;
  const auto end_line = [&] {
    std::string decoded;
    const auto status = processor_->Decode(line, &decoded);
    SLOPE_CHECK_INPUT(status.ok(), "subwords: {}", status.ToString());
    text += from_subword_text(decoded);
    line.clear();
  };
  for (int64_t id : ids) {
    SLOPE_CHECK_INDEX(id >= 0 && id < size(), "subwords: token {} is outside [0, {})", id, size());
    const int piece = pieces_[static_cast<size_t>(id)];
    if (id == line_break_ && piece >= 0) {
      end_line();
      text += '\n';
    } else if (piece >= 0) {
      line.push_back(piece);
    } else {
      end_line();
      text += id == unk_id && next != for_unknown.end() ? *next++ : special_names[id];
    }
  }
  end_line();
  return text;
}

std::string SubwordTokenizer::token(int64_t id) const {
  SLOPE_CHECK_INDEX(id >= 0 && id < size(), "subwords: token {} is outside [0, {})", id, size());
  const int piece = pieces_[static_cast<size_t>(id)];
  return piece < 0 ? special_names[id] : processor_->IdToPiece(piece);
}

}  // namespace slope::data
