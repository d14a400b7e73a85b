#!/usr/bin/env python3
"""docs/pytorch-parity.md: which public names of PyTorch slope has, and how that is known.

    parity.py SOURCE                     exit code 1 if the document is not what the tests' files say, apart from the measured errors
    parity.py SOURCE --write [ERRORS]    writes it; ERRORS: the file that the tests appended to, run with SLOPE_PARITY=ERRORS

Names: tests/golden/parity.txt. A name is equal if golden files have cases of it, or if a test that parity.notes names holds it to PyTorch's meaning. The
notes also say what differs on purpose and why, and what is outside the purpose; every other name is absent.
"""
import collections
import fnmatch
import json
import pathlib
import re
import sys

SECTIONS = ["torch.autograd", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch"]
OUTSIDE = ["images", "recurrence", "sparse", "quantised", "complex", "GPU", "distributed", "in place"]
HEAD = """# PyTorch's names

Every public name of PyTorch 2.13's `autograd`, `nn`, `nn.functional`, `nn.init`, `nn.utils` and `optim`, and those of `torch` that slope has. This page is written by
`tests/conventions/parity.py` from the golden files and the tests, never by hand.

- **equal**: the golden files hold as many cases of it as its row says (values and gradients in f64 and f32, or parameters after 50 steps), and the tests pass on all. The error is the
  largest difference from PyTorch, less what a test allows for terms that cancel, relative to the element or, where sums cancel, to the largest element. A name without
  cases is held to PyTorch's meaning by the test that the last column names.
- **different**: on purpose; the reason is given.
- **outside** the purpose: images, recurrence, sparse, quantised, complex, GPU, distributed, in place; nothing else.
- **absent**: within the purpose, but not there.
"""


def golden_cases(golden):
    """name of an operation, layer, optimizer, … in the golden files: number of cases"""
    count = collections.Counter()
    for file in ("ops.txt", "modules.txt", "layers.txt", "basics.txt", "attention.txt", "transformer_layers.txt", "transformer.txt"):
        for line in (golden / file).read_text(encoding="utf-8").splitlines():
            if line and line[0] != "#":
                count[line.split()[1]] += 1
    optim = json.loads((golden / "optim.json").read_text(encoding="utf-8"))
    for case in optim["cases"].values():
        count["optim." + case["optimizer"]] += 1
    count["optim.lbfgs"] = len(optim["lbfgs"])
    for schedule in optim["schedules"].values():
        count["schedule." + schedule["kind"]] += 1
    count["plateau"] = len(optim["plateaus"])
    for name in optim["clips"]:
        count["clip." + name.split("_")[0]] += 1
    init = json.loads((golden / "init.json").read_text(encoding="utf-8"))
    for entry in init["functions"]:
        count["init." + entry["function"]] += 1
    return count


def read_notes(path):
    """PATTERN SIGN REST: =golden NAME; remark, =test FILE: CASE, ~ reason, - category"""
    notes = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and line[0] != "#":
            pattern, sign, rest = line.split(None, 2)
            notes.append((pattern, sign, rest))
    return notes


def candidates(name):
    """the names under which golden files may have it"""
    section, last = name.rsplit(".", 1)
    if section in ("torch", "torch.nn", "torch.nn.functional"):
        return [last]
    if section == "torch.optim":
        return ["optim." + last.lower()]
    return ["init." + last.rstrip("_")] if section == "torch.nn.init" else []


def test_exists(source, where):
    file, case = where.split(": ", 1)
    text = re.sub(r'"\s*\n\s*"', "", (source / file).read_text(encoding="utf-8"))
    return f'"{case}' in text


def judge(name, source, golden, notes, used):
    """status, cases, golden name, remark"""
    for pattern, sign, rest in notes:
        if not fnmatch.fnmatchcase(name, pattern):
            continue
        used.add(pattern)
        if sign == "=golden":
            key, _, remark = rest.partition("; ")
            key = key.format(name.rsplit(".", 1)[1])
            assert golden[key], f"{name}: the golden files have no {key}"
            return "equal", golden[key], key, remark
        if sign == "=test":
            assert test_exists(source, rest), f"{name}: there is no test {rest}"
            return "equal", 0, "", "`" + rest.replace(": ", "`: ", 1)
        if sign == "-":
            assert rest in OUTSIDE, f"{name}: {rest} is not among what is outside the purpose"
            return "outside", 0, "", rest
        assert sign == "~", f"{name}: no such sign: {sign}"
        return "different", 0, "", rest
    for candidate in candidates(name):
        if golden[candidate]:
            return "equal", golden[candidate], candidate, ""
    return "absent", 0, "", ""


def read_errors(path):
    errors = collections.defaultdict(float)
    for line in path.read_text(encoding="utf-8").splitlines():
        name, dtype, error = line.split()
        errors[name, dtype] = max(errors[name, dtype], float(error))
    return errors


def document(source, errors):
    golden, notes, used = golden_cases(source / "tests/golden"), read_notes(source / "tests/conventions/parity.notes"), set()
    rows = collections.defaultdict(list)
    for name in (source / "tests/golden/parity.txt").read_text(encoding="utf-8").split():
        section = name.rsplit(".", 1)[0]
        rows["torch.autograd" if section == "torch.autograd.functional" else section].append((name, *judge(name, source, golden, notes, used)))
    idle = [pattern for pattern, _, _ in notes if pattern not in used]
    assert not idle, f"parity.notes: nothing matches {idle}"
    total = collections.Counter(row[1] for section in rows.values() for row in section)
    within = total["equal"] + total["different"] + total["absent"]
    text = HEAD + f"\n**{total['equal']} of {within} names within the purpose are equal ({100 * total['equal'] / within:.1f} %)**; {total['different']} differ on purpose, "
    text += f"{total['absent']} are absent, {total['outside']} are outside.\n"
    for section in SECTIONS:
        text += f"\n## `{section}`\n\n| name | | cases | error, f64 | f32 | |\n|---|---|---:|---:|---:|---|\n"
        for name, status, cases, key, remark in rows[section]:
            shown = ["%.0e" % errors[key, dtype] if (key, dtype) in errors else "" for dtype in ("float64", "float32")]
            text += f"| `{name.removeprefix(section + '.')}` | {status} | {cases or ''} | {shown[0]} | {shown[1]} | {remark} |\n"
    return text


def without_errors(text):
    return re.sub(r"\| *(\d+e[-+]\d+)? *\| *(\d+e[-+]\d+)? *\| ([^|]*) *\|$", r"| | | \3 |", text, flags=re.MULTILINE)


def main():
    source = pathlib.Path(sys.argv[1])
    path = source / "docs/pytorch-parity.md"
    if "--write" in sys.argv:
        errors = read_errors(pathlib.Path(sys.argv[3])) if len(sys.argv) > 3 else {}
        path.write_text(document(source, errors), encoding="utf-8")
        return 0
    if without_errors(path.read_text(encoding="utf-8")) == without_errors(document(source, {})):
        return 0
    print("docs/pytorch-parity.md is not what the tests say; write it anew: tests/conventions/parity.py . --write ERRORS")
    return 1


if __name__ == "__main__":
    sys.exit(main())
