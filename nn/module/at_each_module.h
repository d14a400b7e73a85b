// While an object lives, its function is called on this thread whenever a module's forward begins.
// The function may throw, which ends a long computation between two modules.
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
