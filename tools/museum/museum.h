// The museum: mistakes of published Transformers, each beside the right form. An exhibit is one
// small file of exhibits/: the broken part, its symptom in numbers, and the detector of
// nn/lint/lint.h that catches it. Mistakes that do not compile in C++ are exhibits too: a program,
// and the compiler's message.
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
  // as findings name it; empty: no detector can find the mistake, for the reason `why`
  std::string detector, why;
  Showing (*show)() = nullptr;
  std::string program, error;  // instead of show: what does not compile, and the message
};

std::span<const Exhibit> exhibits();
const Exhibit& exhibit_named(const std::string& id);  // else a UsageError naming the nearest

// Whether the symptom shows, and the detector finds something only in the broken form.
bool is_as_promised(const Exhibit& exhibit, const Showing& showing);
std::string text_of(const Exhibit& exhibit, const Showing& showing);
std::string table();  // for the README, in Markdown

std::string number(double x);  // three digits; 0 for mere rounding errors

}  // namespace slope::museum
