// Attention capture: while the object lives, it collects the weights of every attention module on
// this thread whose path matches.
//   nn::CaptureAttention capture("decoder.layers.*");
//   model(source, target);
//   Tensor w = capture.last("decoder.layers.2.mha2");  // (B, H, L, S)
// The weights are detached and taken before dropout. A row sums to 1, or to 0 if its query may
// attend to nothing.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <string>
#include <vector>

namespace slope::nn {

class CaptureAttention {
 public:
  // * stands for any characters; the pattern matches the whole path, or its end after a dot
  explicit CaptureAttention(std::string pattern = "*");
  ~CaptureAttention();
  CaptureAttention(const CaptureAttention&) = delete;
  CaptureAttention& operator=(const CaptureAttention&) = delete;

  struct Map {
    std::string path;  // of the module that attended; "" for the outermost module
    Tensor weights;    // (B, H, L, S)
  };
  const std::vector<Map>& maps() const { return maps_; }  // in the order of the calls
  std::vector<std::string> paths() const;         // without repetition, in the order of first calls
  Tensor last(const std::string& pattern) const;  // UsageError if nothing matches
  void clear() { maps_.clear(); }

 private:
  friend bool attention_is_captured();
  friend void capture_attention(const Tensor& weights);
  std::string pattern_;
  std::vector<Map> maps_;
  CaptureAttention* outer_;
};

// For attention layers: whether the weights of the module that runs now are wanted, and the way to
// deliver them.
bool attention_is_captured();
void capture_attention(const Tensor& weights);
// Whether weights are wanted on this thread. If so, batches keep their padding (packed_pair.h).
bool any_attention_is_captured();

}  // namespace slope::nn
