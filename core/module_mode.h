// How modules run on this thread: what nn/module/mode.h sets, and checkpoint keeps for its second
// run. Here because autograd knows no modules.
#pragma once

#include <cstdint>

namespace slope {

struct ModuleMode {
  int evaluates = 0;        // EvalMode guards
  bool runs_again = false;  // in the second run of a checkpoint: averages count a batch once

  // How often modules found that they train or evaluate: two runs of one function must agree.
  struct Answers {
    uint64_t trains = 0, evaluates = 0;
    friend Answers operator-(Answers a, Answers b) {
      return {a.trains - b.trains, a.evaluates - b.evaluates};
    }
    friend bool operator==(Answers, Answers) = default;
  } answers;

  bool trains(bool own) {
    const bool result = own && !evaluates;
    ++(result ? answers.trains : answers.evaluates);
    return result;
  }
};
extern constinit thread_local ModuleMode module_mode;

}  // namespace slope
