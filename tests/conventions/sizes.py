#!/usr/bin/env python3
"""Files are short, lines fit, folders are small.

    sizes.py SOURCE      prints the figures of the library (core autograd nn optim models) beside their bars; exit code 1 if one is missed
"""
import collections
import pathlib
import statistics
import sys

LIBRARY = ["core", "autograd", "nn", "optim", "models"]
COLUMNS = 100


def main():
    source = pathlib.Path(sys.argv[1])
    files = {path: path.read_text(encoding="utf-8").splitlines() for folder in LIBRARY for path in sorted((source / folder).rglob("*")) if path.suffix in (".h", ".cpp")}
    lengths = sorted(len(lines) for lines in files.values())
    widths = [len(line) for lines in files.values() for line in lines]
    folders = collections.Counter(path.parent for path in files)
    figures = [
        ("lines of a file, median", statistics.median(lengths), 60),
        ("lines of a file, 90th percentile", lengths[len(lengths) * 9 // 10], 160),
        ("lines of the longest file", lengths[-1], 330),
        (f"lines of more than {COLUMNS} columns, %", 100 * sum(width > COLUMNS for width in widths) / len(widths), 2),
        ("columns of the longest line", max(widths), 110),
        ("files in a folder", max(folders.values()), 25),
    ]
    for name, value, bar in figures:
        print(f"{name}: {value:.4g} (at most {bar}){'' if value <= bar else ': missed'}")
    for path, lines in files.items():
        if len(lines) > 330 or any(len(line) > 110 for line in lines):
            print(f"{path.relative_to(source)}: {len(lines)} lines, up to {max(map(len, lines))} columns")
    for folder, count in folders.items():
        if count > 25:
            print(f"{folder.relative_to(source)}: {count} files")
    return any(value > bar for _, value, bar in figures)


if __name__ == "__main__":
    sys.exit(main())
