// Attention capture: the weights of every attention whose module path matches, while the object
// lives, on this thread.
//   nn::CaptureAttention capture("decoder.layers.*");
//   model(source, target);
//   Tensor w = capture.last("decoder.layers.2.mha2");  // (B, H, L, S)
// The weights are those before dropout, detached; a row sums to 1, or to 0 where a query
// may attend to nothing.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <string>
#include <vector>

namespace slope::nn {

class CaptureAttention {
 public:
  // * stands for any characters; an end of the path behind a dot may match too
  explicit CaptureAttention(std::string pattern = "*");
  ~CaptureAttention();
  CaptureAttention(const CaptureAttention&) = delete;
  CaptureAttention& operator=(const CaptureAttention&) = delete;

  struct Map {
    std::string path;  // of the module that attended; "" where it is the outermost
    Tensor weights;    // (B, H, L, S)
  };
  const std::vector<Map>& maps() const { return maps_; }  // in the order of the calls
  std::vector<std::string> paths() const;         // each once, in the order of the first calls
  Tensor last(const std::string& pattern) const;  // UsageError where nothing matches
  void clear() { maps_.clear(); }

 private:
  friend bool attention_is_captured();
  friend void capture_attention(const Tensor& weights);
  std::string pattern_;
  std::vector<Map> maps_;
  CaptureAttention* outer_;
};

// For attention layers: whether somebody wants the weights of the module that runs now,
// and handing them over.
bool attention_is_captured();
void capture_attention(const Tensor& weights);
// Whether any module's are wanted on this thread: the maps then have a row for each padded token.
bool any_attention_is_captured();

}  // namespace slope::nn
