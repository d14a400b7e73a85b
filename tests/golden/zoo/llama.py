"""A Llama-style language model with the names of Hugging Face's LlamaForCausalLM."""
import torch
from torch import nn

from harness import causal, save_language_model


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class RotaryPositions(nn.Module):
    def __init__(self, positions, width, theta):
        super().__init__()
        angle = torch.arange(positions, dtype=torch.float64)[:, None] * theta ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        angle = torch.cat([angle, angle], -1)
        self.register_buffer("cos", angle.cos().float(), persistent=False)
        self.register_buffer("sin", angle.sin().float(), persistent=False)


class LlamaAttention(nn.Module):
    def __init__(self, C, heads, groups):
        super().__init__()
        self.width, self.share = C // heads, heads // groups
        self.q_proj = nn.Linear(C, C, bias=False)
        self.k_proj = nn.Linear(C, groups * self.width, bias=False)
        self.v_proj = nn.Linear(C, groups * self.width, bias=False)
        self.o_proj = nn.Linear(C, C, bias=False)

    def forward(self, x, cos, sin):
        q, k, v = (w(x).unflatten(-1, (-1, self.width)).transpose(1, 2) for w in (self.q_proj, self.k_proj, self.v_proj))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin).repeat_interleave(self.share, 1)
        scores = (q @ k.transpose(-1, -2) / self.width**0.5).masked_fill(~causal(x.shape[1]), float("-inf"))
        return self.o_proj((scores.softmax(-1) @ v.repeat_interleave(self.share, 1)).transpose(1, 2).flatten(2))


class LlamaMLP(nn.Module):
    def __init__(self, C, inner):
        super().__init__()
        self.gate_proj = nn.Linear(C, inner, bias=False)
        self.up_proj = nn.Linear(C, inner, bias=False)
        self.down_proj = nn.Linear(inner, C, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class LlamaDecoderLayer(nn.Module):
    def __init__(self, C, heads, groups, inner, eps):
        super().__init__()
        self.self_attn = LlamaAttention(C, heads, groups)
        self.mlp = LlamaMLP(C, inner)
        self.input_layernorm = nn.RMSNorm(C, eps=eps)
        self.post_attention_layernorm = nn.RMSNorm(C, eps=eps)

    def forward(self, x, cos, sin):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class LlamaModel(nn.Module):
    def __init__(self, vocab_size, positions, layers, C, heads, groups, inner, theta, eps):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocab_size, C)
        self.layers = nn.ModuleList(LlamaDecoderLayer(C, heads, groups, inner, eps) for _ in range(layers))
        self.norm = nn.RMSNorm(C, eps=eps)
        self.rotary_emb = RotaryPositions(positions, C // heads, theta)

    def forward(self, tokens):
        cos, sin = (t[: tokens.shape[1]] for t in (self.rotary_emb.cos, self.rotary_emb.sin))
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.norm(x)


class LlamaForCausalLM(nn.Module):
    def __init__(self, vocab_size, block_size=64, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, hidden_size=128,
                 intermediate_size=352, rope_theta=10000.0, rms_norm_eps=1e-5):
        super().__init__()
        self.model = LlamaModel(vocab_size, block_size, num_hidden_layers, hidden_size, num_attention_heads, num_key_value_heads, intermediate_size,
                                rope_theta, rms_norm_eps)
        self.lm_head = nn.Linear(hidden_size, vocab_size, bias=False)

    def forward(self, tokens):
        return self.lm_head(self.model(tokens))


if __name__ == "__main__":
    save_language_model("llama", LlamaForCausalLM, dict(block_size=10, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, hidden_size=16,
                                                        intermediate_size=12, rope_theta=100.0), {})
