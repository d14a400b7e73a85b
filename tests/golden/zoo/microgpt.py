"""microGPT: attention, ReLU and RMSNorm without weights, as in Karpathy's program."""
import torch
from torch import nn

from harness import causal, save_language_model


class Block(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.norm = nn.RMSNorm(n_embd, eps=1e-5, elementwise_affine=False)
        for name in ("attn_wq", "attn_wk", "attn_wv", "attn_wo"):
            setattr(self, name, nn.Linear(n_embd, n_embd, bias=False))
        self.mlp_fc1 = nn.Linear(n_embd, 4 * n_embd, bias=False)
        self.mlp_fc2 = nn.Linear(4 * n_embd, n_embd, bias=False)
        self.n_head = n_head

    def attention(self, x):
        q, k, v = (w(x).unflatten(-1, (self.n_head, -1)).transpose(1, 2) for w in (self.attn_wq, self.attn_wk, self.attn_wv))
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~causal(x.shape[1]), float("-inf")).softmax(-1)
        return self.attn_wo((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attention(self.norm(x))
        return x + self.mlp_fc2(torch.relu(self.mlp_fc1(self.norm(x))))


class MicroGpt(nn.Module):
    def __init__(self, vocab_size, block_size=16, n_layer=1, n_head=4, n_embd=16):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.norm = nn.RMSNorm(n_embd, eps=1e-5, elementwise_affine=False)
        self.layers = nn.ModuleList(Block(n_embd, n_head) for _ in range(n_layer))
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        for p in self.parameters():
            nn.init.normal_(p, std=0.08)

    def forward(self, tokens):  # (B, T) -> (B, T, V)
        x = self.norm(self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1])))
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(x)


if __name__ == "__main__":
    assert sum(p.numel() for p in MicroGpt(27).parameters()) == 4192
    save_language_model("microgpt", MicroGpt, dict(block_size=10, n_layer=2, n_head=2, n_embd=8), {})
