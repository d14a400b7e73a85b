"""Finds the mistakes that can be planted: in every derivative rule, backward kernel and elementwise row, one change of one place each.

A mutant is (file, offset, before, after, kind). Places are found from the text alone: functions named *_formula, *_kernel, *_reference, *_backward,
*_slope and some helpers of theirs (RULE), and the derivative column of the tables of elementwise rows. Comments, strings, checks and declarations
are left alone.
"""
import hashlib
import pathlib
import re

# C++ files that hold derivatives
GLOBS = ("autograd/ops/**/*.cpp", "autograd/ops/**/*.h", "core/kernels/*/*.cpp", "core/kernels/*/*.h")
LEAVE_OUT = {"list.h", "registry.cpp", "methods.cpp", "fill.cpp", "philox.h", "random_blocks.cpp", "optim.cpp", "stream.cpp", "dots.cpp", "product.cpp"}
RULE = re.compile(r"^[^\n;{}=#]*?\b(\w*(?:formula|kernel|reference|backward|slope|put_back|same_elements|as_grads|all_grads|sums_over_rows)\w*)\([^;{}]*\)[^;{}]*\{", re.M)

# (kind, pattern, replacement); \1, \2, … are the pattern's groups
OPERATORS = (
    ("sign", r"(?<=[\w)\]]) - (?=[\w(])", " + "),
    ("sign", r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
    ("sign", r"(?<=[({,] )-(?=[a-z(])|(?<=[({,])-(?=[a-z(])|(?<=return )-(?=[a-z(])", ""),
    ("sign", r"(?<=Grads\{)(?=g\b)", "-"),
    ("factor", r"\b2 \* (?=\w)", ""),
    ("factor", r"\bhalf \* ", ""),
    ("factor", r"(?<=Grads\{)(?=g\b)", "2 * "),
    ("factor", r"\b3 \* (?=\w)", "2 * "),
    ("operand", r"s\.input\(0\)", "s.input(1)"),
    ("operand", r"s\.input\(1\)", "s.input(0)"),
    ("operand", r"(?<=[\w)\]]) / (?=[\w(])", " * "),
    ("operand", r"\by \* y\b", "y"),
    ("operand", r"\bcos\(", "sin("),
    ("operand", r"\bsin\(", "cos("),
    ("index", r"\[i\]", "[0]"),
    ("index", r"\[j\]", "[0]"),
    ("index", r"\bi \+ 1\b", "i"),
    ("index", r"\bn - 1\b", "n"),
    ("index", r"s\.integer\(\"dim\"\)", "0"),
    ("transposition", r"\.transpose\(-1, -2\)", ""),
    ("transposition", r"\btranspose\((\w+), [^()]*\)", r"\1"),
    ("transposition", r"\bmatmul\((\w+), (\w+)\)", r"matmul(\2, \1)"),
    ("transposition", r"\btrue, false,", "false, false,"),
    ("scale", r" \* scale\b", ""),
    ("scale", r" \* rstd\b", ""),
    ("scale", r"s\.number\(\"(?:scale|eps|p)\"\)", "1.0"),
    ("scale", r" / static_cast<(?:double|T)>\(\w+\)", ""),
    ("loop bound", r"(?<=; )(\w+) < ([^;{}]+);", r"\1 < \2 - 1;"),
    ("comparison", r" < (?=[\w-])", " <= "),
    ("comparison", r" > (?=[\w-])", " >= "),
    ("comparison", r" <= (?=[\w-])", " < "),
    ("comparison", r" >= (?=[\w-])", " > "),
    ("comparison", r" == (?=[\w-])", " != "),
    ("g for y", r"\bs\.output\(\)", "g"),
    ("g for y", r"\bg \* (?=\w)", ""),
    ("accumulation", r" \+= ", " = "),
    ("accumulation", r"\badds \? [^:]+ : ", ""),
    ("broadcasting sum", r"\bsum_to\((\w+), [^()]*(?:\([^()]*\))?\)", r"\1"),
    ("broadcasting sum", r"\bsum\((\w+), [^()]*\)", r"\1"),
    ("chunk offset", r"(?<=\w) \+ (?:begin|first|at)\b", ""),
    ("chunk offset", r"\bbegin \* n\b", "0"),
    ("guard", r"\bmax\((\w[^(),]*), 1\)", r"\1"),
    ("guard", r"(\w[\w. ]* (?:==|>|<|!=) \w+) \? ([^:;?]+) : ([^:;,?]+)(?=[;,)])", r"\3"),
    ("detached value", r"\bs\.input\((\d?)\)(?!\.)", r"s.input(\1).detach()"),
    ("detached value", r"\bs\.output\(\)(?!\.)", "s.output().detach()"),
)


class Mutant:
    def __init__(self, file, text, start, end, after, kind, function):
        self.file, self.start, self.before, self.after, self.kind, self.function = file, start, text[start:end], after, kind, function
        self.line = text.count("\n", 0, start) + 1
        line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        self.old_line = text[line_start:line_end].strip()
        self.new_line = (text[line_start:start] + after + text[end:line_end]).strip()
        occurrence = text.count(text[line_start:line_end], 0, line_start)
        key = f"{file}|{self.old_line}|{self.new_line}|{start - line_start}|{occurrence}"
        self.id = hashlib.sha256(key.encode()).hexdigest()[:12]  # of the change, not of its place: other edits of the file do not change it

    def applied_to(self, text):
        assert text[self.start:self.start + len(self.before)] == self.before
        return text[:self.start] + self.after + text[self.start + len(self.before):]


def blank(text):
    """The text with comments and strings' contents replaced by as many blanks."""
    return re.sub(r"//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", lambda m: re.sub(r"[^\n\"]", " ", m.group()), text)


def end_of_block(text, open_brace):
    depth = 0
    for at in range(open_brace, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    return len(text)


def regions(path, text):
    """(function, start, end) of what holds a derivative."""
    code = blank(text)
    if path.name.endswith("_rows.h"):
        for row in re.finditer(r"^SLOPE_(?:UNARY|BINARY)\((\w+),", code, re.M):
            end = code.find("\"", row.end())
            if end > 0 and "..." not in code[row.start():end]:
                arguments, depth, starts = code[row.start():end], 0, []
                for at, c in enumerate(arguments):
                    depth += (c in "({") - (c in ")}")
                    if c == "," and depth == 1:
                        starts.append(row.start() + at + 1)
                yield row.group(1), starts[-2] if len(starts) > 1 else row.start(), end
        return
    for rule in RULE.finditer(code):
        if re.match(r"\s*(?:if|for|while|switch|return|struct|class)\b", rule.group()):
            continue
        yield rule.group(1), rule.end() - 1, end_of_block(code, rule.end() - 1)


def mutants(root, only=""):
    root = pathlib.Path(root)
    seen = set()
    for glob in GLOBS:
        for path in sorted(root.glob(glob)):
            file = path.relative_to(root).as_posix()
            if path.name in LEAVE_OUT or only not in file:
                continue
            text = path.read_text()
            code = blank(text)
            for function, start, end in regions(path, text):
                for kind, pattern, replacement in OPERATORS:
                    if kind == "detached value" and "formula" not in function and "reference" not in function:
                        continue  # kernels compute with numbers, which have no graph
                    for found in re.finditer(pattern, text[start:end]):
                        a, b = start + found.start(), start + found.end()
                        line = code[code.rfind("\n", 0, a) + 1:code.find("\n", a)]
                        if kind == "comparison" and "for (" in line:
                            continue  # a loop beyond the end of an array: AddressSanitizer sees it, and no other check has to
                        in_text = code[a:b].strip() != text[a:b].strip() and '"' not in text[a:b]
                        if in_text or "SLOPE_CHECK" in line or "static_assert" in line or "template" in line:
                            continue
                        mutant = Mutant(file, text, a, b, found.expand(replacement), kind, function)
                        if mutant.id not in seen and mutant.old_line != mutant.new_line:
                            seen.add(mutant.id)
                            yield mutant
