#!/usr/bin/env python3
"""Applies the edits that a document shows to copies of the files that they name.

    recipe.py DOCUMENT SOURCE OUT      writes OUT/slope/PATH for each edited file of the tree SOURCE

On the line before each fenced block that is an edit, the document says where the block goes:
    <!-- an edit of PATH, before: TEXT -->
The build compiles the library's own files with these before them (tests/conventions.cmake), so that the recipe is what works.
"""
import pathlib
import re
import sys

EDIT = re.compile(r"^<!-- an edit of (\S+), before: (.*?) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    document, source, out = map(pathlib.Path, sys.argv[1:])
    texts = {}
    for path, before, block in EDIT.findall(document.read_text(encoding="utf-8")):
        text = texts.get(path) or (source / path).read_text(encoding="utf-8")
        at = text.find(before)
        if at < 0:
            sys.exit(f"{document.name}: no {before!r} in {path}")
        line = text.rfind("\n", 0, at) + 1
        texts[path] = text[:line] + block + text[line:]
    if not texts:
        sys.exit(f"{document.name} has no edits")
    for path, text in texts.items():
        target = out / "slope" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
    print(f"{len(texts)} files edited")
    return 0


if __name__ == "__main__":
    sys.exit(main())
