// The WebAssembly module's interface: the page writes a question to explorer_room(length);
// explorer_ask() answers it and returns the length of the text at explorer_text().
#include <slope/tools/explorer/explore.h>

namespace {
std::string question, text;
}

extern "C" {
[[clang::export_name("explorer_room")]] char* explorer_room(size_t length) {
  question.resize(length);
  return question.data();
}
[[clang::export_name("explorer_ask")]] size_t explorer_ask() {
  text = slope::explorer::answer(question);
  return text.size();
}
[[clang::export_name("explorer_text")]] const char* explorer_text() { return text.data(); }
}
