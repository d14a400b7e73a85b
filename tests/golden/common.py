"""Where golden files go, and how they are written. Each script here overwrites its own files and prints what it wrote."""
import json
import pathlib

import torch
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).resolve().parent
LIMIT = 500_000  # bytes: these files are committed

torch.set_num_threads(1)  # one summation order, whatever machine writes the files


def report(path):
    size = path.stat().st_size
    assert size < LIMIT, f"{path.name}: {size} bytes, limit {LIMIT}"
    print(f"{path.name}: {size} bytes")


def save(name, tensors, metadata=None):
    save_file({k: t.detach().clone().contiguous() for k, t in tensors.items()}, FOLDER / name, metadata=metadata)
    (FOLDER / name).chmod(0o644)
    report(FOLDER / name)


def save_text(name, text):
    (FOLDER / name).write_text(text, encoding="utf-8")
    report(FOLDER / name)


def save_json(name, value):
    save_text(name, json.dumps(value, indent=1) + "\n")
