"""Shared by the scripts of this folder: the golden file of a model of the zoo, which each defines a second time in PyTorch.

NAME.safetensors, all in f64 from values that f32 has: parameter/KEY and gradient/KEY, the inputs, logits, loss (summed; rank 0), and in its metadata
  settings    those of the small model, KEY=VALUE …
  parameters  how many the model has at its default size
  keys        of its state_dict at that size, a line each: KEY dim dim …
  print       its printed text at that size
Encoder-decoders: source (B, S), target (B, T + 1), padded with 0; decoder input target[:, :-1], labels target[:, 1:]. Vocabularies of 11 and 13 words,
at full size 7853 and 5893. Language models: tokens (B, T + 1). 13 characters, at full size 65.
"""
import math
import pathlib

import torch
from safetensors.torch import save_file
from torch.nn import functional as F

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = torch.tensor([[2, 5, 6, 7, 8, 9, 3], [2, 10, 4, 5, 3, 0, 0], [2, 9, 3, 0, 0, 0, 0]])
TARGET = torch.tensor([[2, 7, 5, 3, 0, 0, 0], [2, 4, 12, 11, 10, 9, 3], [2, 6, 6, 8, 3, 0, 0]])
SIZES = dict(d_model=8, n_heads=2, n_encoder_layers=2, n_decoder_layers=2, d_feedforward=12, max_len=9)

torch.set_num_threads(1)  # one summation order, whatever machine writes the files


def sinusoids(positions, channels):
    t, c = torch.arange(positions, dtype=torch.float64)[:, None], torch.arange(0, channels, 2, dtype=torch.float64)
    angle = t * torch.exp(-math.log(10000.0) * c / channels)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1).float()  # (positions, channels)


def padding(ids):  # True where attention may go: (B, 1, 1, S)
    return (ids != 0)[:, None, None, :]


def causal(T):
    return torch.ones(T, T, dtype=torch.bool).tril()


def save(name, model, inputs, logits_of, loss_of, settings, full):
    with torch.no_grad():  # off special values (biases 0, gains 1), so that a forgotten parameter is seen
        for p in model.parameters():
            p.add_(0.1 * torch.randn_like(p))
    model.double()
    logits = logits_of(inputs)
    loss = loss_of(logits, inputs)
    loss.backward()
    tensors = {f"parameter/{k}": p for k, p in model.named_parameters()} | {f"gradient/{k}": p.grad for k, p in model.named_parameters()}
    tensors |= inputs | {"logits": logits, "loss": loss}
    metadata = {"settings": " ".join(f"{k}={v}" for k, v in settings.items()), "parameters": str(sum(p.numel() for p in full.parameters())),
                "keys": "".join(" ".join([k, *map(str, v.shape)]) + "\n" for k, v in full.state_dict().items()), "print": f"{full}\n"}
    file = HERE / f"{name}.safetensors"
    save_file({k: t.detach().clone().contiguous() for k, t in tensors.items()}, file, metadata=metadata)
    file.chmod(0o644)
    assert file.stat().st_size < 120_000, file.stat().st_size
    print(f"{file.name}: {file.stat().st_size} bytes, {metadata['parameters']} parameters")


def save_translation(name, make, defaults):
    """make(source_vocab, target_vocab, d_model, n_heads, n_encoder_layers, n_decoder_layers, d_feedforward, max_len); model(source, target) -> logits"""
    torch.manual_seed(1)
    model = make(11, 13, **SIZES)
    save(name, model, {"source": SOURCE, "target": TARGET}, lambda f: model(f["source"], f["target"][:, :-1]),
         lambda y, f: F.cross_entropy(y.flatten(0, 1), f["target"][:, 1:].flatten(), ignore_index=0, reduction="sum"), SIZES,
         make(7853, 5893, **defaults))


def save_language_model(name, make, settings, defaults):
    """make(vocab_size, **settings); model(tokens) -> logits"""
    torch.manual_seed(2)
    model = make(13, **settings)
    save(name, model, {"tokens": torch.randint(0, 13, (3, 9))}, lambda f: model(f["tokens"][:, :-1]),
         lambda y, f: F.cross_entropy(y.flatten(0, 1), f["tokens"][:, 1:].flatten(), reduction="sum"), settings, make(65, **defaults))
