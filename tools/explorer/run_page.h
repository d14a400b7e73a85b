// The explorer's page for a model of one's own: a recorded step, put into the page that
// tools/explorer/build made.
#pragma once

#include <string>

namespace slope::explorer {

struct RunPage {
  std::string model;  // a model's name or a run's folder
  std::string page;   // the page to put it into; empty: the installed one, else that of the build
  int64_t values = 512;  // of tensors of at most so many, all are in the page; others by their norm
};

// The page's text. IoError if there is no page to put it into.
std::string page_of_run(const RunPage& options);

}  // namespace slope::explorer
