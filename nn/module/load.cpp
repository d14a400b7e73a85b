#include <slope/autograd/grad_mode.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/loops/copy.h>
#include <slope/core/text/spelling.h>
#include <slope/nn/module/load.h>

#include <cstring>
#include <set>
#include <unordered_map>

namespace slope::nn {

namespace {

bool is_end_of(const std::string& end, const std::string& name) {
  return name.size() > end.size() + 1 && name.ends_with("." + end);
}

// The name that was probably meant: the same with another prefix, or the nearest in spelling. Empty
// if none is near.
std::string meant_by(const std::string& name, const std::vector<std::string>& candidates) {
  for (const std::string& c : candidates)
    if (is_end_of(name, c) || is_end_of(c, name)) return c;
  return nearest(name, candidates);
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
  std::vector<std::string> parts;
  const auto part = [&parts](const char* kind, size_t n, const std::string& names) {
    if (n > 0) parts.push_back(fmt::format("{} {}: {}", n, kind, names));
  };
  const auto join = [](const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : between) + word;
    return text;
  };
  // with more missing names it is another model, not a spelling mistake
  constexpr size_t spelling_limit = 50;
  std::vector<std::string> lost, wrong;
  for (const auto& name : missing) {
    const std::string meant = missing.size() > spelling_limit ? "" : meant_by(name, unexpected);
    lost.push_back(meant.empty() ? name : fmt::format("{} (did you mean {}?)", name, meant));
  }
  for (const auto& [name, reason] : misfits) wrong.push_back(fmt::format("{} ({})", name, reason));
  part("missing", missing.size(), join(lost, ", "));
  part("unexpected", unexpected.size(), join(unexpected, ", "));
  part("that do not fit", misfits.size(), join(wrong, ", "));
  return parts.empty() ? "all names found" : join(parts, "; ");
}

LoadReport load(ModuleRef model, const NamedTensors& tensors, LoadOptions options) {
  std::unordered_map<std::string, const Tensor*> given;
  for (const auto& [name, x] : tensors) given.emplace(name, &x);
  const NamedTensors entries = state_entries(model);
  // for each of the model's tensors, the value found under any of its names
  std::unordered_map<const TensorImpl*, const Tensor*> source;
  std::set<std::string> known;
  LoadReport report;
  for (const auto& [name, x] : entries) {
    known.insert(name);
    const auto found = given.find(name);
    if (found == given.end()) continue;
    const Tensor& value = *found->second;
    const auto [first, is_new] = source.try_emplace(&x.impl(), &value);
    if (value.shape() != x.shape()) {
      report.misfits.push_back(
          {name, fmt::format("expected shape {}, got {}", x.shape(), value.shape())});
    } else if (!fits(value.dtype(), x.dtype())) {
      report.misfits.push_back({name, fmt::format("expected {}, got {}", slope::name(x.dtype()),
                                                  slope::name(value.dtype()))});
    } else if (!is_new && !same_values(*first->second, value)) {
      report.misfits.push_back(
          {name, "tied in the model, but its values differ from those under its other name"});
    }
  }
  for (const auto& [name, x] : entries)
    if (!source.contains(&x.impl())) report.missing.push_back(name);
  for (const auto& [name, x] : tensors)
    if (!known.contains(name)) report.unexpected.push_back(name);
  if (options.strict ? !report.ok() : !report.misfits.empty())
    throw InputError("load: " + report.message());

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
