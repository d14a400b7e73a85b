#!/usr/bin/env python3
"""The C++ in the documents is the C++ that is compiled and run.

    snippets.py SOURCE PROGRAMS      PROGRAMS: the folder of the compiled readme_NAME

In a document each fenced block of C++, and each block that shows what a program prints, has a marker on the line before it:
    <!-- tests/readme/NAME.cpp -->           the block is a part of that program
    <!-- autograd/backward.cpp -->           the block is a part of that file of the library
    <!-- printed by tests/readme/NAME.cpp -->            the block is all that the program prints
    <!-- among what tests/readme/NAME.cpp prints -->     the block is a part of it, of whole lines
    <!-- an edit of PATH, before: TEXT -->   recipe.py applies the block, and the build compiles the result
Links and pictures that lead into the project must lead somewhere, also from the READMEs of the folders. Every pattern of `tests_FOLDER -tc=…` must match a test case.
"""
import fnmatch
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

EDIT = re.compile(r"^<!-- an edit of [^\n]* -->\n```.*?^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"(?:^<!-- (printed by |among what )?([\w./]+\.(?:cpp|h))(?: prints)? -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CASE = re.compile(r'TEST_CASE\w*\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
CHOICE = re.compile(r"tests_(\w+) -tce?=([\"'])(.+?)\2")
LINK = re.compile(r"\]\(([^)#\s]+)")


def broken_links(document):
    for target in LINK.findall(FENCE.sub("", document.read_text(encoding="utf-8"))):
        if "://" not in target and not (document.parent / target).exists():
            yield f"{document.name}: the link to {target} leads nowhere"


@functools.cache
def test_cases(folder):
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*_test.cpp")))
    return ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', name)).lower() for name in CASE.findall(text)]


def idle_patterns(document, source):
    for folder, _, patterns in CHOICE.findall(document.read_text(encoding="utf-8")):
        for pattern in patterns.split(","):
            if not fnmatch.filter(test_cases(source / "tests" / folder), pattern.lower()):
                yield f"{document.name}: no test case of tests/{folder} matches {pattern}"


@functools.cache
def output_of(program):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([program.resolve()], cwd=folder, capture_output=True, text=True, check=False)


def main():
    source, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    documents = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md"))]
    readmes = [*source.glob("*/README.md"), *source.glob("*/*/README.md")]
    faults, shown, seen = [], set(), 0
    for document in [*documents, *sorted(readmes)]:
        faults += [*broken_links(document), *idle_patterns(document, source)]
    for document in documents:
        for printed, path, language, text in FENCE.findall(EDIT.sub("", document.read_text(encoding="utf-8"))):
            where = f"{document.name}: the block that begins with {text.splitlines()[0] if text else 'nothing'!r}"
            if language == "cpp" and not path:
                faults.append(f"{where} names no file")
            if not path:
                continue
            seen += 1
            if printed:
                program = programs / f"readme_{pathlib.Path(path).stem}"
                if not program.exists():
                    continue  # not part of this build
                out = output_of(program)
                same = out.stdout == text if printed == "printed by " else f"\n{text}" in f"\n{out.stdout}"
                if out.returncode != 0 or not same:
                    faults.append(f"{where} is not what {path} prints:\n{out.stdout}{out.stderr}")
                continue
            shown.add(path)
            file = source / path
            if not file.exists():
                faults.append(f"{where}: there is no {path}")
            elif f"\n{text}" not in "\n" + file.read_text(encoding="utf-8"):
                faults.append(f"{where} is not in {path}")
    for file in sorted((source / "tests" / "readme").glob("*.cpp")):
        if f"tests/readme/{file.name}" not in shown:
            faults.append(f"tests/readme/{file.name} is shown in no document")
    print("\n".join(faults) or f"{seen} blocks are as in their files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
