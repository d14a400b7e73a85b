// Makes the k-th system call behind file access (core/files/system_call.h) on this thread fail,
// once or from then on.
#pragma once

#include <slope/core/files/system_call.h>

namespace slope::test {

class FailCall {
 public:
  FailCall(int k, int error, bool persistently) {
    sys::set_hook([this, k, error, persistently](const sys::Call&) {
      ++calls_;
      const bool fails = calls_ == k || (persistently && calls_ > k);
      failed_ |= fails;
      return fails ? error : 0;
    });
  }
  ~FailCall() { sys::set_hook({}); }
  FailCall(const FailCall&) = delete;
  FailCall& operator=(const FailCall&) = delete;
  bool failed() const { return failed_; }  // whether the k-th call was made

 private:
  int calls_ = 0;
  bool failed_ = false;
};

}  // namespace slope::test
