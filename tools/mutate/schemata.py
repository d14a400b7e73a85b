"""All mistakes of a file in one text: the body of a function is repeated for each of its mistakes, and the number in `slope_mutant` chooses one.

So a tree with a thousand mistakes is compiled once, and trying one costs no more than a run of the program."""
import bisect

import plant

HEADER = """// Which mistake is in place (0: none), and which functions that could hold one were called.
#pragma once
extern "C" {
extern int slope_mutant;
extern unsigned char slope_called[];
}
"""

SOURCE = """#include <cstdio>
#include <cstdlib>

extern "C" {
extern int slope_mutant;
extern unsigned char slope_called[];
int slope_mutant = std::getenv("SLOPE_MUTANT") ? std::atoi(std::getenv("SLOPE_MUTANT")) : 0;
unsigned char slope_called[COUNT];
}

namespace {
struct Called {
  ~Called() {
    const char* path = std::getenv("SLOPE_CALLED");
    std::FILE* file = path ? std::fopen(path, "w") : nullptr;
    if (!file) return;
    for (int i = 0; i < COUNT; ++i)
      if (slope_called[i]) std::fprintf(file, "%d\\n", i);
    std::fclose(file);
  }
} called;
}  // namespace
"""


class Schemata:
    """The text of one file with the given mutants (numbered by `number`, their functions by `place`), and which line belongs to which mutant."""

    def __init__(self, path, text, mutants, number, place):
        self.owners = []  # (first line, mutant's id), ascending; None for unchanged text
        self.text, at = "", 0
        for function, start, end in plant.regions(path, text):
            here = [m for m in mutants if start <= m.start < end and m.function == function]
            if not here or start < at:
                continue
            self.add(text[at:start])
            if path.name.endswith("_rows.h"):
                self.row(text[start:end], start, here, number, place(function))
            else:
                self.body(text[start:end + 1], start, here, number, place(function))
            at = end + (not path.name.endswith("_rows.h"))
        self.add(text[at:])

    def add(self, text, owner=None):
        self.owners.append((self.text.count("\n") + 1, owner))
        self.text += text

    def body(self, body, start, here, number, place):
        self.add(f"{{ slope_called[{place}] = 1;\n")
        for m in here:
            a = m.start - start
            self.add(f"if (slope_mutant == {number[m.id]})\n")
            self.add(body[:a] + m.after + body[a + len(m.before):] + " else\n", m.id)
        self.add(body + " }\n")

    def row(self, row, start, here, number, place):
        code = row.rstrip()
        code, comma = code[:code.rindex(",")], code[code.rindex(","):]
        self.add(f" (slope_called[{place}] = 1,\n")
        for m in here:
            a = m.start - start
            self.add(f"slope_mutant == {number[m.id]} ? (\n")
            self.add(code[:a] + m.after + code[a + len(m.before):] + "\n", m.id)
            self.add(") :\n")
        self.add(f"({code})){comma} ")

    def owner(self, line):
        return self.owners[bisect.bisect_right(self.owners, line, key=lambda o: o[0]) - 1][1]
