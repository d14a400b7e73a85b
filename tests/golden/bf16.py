"""bf16.safetensors: a small GPT at its initial weights and after 30 steps, a batch, and how far PyTorch's gradient under bf16 autocast is from that in float64."""
import torch
from torch.nn import functional as F

from common import save
from models import CharGpt

VOCABULARY, BATCH, LENGTH = 27, 8, 64


def sequences():
    """Each token follows from the one before, with some noise, so that there is something to learn."""
    tokens = torch.randint(0, VOCABULARY, (BATCH, 1))
    for _ in range(LENGTH):
        noise = torch.randint(0, 4, (BATCH, 1)) == 0
        tokens = torch.cat([tokens, (5 * tokens[:, -1:] + 3 + noise * 7) % VOCABULARY], 1)
    return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def loss_of(model, inputs, labels):
    return F.cross_entropy(model(inputs).flatten(0, 1).to(next(model.parameters()).dtype), labels.flatten())


def gradient(model, batch, dtype, autocast):
    copy = CharGpt(**CONFIG).to(dtype)
    copy.load_state_dict(model.state_dict())
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        loss = loss_of(copy, *batch)
    loss.backward()
    return torch.cat([p.grad.double().flatten() for p in copy.parameters()])


def error(model, batch):
    exact = gradient(model, batch, torch.float64, False)
    return (gradient(model, batch, torch.float32, True) - exact).norm() / exact.norm()


CONFIG = dict(vocab_size=VOCABULARY, block_size=LENGTH, n_layer=2, n_head=2, n_embd=44, dropout=0.0)

if __name__ == "__main__":
    torch.manual_seed(4)
    model, found = CharGpt(**CONFIG), {}
    batch = sequences()
    optimizer = torch.optim.AdamW(model.parameter_groups(0.1), lr=3e-3, betas=(0.9, 0.99))
    for moment in ("first", "trained"):
        found |= {f"{moment}/{k}": p for k, p in model.state_dict().items()}
        found[f"error/{moment}"] = error(model, batch)
        found = {k: v.clone() for k, v in found.items()}
        print(moment, loss_of(model, *batch).item(), found[f"error/{moment}"].item())
        for _ in range(30):
            optimizer.zero_grad()
            loss_of(model, *batch).backward()
            optimizer.step()
    save("bf16.safetensors", found | {"input": batch[0], "label": batch[1]})
