"""prenorm and scalar-norm: the Transformers of a post and of a notebook that follows it, corrected."""
import math
from functools import partial

import torch
from torch import nn

from harness import causal, padding, save_translation, sinusoids


class LayerNormalization(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return self.alpha * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.bias


class InputEmbeddings(nn.Module):
    def __init__(self, vocabulary, d_model, scale):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.scale = scale

    def forward(self, x):
        return self.embedding(x) * self.scale


class PositionalEncoding(nn.Module):
    def __init__(self, positions, d_model, dropout):
        super().__init__()
        self.register_buffer("pe", sinusoids(positions, d_model)[None])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.shape[1]])


class FeedForwardBlock(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.dropout = nn.Dropout(dropout)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear_2(self.dropout(torch.relu(self.linear_1(x))))


class MultiHeadAttentionBlock(nn.Module):
    def __init__(self, d_model, n_heads, dropout, names, bias):
        super().__init__()
        for name in names:
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))
        self.dropout = nn.Dropout(dropout)
        self.names, self.n_heads = names, n_heads

    def forward(self, query, key, value, mask):  # mask: True where attention may go
        wq, wk, wv, wo = (getattr(self, name) for name in self.names)
        q, k, v = (w(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for w, x in ((wq, query), (wk, key), (wv, value)))
        scores = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(mask == 0, float("-inf"))
        return wo((self.dropout(scores.softmax(-1)) @ v).transpose(1, 2).flatten(2))


class ResidualConnection(nn.Module):
    def __init__(self, features, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.norm = LayerNormalization(features)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))


class EncoderBlock(nn.Module):
    def __init__(self, attention, feed_forward, residual, residuals):
        super().__init__()
        self.self_attention_block = attention()
        self.feed_forward_block = feed_forward()
        setattr(self, residuals, nn.ModuleList(residual() for _ in range(2)))
        self.residuals = residuals

    def forward(self, x, mask):
        add = getattr(self, self.residuals)
        return add[1](add[0](x, lambda x: self.self_attention_block(x, x, x, mask)), self.feed_forward_block)


class DecoderBlock(nn.Module):
    def __init__(self, attention, feed_forward, residual):
        super().__init__()
        self.self_attention_block = attention()
        self.cross_attention_block = attention()
        self.feed_forward_block = feed_forward()
        self.residual_connections = nn.ModuleList(residual() for _ in range(3))

    def forward(self, x, memory, source_mask, target_mask):
        x = self.residual_connections[0](x, lambda x: self.self_attention_block(x, x, x, target_mask))
        x = self.residual_connections[1](x, lambda x: self.cross_attention_block(x, memory, memory, source_mask))
        return self.residual_connections[2](x, self.feed_forward_block)


class Encoder(nn.Module):
    def __init__(self, layers, features):
        super().__init__()
        self.layers = layers
        self.norm = LayerNormalization(features)

    def forward(self, x, *rest):
        for layer in self.layers:
            x = layer(x, *rest)
        return self.norm(x)


class Decoder(Encoder):
    pass


class ProjectionLayer(nn.Module):
    def __init__(self, d_model, vocabulary, log_softmax):
        super().__init__()
        self.proj = nn.Linear(d_model, vocabulary)
        self.log_softmax = log_softmax

    def forward(self, x):
        return torch.log_softmax(self.proj(x), -1) if self.log_softmax else self.proj(x)


class Transformer(nn.Module):
    def __init__(self, scalar, source_vocab, target_vocab, d_model=512, n_heads=8, n_encoder_layers=6, n_decoder_layers=6, d_feedforward=2048, max_len=100):
        super().__init__()
        dropout = 0.0 if target_vocab == 13 else 0.1  # the small one has none
        features, scale = (1, 1.0) if scalar else (d_model, math.sqrt(d_model))
        names = ("wq", "wk", "wv", "wo") if scalar else ("w_q", "w_k", "w_v", "w_o")
        attention = partial(MultiHeadAttentionBlock, d_model, n_heads, dropout, names, scalar)
        feed_forward = partial(FeedForwardBlock, d_model, d_feedforward, dropout)
        residual = partial(ResidualConnection, features, dropout)
        residuals = "residual_connection" if scalar else "residual_connections"
        self.encoder = Encoder(nn.ModuleList(EncoderBlock(attention, feed_forward, residual, residuals) for _ in range(n_encoder_layers)), features)
        self.decoder = Decoder(nn.ModuleList(DecoderBlock(attention, feed_forward, residual) for _ in range(n_decoder_layers)), features)
        self.src_embed = InputEmbeddings(source_vocab, d_model, scale)
        self.tgt_embed = InputEmbeddings(target_vocab, d_model, scale)
        self.src_pos = PositionalEncoding(max_len, d_model, dropout)
        self.tgt_pos = PositionalEncoding(max_len, d_model, dropout)
        self.projection_layer = ProjectionLayer(d_model, target_vocab, scalar)

    def forward(self, source, target):
        memory = self.encoder(self.src_pos(self.src_embed(source)), padding(source))
        target_mask = padding(target) & causal(target.shape[1])
        return self.projection_layer(self.decoder(self.tgt_pos(self.tgt_embed(target)), memory, padding(source), target_mask))


if __name__ == "__main__":
    count = lambda model: sum(p.numel() for part in (model.encoder, model.decoder) for p in part.parameters())
    assert count(Transformer(False, 9, 9)) == 44_103_680 and count(Transformer(True, 9, 9)) == 44_107_840
    save_translation("prenorm", partial(Transformer, False), {})
    save_translation("scalar-norm", partial(Transformer, True), {})
