"""A blog post's Transformer: post-norm, GELU, scores divided by sqrt(embed_size), corrected."""
import torch
from torch import nn

from harness import causal, padding, save_translation, sinusoids


class MultiHeadAttention(nn.Module):
    def __init__(self, E, heads):
        super().__init__()
        self.heads = heads
        for name in ("keys", "queries", "values", "fc"):
            setattr(self, name, nn.Linear(E, E, bias=False))

    def forward(self, key, query, value, mask):
        B, E = query.shape[0], query.shape[2]
        split = lambda x: x.reshape(B, x.shape[1], self.heads, E // self.heads)
        keys, queries, values = split(self.keys(key)) / E**0.25, split(self.queries(query)) / E**0.25, split(self.values(value))
        scores = torch.einsum("bkhd,bqhd->bhqk", keys, queries).masked_fill(mask == 0, float("-inf"))
        return self.fc(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(3), values).reshape(B, query.shape[1], E))


class EncoderBlock(nn.Module):
    def __init__(self, E, heads, inner):
        super().__init__()
        self.attention = MultiHeadAttention(E, heads)
        self.layer_norm1 = nn.LayerNorm(E)
        self.layer_norm2 = nn.LayerNorm(E)
        self.feed_forward = nn.Sequential(nn.Linear(E, inner), nn.GELU(), nn.Linear(inner, E))

    def forward(self, key, query, value, mask):
        x = self.layer_norm1(query + self.attention(key, query, value, mask))
        return self.layer_norm2(x + self.feed_forward(x))


class DecoderBlock(nn.Module):
    def __init__(self, E, heads, inner, dropout):
        super().__init__()
        self.encoder_block = EncoderBlock(E, heads, inner)
        self.attention = MultiHeadAttention(E, heads)
        self.layer_norm = nn.LayerNorm(E)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, source_mask, target_mask):
        x = self.dropout(self.layer_norm(x + self.attention(x, x, x, target_mask)))
        return self.encoder_block(memory, x, memory, source_mask)


class PositionalEncoding(nn.Module):
    def __init__(self, E, max_len, dropout):
        super().__init__()
        self.register_buffer("pe", sinusoids(max_len, E)[None])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.shape[1]])


class Encoder(nn.Module):
    def __init__(self, vocabulary, E, heads, layers, inner, max_len, dropout):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, E)
        self.position_embed = PositionalEncoding(E, max_len, dropout)
        self.encoder_layers = nn.ModuleList(EncoderBlock(E, heads, inner) for _ in range(layers))

    def forward(self, x, mask):
        x = self.position_embed(self.embed(x))
        for layer in self.encoder_layers:
            x = layer(x, x, x, mask)
        return x


class Decoder(nn.Module):
    def __init__(self, vocabulary, E, heads, layers, inner, max_len, dropout):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, E)
        self.position_embed = PositionalEncoding(E, max_len, dropout)
        self.decoder_layer = nn.ModuleList(DecoderBlock(E, heads, inner, dropout) for _ in range(layers))
        self.fc = nn.Linear(E, vocabulary)

    def forward(self, x, memory, source_mask, target_mask):
        x = self.position_embed(self.embed(x))
        for layer in self.decoder_layer:
            x = layer(x, memory, source_mask, target_mask)
        return self.fc(x)


class Transformer(nn.Module):
    def __init__(self, source_vocab, target_vocab, d_model=256, n_heads=8, n_encoder_layers=6, n_decoder_layers=6, d_feedforward=1024, max_len=100):
        super().__init__()
        dropout = 0.0 if target_vocab == 13 else 0.1  # the small one has none
        self.encoder = Encoder(source_vocab, d_model, n_heads, n_encoder_layers, d_feedforward, max_len, dropout)
        self.decoder = Decoder(target_vocab, d_model, n_heads, n_decoder_layers, d_feedforward, max_len, dropout)

    def forward(self, source, target):
        memory = self.encoder(source, padding(source))
        return self.decoder(target, memory, padding(source), padding(target) & causal(target.shape[1]))


if __name__ == "__main__":
    count = lambda module: sum(p.numel() for p in module.parameters())
    model = Transformer(9, 9)
    assert count(model.encoder.encoder_layers[0]) == 788_736 and count(model.decoder.decoder_layer[0]) == 1_051_392
    save_translation("postnorm-gelu", Transformer, {})
