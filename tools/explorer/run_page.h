// The explorer's page for the user's own model: a recorded step, inserted into the page that
// tools/explorer/build made.
#pragma once

#include <string>

namespace slope::explorer {

struct RunPage {
  std::string model;     // a model's name or a run's folder
  std::string page;      // the page to insert into; empty: the installed one, else the one built
  int64_t values = 512;  // the most elements of a tensor to write in full; else its norm
};

// The page's text, with the step inserted. IoError if there is no page.
std::string page_of_run(const RunPage& options);

}  // namespace slope::explorer
