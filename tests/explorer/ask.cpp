// Answers the page's questions, one a line, each answer ended by a form feed: the native side of
// the comparison with the module.
#include <slope/tools/explorer/explore.h>

#include <iostream>

int main() {
  for (std::string question; std::getline(std::cin, question);)
    std::cout << slope::explorer::answer(question) << '\f' << std::flush;
}
