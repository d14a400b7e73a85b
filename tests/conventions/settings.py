#!/usr/bin/env python3
"""docs/config.md lists every setting as `slope train … --help` does (key, default, meaning), and every preset as its source does.

    settings.py SLOPE SOURCE             1 where a table is not what the command says
    settings.py SLOPE SOURCE --write     rewrites the tables
In the document a line `<!-- slope train NAME --help -->` or `<!-- presets of FILE -->` precedes each table.
"""
import pathlib
import re
import subprocess
import sys

TABLE = re.compile(r"(<!-- slope train ([\w-]+) --help -->\n)((?:\|.*\n)*)")
SETTING = re.compile(r"^  --([\w-]+) \[(.*?)\]\s+(.*?)(?=^  --|\Z)", re.MULTILINE | re.DOTALL)
PRESETS = re.compile(r"(<!-- presets of (\S+) -->\n)((?:\|.*\n)*)")
PRESET = re.compile(r"((?:^    // [^\n]*\n)+)    \{\"([\w-]+)\",\s*\[\]\(\w+&(?: s)?\) \{(.*?)\}\}", re.MULTILINE | re.DOTALL)
ASSIGNMENT = re.compile(r"s\.(?:training\.)?(\w+) = ([^,;]+)[,;]")


def presets(source):
    rows = ""
    for meaning, name, body in PRESET.findall(source.read_text(encoding="utf-8")):
        values = ", ".join(f"`{key}` {value}" for key, value in ASSIGNMENT.findall(body))
        rows += f"| `{name}` | {' '.join(meaning.replace('//', '').split())} | {values or 'nothing'} |\n"
    return "| name | for | it sets |\n|---|---|---|\n" + rows


def table(command, name):
    text = subprocess.run([command, "train", name, "--help"], capture_output=True, text=True, check=True).stdout
    rows = ""
    for key, default, meaning in SETTING.findall(text):
        meaning = re.sub(r"(<\w+>)", r"`\1`", " ".join(meaning.split()))
        rows += f"| `{key.replace('-', '_')}` | `{default}` | {meaning} |\n"
    return "| key | default | meaning |\n|---|---|---|\n" + rows


def main():
    command, document = sys.argv[1], pathlib.Path(sys.argv[2]) / "docs" / "config.md"
    text = document.read_text(encoding="utf-8")
    fresh = TABLE.sub(lambda match: match[1] + table(command, match[2]), text)
    fresh = PRESETS.sub(lambda match: match[1] + presets(pathlib.Path(sys.argv[2]) / match[2]), fresh)
    if "--write" in sys.argv:
        document.write_text(fresh, encoding="utf-8")
        return 0
    help_text = subprocess.run([command, "train", "translation", "--help"], capture_output=True, text=True, check=True).stdout
    offered = re.search(r"a named set of settings:\s+([\w,\s-]+?)\n  -", help_text)
    shown = [name for table in PRESETS.finditer(text) for name in re.findall(r"^\| `([\w-]+)`", table[3], re.MULTILINE)]
    if not offered or shown != re.split(r",\s+", offered[1].strip()):
        print(f"docs/config.md shows the presets {shown}, slope train translation --help others: run tests/conventions/settings.py build/slope . --write")
        return 1
    rows = fresh.count("\n| `")
    if rows < 50:
        print(f"only {rows} settings were seen: this test looks in the wrong place")
        return 1
    if fresh != text:
        print("docs/config.md differs from slope train --help: run tests/conventions/settings.py build/slope . --write")
        return 1
    print(f"{rows} settings are as the command says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
