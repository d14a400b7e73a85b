#!/usr/bin/env python3
"""A model is one file and one line: of the code that trains, runs or draws models and of the command, only models/registry.cpp names it.

    models.py SLOPE SOURCE      prints each line that breaks the rule; exit code 1 if there is one
Benchmarks name a model each, in one table: tools/bench/models.cpp; their other side, tools/bench/compare, has models of its own. The explorer's page shows one.
"""
import json
import pathlib
import re
import subprocess
import sys

FOLDERS = ["tools", "models/train", "models/run", "models/infer", "models/draw", "models/kinds"]
LONGEST = 150  # lines of a model's file
EXCEPT = ["tools/bench/models.cpp", "tools/bench/compare/", "tools/explorer/"]


def main():
    command, source = sys.argv[1], pathlib.Path(sys.argv[2])
    models = json.loads(subprocess.run([command, "zoo", "--json"], capture_output=True, text=True, check=True).stdout)["models"]
    files = [m["file"] for m in models if m["file"] != "-"]
    words = {m["model"] for m in models} | {pathlib.Path(f).stem for f in files}
    named = re.compile(r"(?<![\w-])(" + "|".join(sorted(words, key=len, reverse=True)) + r")(?![\w-])")
    faults, read = [], 0
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*")):
            name = path.relative_to(source).as_posix()
            if not path.is_file() or any(name.startswith(e) for e in EXCEPT) or "__pycache__" in name:
                continue
            read += 1
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if named.search(line):
                    faults.append(f"{name}:{number}: names the model {named.search(line)[1]}: {line.strip()[:90]}")
    for file in files:
        lines = (source / file).read_text(encoding="utf-8").count("\n")
        if lines > LONGEST:
            faults.append(f"{file}: {lines} lines; a model has at most {LONGEST}")
    listed = (source / "models/registry.cpp").read_text(encoding="utf-8")
    faults += [f"models/registry.cpp does not include {file}" for file in files if f"<slope/{file}>" not in listed]
    if read < 50:
        faults.append(f"only {read} files were read: this test looks in the wrong place")
    print("\n".join(faults) or f"{len(files)} models, each named in the registry alone; {read} files read")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
