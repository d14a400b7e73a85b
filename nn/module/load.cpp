#include <slope/autograd/grad_mode.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/loops/copy.h>
#include <slope/core/text/json.h>
#include <slope/core/text/spelling.h>
#include <slope/nn/module/load.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

namespace slope::nn {

namespace {

bool is_end_of(const std::string& end, const std::string& name) {
  return name.size() > end.size() + 1 && name.ends_with("." + end);
}

// The names that were probably meant: the same with another prefix, else the nearest in spelling.
std::vector<std::string> meant_by(const std::string& name,
                                  const std::vector<std::string>& candidates) {
  std::vector<std::string> meant;
  for (const std::string& c : candidates)
    if (is_end_of(name, c) || is_end_of(c, name)) meant.push_back(c);
  return meant.empty() ? nearest(name, candidates) : meant;
}

bool same_values(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor x = contiguous_copy(a), y = contiguous_copy(b);
  return visit(x.dtype(), [&]<class T> {
    return std::memcmp(x.data<T>(), y.data<T>(), static_cast<size_t>(x.numel()) * sizeof(T)) == 0;
  });
}

bool fits(DType from, DType to) { return from == to || (is_floating(from) && is_floating(to)); }

}  // namespace

std::string LoadReport::message() const {
  if (ok()) return "<All keys matched successfully>";
  // With more missing or unexpected names the file is probably of another model: no spelling is
  // guessed, and only the first names are listed.
  constexpr size_t spelling_limit = 50, listed = 20;
  const auto quoted = [](const std::string& name) { return JsonReader::escaped(name); };
  const auto first_of = [&](const auto& all, const auto& text_of, const char* separator) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < std::min(all.size(), listed); ++i) texts.push_back(text_of(all[i]));
    if (all.size() > listed) texts.push_back(fmt::format("and {} more", all.size() - listed));
    return fmt::format("{}", fmt::join(texts, separator));
  };
  const bool guesses = std::max(missing.size(), unexpected.size()) <= spelling_limit;
  std::vector<std::string> parts;
  const auto lost = [&](const std::string& name) {
    std::vector<std::string> meant;
    if (guesses) meant = meant_by(name, unexpected);
    std::transform(meant.begin(), meant.end(), meant.begin(), quoted);
    return quoted(name) + did_you_mean(meant);
  };
  if (!missing.empty())
    parts.push_back("Missing key(s) in state_dict: " + first_of(missing, lost, ", "));
  if (!unexpected.empty())
    parts.push_back("Unexpected key(s) in state_dict: " + first_of(unexpected, quoted, ", "));
  if (!misfits.empty())
    parts.push_back(first_of(
        misfits, [](const auto& misfit) { return misfit.reason; }, ". "));
  return fmt::format("Error(s) in loading state_dict for {}: {}", model, fmt::join(parts, ". "));
}

LoadReport load(ModuleRef model, const NamedTensors& tensors, LoadOptions options) {
  std::unordered_map<std::string, const Tensor*> given;
  for (const auto& [name, x] : tensors) given.emplace(name, &x);
  const NamedTensors entries = state_entries(model);
  // for each of the model's tensors, the value found under any of its names
  std::unordered_map<const TensorImpl*, const Tensor*> source;
  std::set<std::string> known;
  LoadReport report{.model = model.type()};
  for (const auto& [name, x] : entries) {
    known.insert(name);
    const auto found = given.find(name);
    if (found == given.end()) continue;
    const Tensor& value = *found->second;
    const auto [first, is_new] = source.try_emplace(&x.impl(), &value);
    if (value.shape() != x.shape()) {
      report.misfits.push_back(
          {name, fmt::format("size mismatch for {}: copying a param with shape {} from checkpoint, "
                             "the shape in current model is {}",
                             name, value.shape(), x.shape())});
    } else if (!fits(value.dtype(), x.dtype())) {
      report.misfits.push_back(
          {name, fmt::format("dtype mismatch for {}: copying a param of {} from checkpoint, the "
                             "dtype in current model is {}",
                             name, slope::name(value.dtype()), slope::name(x.dtype()))});
    } else if (!is_new && !same_values(*first->second, value)) {
      report.misfits.push_back(
          {name,
           fmt::format("values mismatch for {}: tied in current model, but the checkpoint has "
                       "other values under its other name",
                       name)});
    }
  }
  for (const auto& [name, x] : entries)
    if (!source.contains(&x.impl())) report.missing.push_back(name);
  for (const auto& [name, x] : tensors)
    if (!known.contains(name)) report.unexpected.push_back(name);
  if (options.strict ? !report.ok() : !report.misfits.empty()) throw InputError(report.message());

  const NoGrad no_grad;
  Tensors from, to;
  for (const auto& [name, x] : entries)
    if (const auto found = source.find(&x.impl()); found != source.end()) {
      from.push_back(*found->second);
      to.push_back(x);
      source.erase(found);
    }
  copy_each(from, to);
  return report;
}

LoadReport load(ModuleRef model, const TensorFile& file, LoadOptions options) {
  std::set<std::string> present;
  for (const auto& [name, x] : file.tensors) present.insert(name);
  NamedTensors tensors = file.tensors;
  for (const auto& [name, x] : state_entries(model)) {
    const auto kept = file.metadata.find(name);
    if (kept != file.metadata.end() && !present.contains(name) && present.contains(kept->second))
      tensors.push_back({name, file.at(kept->second)});
  }
  return load(model, tensors, options);
}

}  // namespace slope::nn
