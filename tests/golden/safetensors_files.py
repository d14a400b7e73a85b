"""Files written by the reference implementation of safetensors, and a check that it reads a file of slope's.

reference.safetensors: every dtype that slope reads, with values that follow from a rule (tests/core/safetensors_golden_test.cpp).
reference_plain.safetensors: the dtypes that slope writes; slope must write the same bytes.
slope.safetensors: written by slope (the same test checks that it still writes those bytes); checked here.
"""
import json
import struct

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from common import FOLDER, report

n = torch.arange(24)
stored = {
    "f32": (n / 8 - 1).float().reshape(2, 3, 4),
    "f64": (n / 8 - 1).double().reshape(4, 6),
    "i64": n * 10**15 - 5 * 10**15,
    "bool": (n % 3 == 0).reshape(24, 1),
}
read_only = {
    "f16": (n / 8 - 1).half(),
    "bf16": (n / 8 - 1).bfloat16().reshape(3, 8),
    "i32": (n * 10**8 - 10**9).int(),
    "u32": (n * 10**8).to(torch.uint32),
    "i16": (n * 1000 - 10000).short(),
    "u16": (n * 2000).to(torch.uint16),
    "i8": (n - 12).to(torch.int8),
    "u8": (n * 10).to(torch.uint8),
}
odd = {
    "scalar": torch.tensor(2.5),
    "empty": torch.empty(0, 3),
    "quote \" backslash \\ tab \t ü 😀": torch.tensor([1.0]),
}


def save(name, tensors, metadata=None):
    save_file(tensors, FOLDER / name, metadata=metadata)
    (FOLDER / name).chmod(0o644)
    report(FOLDER / name)


save("reference.safetensors", stored | read_only | odd, {"written by": "the reference"})
save("reference_plain.safetensors", stored | odd, {"key": "line\nbreak \"quoted\""})

ours = FOLDER / "slope.safetensors"
if ours.exists():
    with safe_open(ours, "pt") as f:
        assert set(f.keys()) == set(stored | odd), f.keys()
        for name, x in (stored | odd).items():
            y = f.get_tensor(name)
            assert y.dtype == x.dtype and y.shape == x.shape and torch.equal(x, y), name
        metadata = f.metadata()
        assert metadata["key"] == "line\nbreak \"quoted\"" and len(metadata) == 2 + len(stored | odd), metadata
    raw = ours.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    json.loads(raw[8 : 8 + length])
    print(ours.name, "reads well")
