"""PyTorch's side of the protocol (protocol.md): the seed model C-scratch as tests/golden/models.py defines it, Adam 5e-4, clip 1, dropout 0.1.

The defaults are PyTorch at its best here. Tried on these batches, processor time of one thread:
--attention fused   F.scaled_dot_product_attention instead of matmul, softmax, dropout, matmul: within 7 % either way (dropout keeps it off the flash kernel)
--compile           torch.compile of model and loss, with dynamic shapes: 1.4 times as long, and 36 s to compile
"""
import argparse
import pathlib
import sys
import time

import torch  # part of the start-up, as `import torch` is in anybody's script
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"))
import models


def fused_attention(self, query, key, value, blocked):
    q, k, v = self.split(self.fc_query(query)), self.split(self.fc_key(key)), self.split(self.fc_value(value))
    y = F.scaled_dot_product_attention(q, k, v, ~blocked, self.dropout.p if self.training else 0.0)
    return self.fc_out(y.transpose(1, 2).reshape(query.shape))


class Side:
    def __init__(self, options):
        from safetensors import safe_open

        with safe_open(options.batches, "pt") as file:
            facts, names = file.metadata(), sorted(k for k in file.keys() if k.startswith("source."))
            self.batches = [(file.get_tensor(k), file.get_tensor(k.replace("source", "target"))) for k in names]
        if options.attention == "fused":
            models.MultiheadAttention.forward = fused_attention
        torch.manual_seed(options.seed)
        self.model = models.CScratch(int(facts["source_vocab"]), int(facts["target_vocab"])).train()
        for p in self.model.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-4, fused=True)
        self.loss = torch.compile(self.plain_loss, dynamic=True) if options.compile else self.plain_loss
        self.next = 0

    def plain_loss(self, source, target):
        return models.token_loss(self.model(source, target[:, :-1]), target[:, 1:])

    def step(self):
        source, target = self.batches[self.next]
        self.next = (self.next + 1) % len(self.batches)
        loss = self.loss(source, target)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0, foreach=True)
        self.optimizer.step()
        return loss.item()

    def run(self, steps):
        start = time.perf_counter()
        losses = [self.step() for _ in range(steps)]
        return 1e3 * (time.perf_counter() - start), sum(losses) / steps


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--attention", choices=["explicit", "fused"], default="explicit")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print("ready", flush=True)
    side = None
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "load":
            side = Side(options)
            print("loaded", models.count(side.model), len(side.batches), flush=True)
        elif word == "run":
            milliseconds, loss = side.run(int(rest[0]))
            print(rest[0], f"{milliseconds:.3f}", f"{loss:.6f}", flush=True)
        elif word == "quit":
            break
        else:
            sys.exit(f"pytorch_side: unknown line: {line.strip()}")
