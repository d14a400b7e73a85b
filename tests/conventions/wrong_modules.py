#!/usr/bin/env python3
"""Compiler errors for wrong modules: the first error says what may be a member, and what to write instead of a copy.

    wrong_modules.py COMPILER INCLUDE      compiles each program below; exit code 1 if the first error of one says something else
"""
import os
import subprocess
import sys
import tempfile
from multiprocessing.pool import ThreadPool

MEMBERS = "SLOPE_MODULE: a listed member is a Parameter, a Buffer, a module, or a std::optional or std::vector of these"
TENSOR = "SLOPE_MODULE: a listed tensor is a Parameter, which is trained, or a Buffer, which is not"
HOLDERS = "SLOPE_MODULE: slope does not look into this type; hold modules and tensors as members, in a std::optional or std::vector, or in ModuleList, ModuleDict"
ONE_BASE = "SLOPE_MODULE: only one base may have the line"
OWN_LINE = "SLOPE_MODULE: a type that derives from a module has a line of its own, with the base's members too"
PUBLIC = "SLOPE_MODULE: the line belongs in the public part"
NO_MODULE = "not a module: a module is a struct with a line SLOPE_MODULE(Type, members…) in its public part"
COPIES = "a module, a Parameter or a Buffer is not copied: std::move(x) hands it over, nn::clone(module) makes an independent one, nn::tie(a, b) shares"
HEAD = """#include <slope/nn/layers/linear.h>
#include <slope/nn/layers/dropout.h>
#include <slope/nn/layers/module_list.h>
#include <slope/nn/module/state.h>
#include <map>
#include <variant>
using namespace slope;
struct Plain { nn::Linear fc{2, 2}; };
"""
# types of a member n that SLOPE_MODULE lists
LISTED = {
    "int n = 3;": MEMBERS,
    "std::vector<double> n;": MEMBERS,
    "std::vector<Plain> n;": MEMBERS,
    "Plain n;": MEMBERS,
    "std::map<std::string, int> n;": MEMBERS,
    "int* n;": MEMBERS,
    "std::shared_ptr<double> n;": MEMBERS,
    "Tensor n;": TENSOR,
    "std::vector<Tensor> n;": TENSOR,
    "std::unique_ptr<nn::Linear> n;": HOLDERS,
    "std::shared_ptr<nn::Linear> n;": HOLDERS,
    "std::vector<std::unique_ptr<nn::Linear>> n;": HOLDERS,
    "std::array<nn::Parameter, 2> n;": HOLDERS,
    "std::map<std::string, nn::Linear> n;": HOLDERS,
    "std::pair<int, nn::Linear> n;": HOLDERS,
    "std::variant<nn::Linear, nn::Dropout> n;": HOLDERS,
    "nn::Linear* n;": HOLDERS,
    "const nn::Linear* n;": HOLDERS,
    "nn::Linear n[2];": HOLDERS,
    "std::unique_ptr<nn::AnyModule> n;": HOLDERS,
    "std::optional<std::vector<nn::Linear>> n; ": None,
    "nn::ModuleList n;": None,
}
# wrong uses of the user's own modules
DONE = {
    "Plain p; nn::named_parameters(p);": NO_MODULE,
    "std::unique_ptr<nn::Linear> p; nn::eval(p);": NO_MODULE,
    "nn::AnyModule a(nn::Linear(2, 2)); nn::eval(a); nn::eval(nn::ModuleRef(a));": None,
    "nn::Linear a(2, 2); nn::Linear b = a;": COPIES,
    "nn::Linear a(2, 2), b(2, 2); b = a;": COPIES,
    "nn::Linear a(2, 2), b(2, 2); b.weight = a.weight;": COPIES,
    "nn::Parameter p(Dims{2}); auto q = p;": COPIES,
    "nn::Buffer p(Tensor{}); auto q = p;": COPIES,
    "nn::Dropout a(0.1); auto b = a;": COPIES,
    "std::vector<nn::Linear> list(6, nn::Linear(2, 2));": COPIES,
    "nn::Linear a(2, 2); std::vector<nn::Linear> list; list.push_back(a);": COPIES,
    "std::vector<nn::Linear> a; std::vector<nn::Linear> b = a;": COPIES,
    "std::vector<nn::Linear> list; for (int i = 0; i < 6; ++i) list.emplace_back(2, 2);": None,
    "nn::Linear a(2, 2); std::vector<nn::Linear> list; list.push_back(std::move(a));": None,
    "nn::Linear a(2, 2); Tensor w = a.weight; auto b = std::move(a); b = nn::clone(b);": None,
}
PROGRAMS = {"struct Net { " + member + " Tensor forward(const Tensor& x) const { return x; } SLOPE_MODULE(Net, n) };": error for member, error in LISTED.items()}
PROGRAMS["class Net { nn::Linear n; SLOPE_MODULE(Net, n) };"] = PUBLIC
PROGRAMS["struct Net : nn::Linear, nn::Dropout { Tensor forward(const Tensor& x) const { return x; } SLOPE_MODULE(Net) };"] = ONE_BASE
DERIVED = "struct Wide : nn::Linear { nn::Linear n{2, 2}; using Linear::Linear; Tensor forward(const Tensor& x) const { return n(x); } "
PROGRAMS[DERIVED + "}; void run() { Wide w(2, 2); nn::named_parameters(w); }"] = OWN_LINE
PROGRAMS[DERIVED + "}; struct Net { Wide n; Tensor forward(const Tensor& x) const { return n(x); } SLOPE_MODULE(Net, n) };"] = OWN_LINE
PROGRAMS[DERIVED + "SLOPE_MODULE(Wide, weight, bias, n) }; void run() { Wide w(2, 2); nn::named_parameters(w); }"] = None
PROGRAMS["struct Wide : nn::Linear { Wide() : Linear(2, 8) {} }; void run() { Wide w; nn::named_parameters(w); }"] = None  # adds nothing
PROGRAMS.update({"void run() { " + statements + " }": error for statements, error in DONE.items()})


def first_error(compiler, include, program):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "program.cpp")
        with open(file, "w", encoding="utf-8") as out:
            out.write(HEAD + program + "\n")
        text = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I", include, file], capture_output=True, text=True, check=False).stderr
    return next((line for line in text.splitlines() if "error" in line), None)


def main():
    faults = 0
    with ThreadPool(os.cpu_count()) as pool:
        errors = pool.map(lambda program: first_error(sys.argv[1], sys.argv[2], program), PROGRAMS)
    for (program, expected), error in zip(PROGRAMS.items(), errors):
        if (error is None) != (expected is None) or (expected and expected not in error):
            print(f"{program}: {error}")
            faults += 1
    print(f"{len(PROGRAMS)} programs compiled, {faults} with another first error than promised")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
