#include <slope/tools/museum/refused.h>

namespace slope::museum {

std::vector<Exhibit> refused() {
  const std::string notebook = "a notebook", medium = "a post on Medium";
  return {
      {.id = "discarded-result",
       .mistake = "masked_fill's result is not used",
       .from = notebook,
       .fix = "scores = masked_fill(scores, mask, -1e9)",
       .program = R"(Tensor attention(const Tensor& scores, const Tensor& mask) {
  masked_fill(scores, mask, -1e9);
  return softmax(scores);
})",
       .error = "ignoring return value of"},
      {.id = "dropout-number",
       .mistake = "dropout, a number, is called as a layer",
       .from = notebook,
       .fix = "nn::Dropout dropout; … dropout(x)",
       .program = R"(struct Residual {
  double dropout = 0.1;
  Tensor forward(const Tensor& x, const Tensor& y) const { return x + dropout(y); }
};)",
       .error = "cannot be used as a function|called object type"},
      {.id = "missing-member",
       .mistake = "the output layer is called by a name that it does not have",
       .from = notebook,
       .fix = "wo(x)",
       .program = R"(struct Heads {
  nn::Linear wq{8, 8}, wk{8, 8}, wv{8, 8}, wo{8, 8};
  Tensor forward(const Tensor& x) const { return w_o(x); }
};)",
       .error = "'w_o'|‘w_o’"},
      {.id = "norm-without-size",
       .mistake = "a norm is made without the number of its channels",
       .from = medium,
       .fix = "nn::LayerNorm norm{512}",
       .program = R"(struct Connection {
  nn::LayerNorm norm{};
  Tensor forward(const Tensor& x) const { return norm(x); }
};)",
       .error = "no matching function|no matching constructor|could not convert"},
      {.id = "wrong-arguments",
       .mistake = "a block that takes only its layers is given its width too",
       .from = medium,
       .fix = "Block block(attention, feed_forward)",
       .program = R"(struct EncoderBlock {
  nn::Linear attention, feed_forward;
  EncoderBlock(nn::Linear a, nn::Linear f)
      : attention(std::move(a)), feed_forward(std::move(f)) {}
};
EncoderBlock made() { return EncoderBlock(512, nn::Linear(8, 8), nn::Linear(8, 8)); })",
       .error = "no matching function|no matching constructor"},
      {.id = "global-width",
       .mistake =
           "a parameter is misspelt: a global of an earlier notebook cell is read in its place",
       .from = notebook,
       .fix = "ProjectionLayer(int64_t d_model, int64_t vocabulary)",
       .program = R"(struct ProjectionLayer {
  nn::Linear proj;
  ProjectionLayer(int64_t d_moel, int64_t vocabulary) : proj(d_model, vocabulary) {}
};)",
       .error = "'d_model'|‘d_model’"},
      {.id = "mask-polarity",
       .mistake = "a boolean tensor is passed as a mask: true may mean allow or block",
       .from = medium,
       .fix = "nn::Mask::causal(T), or nn::Mask::block(ahead)",
       .program = R"(Tensor look_ahead(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor ahead = triu(ones({5, 5}), 1) == 1.0;
  return nn::attend(q, k, v, ahead);
})",
       .error = "invalid initialization|no viable conversion"},
      {.id = "repeated-layer",
       .mistake = "six layers are copies of one, which share its weights",
       .from = "lists of layers in Python",
       .fix = "layers.emplace_back(…) six times, or nn::tie where sharing is meant",
       .program =
           R"(std::vector<nn::Linear> layers() { return std::vector<nn::Linear>(6, nn::Linear(8, 8)); })",
       .error = "is not copied"},
  };
}

}  // namespace slope::museum
