// The explorer's page for the user's own model: a recorded step, inserted into the page that
// tools/explorer/build made.
#pragma once

#include <string>

namespace slope::explorer {

struct RunPage {
  std::string model;  // a model's name or a run's folder
  std::string page;  // the page to insert it into; empty: the installed one, else that of the build
  int64_t values = 512;  // a tensor of at most so many elements is written in full, else its norm
};

// The page's text. IoError if there is no page to insert it into.
std::string page_of_run(const RunPage& options);

}  // namespace slope::explorer
