// A function that is called where a module's forward begins, on this thread and while the object
// lives. It may throw: so work that takes long can be ended in between.
#pragma once

namespace slope::nn {

class AtEachModule {
 public:
  explicit AtEachModule(void (*call)());
  ~AtEachModule();
  AtEachModule(const AtEachModule&) = delete;
  AtEachModule& operator=(const AtEachModule&) = delete;

 private:
  void (*before_)();
};

}  // namespace slope::nn
