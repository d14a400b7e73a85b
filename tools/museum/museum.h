// The museum: mistakes of published Transformers, each beside the right form. An exhibit is one
// small file of exhibits/: the broken part, what is seen of it as numbers, and the detector of
// nn/lint/lint.h that catches it. What C++ does not let through is an exhibit too: a program, and
// what the compiler says.
#pragma once

#include <slope/nn/lint/lint.h>

#include <span>
#include <string>
#include <vector>

namespace slope::museum {

struct Symptom {
  std::string what;
  double broken, right;
};
struct Showing {
  std::vector<Symptom> symptoms;
  nn::lint::Findings broken, right;  // what the detectors found
};

struct Exhibit {
  std::string id, mistake, from, fix;
  // the name in a finding; empty: none can know, and `why` says why
  std::string detector, why;
  Showing (*show)() = nullptr;
  std::string program, error;  // instead of show: what does not compile, and in whose words
};

std::span<const Exhibit> exhibits();
const Exhibit& exhibit_named(const std::string& id);  // UsageError that names the nearest

// Whether the symptom shows, and the detector finds something in the broken one alone.
bool is_as_promised(const Exhibit& exhibit, const Showing& showing);
std::string text_of(const Exhibit& exhibit, const Showing& showing);
std::string table();  // of the README, in Markdown

std::string number(double x);  // three digits; 0 for what is rounding alone

}  // namespace slope::museum
