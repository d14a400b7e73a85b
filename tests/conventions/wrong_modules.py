#!/usr/bin/env python3
"""What a wrong module gets from the compiler: the first error says what may be a member.

    wrong_modules.py COMPILER INCLUDE      compiles each program below; 1 if the first error of one says something else
"""
import os
import subprocess
import sys
import tempfile

MEMBERS = "SLOPE_MODULE: a listed member is a Parameter, a Buffer, a module, or a std::optional or std::vector of these"
HEAD = "#include <slope/nn/layers/linear.h>\n#include <slope/nn/layers/module_list.h>\nusing namespace slope;\nstruct Plain { nn::Linear fc{2, 2}; };\n"
# the members of a module, and the first error; None: it compiles
PROGRAMS = {
    "int n = 3;": MEMBERS,
    "std::vector<double> n;": MEMBERS,
    "std::vector<Plain> n;": MEMBERS,
    "Tensor n;": MEMBERS,
    "std::optional<std::vector<nn::Linear>> n; ": None,
    "nn::ModuleList n;": None,
}


def first_error(compiler, include, member):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "program.cpp")
        with open(file, "w", encoding="utf-8") as out:
            out.write(HEAD + "struct Net { " + member + " Tensor forward(const Tensor& x) const { return x; } SLOPE_MODULE(Net, n) };\n")
        text = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", include, file], capture_output=True, text=True, check=False).stderr
    return next((line for line in text.splitlines() if "error" in line), None)


def main():
    faults = 0
    for member, expected in PROGRAMS.items():
        error = first_error(sys.argv[1], sys.argv[2], member)
        if (error is None) != (expected is None) or (expected and expected not in error):
            print(f"{member}: {error}")
            faults += 1
    print(f"{len(PROGRAMS)} modules compiled, {faults} with another first error than promised")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
