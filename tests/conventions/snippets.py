#!/usr/bin/env python3
"""The C++ in the documents is the C++ that is compiled and run: programs in tests/readme/.

    snippets.py SOURCE PROGRAMS      PROGRAMS: the folder of the compiled readme_NAME

In a document a marker stands on the line before each fenced block of C++, and before a block that shows what a program prints:
    <!-- tests/readme/NAME.cpp -->           the block stands in that file as it is
    <!-- printed by tests/readme/NAME.cpp -->
Links and pictures that lead into the project must lead somewhere.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"(?:^<!-- (printed by )?(tests/readme/(\w+)\.cpp) -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)")


def broken_links(document):
    for target in LINK.findall(FENCE.sub("", document.read_text(encoding="utf-8"))):
        if "://" not in target and not (document.parent / target).exists():
            yield f"{document.name}: the link to {target} leads nowhere"


def main():
    source, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    documents = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md"))]
    readmes = [*source.glob("*/README.md"), *source.glob("*/*/README.md")]
    faults, shown, seen = [], set(), 0
    for document in [*documents, *sorted(readmes)]:
        faults += broken_links(document)
    for document in documents:
        for printed, path, name, language, text in FENCE.findall(document.read_text(encoding="utf-8")):
            where = f"{document.name}: the block that begins with {text.splitlines()[0] if text else 'nothing'!r}"
            if language == "cpp" and not path:
                faults.append(f"{where} names no file of tests/readme")
            if not path:
                continue
            seen += 1
            if printed:
                program = programs / f"readme_{name}"
                if not program.exists():
                    continue  # not part of this build
                with tempfile.TemporaryDirectory() as folder:
                    out = subprocess.run([program.resolve()], cwd=folder, capture_output=True, text=True, check=False)
                if out.returncode != 0 or out.stdout != text:
                    faults.append(f"{where} is not what {path} prints:\n{out.stdout}{out.stderr}")
            else:
                shown.add(path)
                if text not in (source / path).read_text(encoding="utf-8"):
                    faults.append(f"{where} is not in {path}")
    for file in sorted((source / "tests" / "readme").glob("*.cpp")):
        if f"tests/readme/{file.name}" not in shown:
            faults.append(f"tests/readme/{file.name} is shown in no document")
    print("\n".join(faults) or f"{seen} blocks are as in their files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
