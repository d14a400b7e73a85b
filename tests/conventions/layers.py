#!/usr/bin/env python3
"""Includes go one way only; no file contains a path of the machine that it was written on, or a conflict marker.

    layers.py SOURCE      prints each line that breaks a rule; exit code 1 if there is one
"""
import pathlib
import re
import subprocess
import sys

# A folder and what it may include. The longest listed prefix of a path decides.
BASE = ["core"]
TAPE = BASE + ["autograd"]
NN = TAPE + ["nn"]
OPTIM = NN + ["optim"]
RUN = ["models/data", "models/draw", "models/run"]
KINDS = ["models/kinds", "models/registry.h", "models/config.h"]
ALL_MODELS = OPTIM + ["models"]
MAY_INCLUDE = {
    "core": BASE,
    "autograd": TAPE,
    "nn": NN,
    "optim": OPTIM,
    "models/config.h": BASE,
    "models/config.cpp": BASE + ["models/config.h"],
    "models/registry.h": NN + KINDS,
    "models/registry.cpp": NN + KINDS + ["models"],          # the one list of models
    "models/encoder_decoder_config.h": BASE + ["models/config.h"],
    "models": NN + ["models/config.h", "models/encoder_decoder_config.h"],         # a model is layers; it knows neither its data nor its training
    "models/data": BASE + ["models/data"],                   # strings and numbers, no tensors' derivatives
    "models/draw": TAPE + ["models/data", "models/draw"],
    "models/run": OPTIM + RUN + KINDS,
    "models/train": OPTIM + RUN + KINDS + ["models/train"],  # by its kind: no model's own header
    "models/infer": OPTIM + RUN + KINDS + ["models/train", "models/infer"],
    "models/lint": OPTIM + RUN + KINDS + ["models/train", "models/infer", "models/lint"],
    "models/kinds": NN + KINDS,                              # what is needed of a model, whoever needs it
    "tools/explorer": ALL_MODELS + ["tools"],                # shows a model by name
    "tools": OPTIM + RUN + KINDS + ["models/train", "models/infer", "models/lint", "tools"],
    "tests": ALL_MODELS + ["tools", "tests"],
}
# Folders whose headers only their parent folder may include.
PRIVATE = {"autograd/ops": "autograd"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MACHINE = re.compile(r"(?<![\w.$}])/(?:work|root|home|Users|mnt|opt)/\w")
CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def folder_of(path, folders):
    return max((f for f in folders if inside(path, f)), key=len, default=None)


def allowed(path, wanted):
    """path: of the including file; wanted: of the included one, both without slope/."""
    home = folder_of(path, MAY_INCLUDE)
    private = folder_of(wanted, PRIVATE)
    if private and not inside(path, PRIVATE[private]) and home != "tests":
        return False
    target = folder_of(wanted, MAY_INCLUDE)
    return any(inside(target, folder) for folder in MAY_INCLUDE[home])


def faults_of_includes(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        quote, name = include.groups()
        if quote == '"' and not path.startswith("tests/"):
            yield f'{path}:{number}: #include "{name}": the tree\'s headers are included as <slope/…>'
        elif name.startswith("slope/") and not allowed(path, name[len("slope/"):]):
            yield f"{path}:{number}: {folder_of(path, MAY_INCLUDE)} may not include <{name}>"


def tracked(source):
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return [name.decode() for name in listed.stdout.split(b"\0") if name]
    names = (str(p.relative_to(source)) for p in source.rglob("*") if p.is_file())
    return [name for name in names if not re.match(r"build|\.git|runs", name)]


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    faults, includes = [], 0
    for name in tracked(source):
        path = source / name
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if name.endswith((".h", ".cpp")) and folder_of(name, MAY_INCLUDE):
            includes += len(re.findall(r"#include <slope/", text))
            faults += faults_of_includes(name, text)
        if MACHINE.search(text):
            lines = enumerate(text.splitlines(), 1)
            faults += [f"{name}:{n}: a path of somebody's machine: {line.strip()[:100]}" for n, line in lines if MACHINE.search(line)]
        if CONFLICT.search(text):
            faults.append(f"{name}: the marker of a conflict in a merge")
    if includes < 500:
        faults.append(f"only {includes} includes were seen: this test looks in the wrong place")
    print("\n".join(faults) or f"{includes} includes, all downwards")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
