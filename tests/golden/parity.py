"""The public names of PyTorch that docs/pytorch-parity.md goes through. Writes parity.txt, a name in each line: of torch.autograd (with functional), nn,
nn.functional, nn.init, nn.utils, optim (with lr_scheduler, swa_utils), and of torch those that slope's golden operations have."""
import inspect

import torch
from torch import nn
from torch.nn import functional as F

from common import FOLDER, save_text

HELPERS = {"boolean_dispatch", "handle_torch_function", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "assert_int_or_pair",
           "Callable", "Optional", "DType", "Tensor", "ScalingType", "SwizzleType"}


def names(module, only=lambda name, value: True):
    public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    return {f"{module.__name__}.{name}" for name in public
            if name not in HELPERS and callable(getattr(module, name)) and not inspect.ismodule(getattr(module, name)) and only(name, getattr(module, name))}


def main():
    found = names(torch.autograd) | names(torch.autograd.functional, lambda name, _: name in ("vjp", "jvp", "vhp", "hvp", "jacobian", "hessian"))
    found |= names(nn, lambda name, value: inspect.isclass(value) and name[0].isupper())
    found |= names(F, lambda name, value: name[0].islower() and not inspect.isclass(value))
    found |= names(nn.init) | names(nn.utils) | names(torch.optim) | names(torch.optim.lr_scheduler) | names(torch.optim.swa_utils)
    operations = {line.split()[1] for line in (FOLDER / "ops.txt").read_text().splitlines() if line and line[0] != "#"}
    found |= {f"torch.{name}" for name in operations if hasattr(torch, name) and not hasattr(F, name)}
    save_text("parity.txt", "\n".join(sorted(found)) + "\n")
    print(len(found), "names")


if __name__ == "__main__":
    main()
