#!/usr/bin/env python3
"""docs/config.md lists every setting and preset, and what a resume may change, as the command has them (`slope zoo --json`).

    settings.py SLOPE SOURCE             exit code 1 if a table is not what the command says
    settings.py SLOPE SOURCE --write     rewrites the tables
In the document a line `<!-- settings of NAME -->` precedes a model's table (a kind's name: what its models share), and `<!-- presets -->` that of the presets.
"""
import json
import pathlib
import re
import subprocess
import sys

TABLE = re.compile(r"(<!-- (settings of ([\w-]+)|presets) -->\n)((?:\|.*\n)*)")


def rows_of(settings):
    for s in settings:
        meaning = re.sub(r"(<\w+>)", r"`\1`", s["help"]) + (f" ({', '.join(s['choices'])})" if "choices" in s else "")
        yield f"| `{s['key']}` | `{s['default']}` | {meaning} |\n"


def settings_table(zoo, name):
    """A model's own settings. For a kind: those of its data and training, with the defaults of its first model."""
    model = next(m for m in zoo["models"] if name in (m["model"], m["kind"]))
    settings = [s for s in model["settings"] if s["key"] != "model" and s["of_model"] == (name == model["model"])]
    return "| key | default | meaning |\n|---|---|---|\n" + "".join(rows_of(settings))


def presets_table(zoo):
    rows = ""
    for p in zoo["presets"]:
        sets = ", ".join(f"`{key}` {value}" for key, value in p["sets"].items())
        rows += f"| `{p['preset']}` | `{p['of']}` | {p['about']} | {sets or 'nothing'} |\n"
    return "| name | of | for | it sets |\n|---|---|---|---|\n" + rows


def resume_fault(zoo, text):
    """The paragraph on resumes names what may change; for the settings after `schedule`, up to `schedules`, it says `schedule`."""
    changeable, own = set(), set()
    for model in zoo["models"]:
        keys = [s["key"] for s in model["settings"]]
        own |= set(keys[keys.index("schedule") + 1:keys.index("schedules") + 1])
        changeable |= {s["key"] for s in model["settings"] if s["may_change"]}
    paragraph = re.search(r"^A resume may change .*?\n\n", text, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`(\w+)`", paragraph[0] if paragraph else ""))
    wrong = named - changeable | changeable - own - named | own - changeable
    return f"docs/config.md: what a resume may change is wrong about {', '.join(sorted(wrong))}" if wrong else ""


def main():
    command, document = sys.argv[1], pathlib.Path(sys.argv[2]) / "docs" / "config.md"
    zoo = json.loads(subprocess.run([command, "zoo", "--json"], capture_output=True, text=True, check=True).stdout)
    text = document.read_text(encoding="utf-8")
    fresh = TABLE.sub(lambda m: m[1] + (settings_table(zoo, m[3]) if m[3] else presets_table(zoo)), text)
    if "--write" in sys.argv:
        document.write_text(fresh, encoding="utf-8")
        return 0
    shown = {m[3] for m in TABLE.finditer(text)}
    missing = [name for m in zoo["models"] for name in (m["kind"], m["model"]) if name not in shown] + ([] if None in shown else ["the presets"])
    if missing:
        print(f"docs/config.md has no table of {', '.join(sorted(set(missing)))}")
        return 1
    rows = fresh.count("\n| `")
    if rows < 50:
        print(f"only {rows} settings were seen: this test looks in the wrong place")
        return 1
    if fresh != text:
        print("docs/config.md differs from slope zoo --json: run tests/conventions/settings.py build/slope . --write")
        return 1
    if fault := resume_fault(zoo, text):
        print(fault)
        return 1
    print(f"{rows} settings are as the command says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
