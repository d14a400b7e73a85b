"""The cases in blocks, side by side: which there are, what slope is to reach in each, and the table."""
import math
import statistics
import subprocess
import time

from sides import FAST, HERE, Side, check_parameters, commands, environment, start_sides

# case: (times as fast by medians, at least; share of PyTorch's memory, at most)
BARS = {"a": (3.0, 1 / 4), "b": (2.0, 1 / 2), "c1": (1.8, 1 / 3), "c2": (1.25, 1 / 4), "gpt2": (1.25, 0.85), "d": (60, 1 / 10),
        "decode1": (10, 1 / 2), "decode64": (10, 1 / 2)}
OPS = ["softmax", "layer_norm", "gelu_erf", "gelu_tanh", "tanh", "exp", "relu", "add", "mul", "dropout", "cross_entropy", "sum_dim0",
       "sum_dim1", "transposed_copy", "embedding"]
BARS |= {f"e.{op}": (5.0 if op in ("dropout", "transposed_copy") else 0.95, None) for op in OPS}
BARS |= {"g": (100, 1 / 10), "real": (2.5, 1 / 4)}
OPS_MEAN_BAR = 1.8
BLOCK_MS = 100  # of a block; longer steps make a block each
WARM_UP_ONCE_MS = 5000  # a step that takes so long is warm after one


def expand(asked):
    """The cases that are asked for, in the table's order: e is all of e.*, none means all but real, which needs batches."""
    for name in asked:
        if name not in BARS and name != "e":
            raise ValueError(f"no case is called {name}; there are {' '.join(c for c in BARS if '.' not in c)}, e and e.OP")
    return [case for case in BARS if (case in asked or case.split(".")[0] in asked) or (not asked and case != "real")]


def in_turns(takers, seconds, least=3):
    """Calls the takers of one measurement each in turns, the first of them changing, until the time is over: name to what they gave."""
    found, start, k = {name: [] for name in takers}, time.monotonic(), 0
    while k < least or time.monotonic() - start < seconds:
        for name in list(takers) if k % 2 == 0 else list(takers)[::-1]:
            found[name].append(takers[name]())
        k += 1
    return found


def block_of(side):
    """Warms a side up; what then runs one block of it and gives the milliseconds of a step."""
    ms, _ = side.run(1)
    if ms < WARM_UP_ONCE_MS:
        ms, _ = side.run(2)  # the first step's time says little about the others
        ms /= 2
    steps = max(1, round(BLOCK_MS / max(ms, 1e-3)))
    if steps > 1:
        steps = max(1, round(BLOCK_MS * steps / side.run(steps)[0]))
    return lambda: side.run(steps)[0] / steps


def time_case(options, case):
    sides = start_sides(options, case)
    check_parameters(sides)
    found = in_turns({name: block_of(side) for name, side in sides.items()}, options.seconds)
    for side in sides.values():
        side.quit()
    return found


def memory_of_case(options, case, step_ms):
    """Peak resident set beyond start-up in MB, glibc at its defaults; for some seconds, so that caches fill."""
    found = {}
    for name, command in commands(options, case).items():
        side = Side(name, command, environment(options, {}))
        side.run(max(2, min(50, round(3e3 / step_ms[name]))))
        found[name] = (side.quit() - side.start_kb) / 1024
    return found


def start_and_step(options):
    """The case g: each measurement is a process; its memory is all that it has."""
    both = {"slope": [options.slope, "bench", "g", "--once", "--threads", str(options.threads)],
            "pytorch": [options.python, str(HERE / "pytorch_start.py"), str(options.threads)]}
    env = environment(options, {})

    def once(command):
        start = time.perf_counter()
        text = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
        return 1e3 * (time.perf_counter() - start), int(text) / 1024

    takers = {name: (lambda c=command: once(c)) for name, command in both.items() if options.only in (None, name)}
    for take in takers.values():
        take()  # what is read comes from the page cache from now on
    found = in_turns(takers, options.seconds)
    times = {name: [ms for ms, _ in values] for name, values in found.items()}
    return times, {name: max(mb for _, mb in values) for name, values in found.items()}


def row_of(case, times, memory):
    row = {"case": case, "sides": {name: {"median_ms": statistics.median(ms), "min_ms": min(ms), "max_ms": max(ms), "blocks_ms": ms}
                                   for name, ms in times.items()}}
    for name, mb in memory.items():
        row["sides"][name]["memory_mb"] = mb
    row["bar"], row["memory_bar"] = BARS[case]
    return with_ratios(row)


def with_ratios(row):
    slope, pytorch = row["sides"].get("slope"), row["sides"].get("pytorch")
    if slope and pytorch:
        row["ratio"], row["ratio_of_minima"] = (pytorch[key] / slope[key] for key in ("median_ms", "min_ms"))
        if "memory_mb" in slope:
            row["memory_ratio"] = slope["memory_mb"] / pytorch["memory_mb"]
    return row


def measure(options, case):
    if case == "g":
        return row_of(case, *start_and_step(options))
    times = time_case(options, case)
    wants_memory = BARS[case][1] is not None
    memory = memory_of_case(options, case, {n: statistics.median(ms) for n, ms in times.items()}) if wants_memory else {}
    return row_of(case, times, memory)


def row_of_real(result):
    """The case real (real_batches.py) as a row of the same table."""
    sides = {name: {key: s[key] for key in ("median_ms", "min_ms", "max_ms")} | {"memory_mb": s["beyond_start_mb"]}
             for name, s in result["sides"].items()}
    return with_ratios({"case": "real", "sides": sides, "bar": BARS["real"][0], "memory_bar": BARS["real"][1]})


HEAD = ("| case | slope, ms | PyTorch, ms | ratio of medians | of minima | at least | slope, MB | PyTorch, MB | ratio | at most |\n"
        "|---|" + "---:|" * 9)


def markdown(row):
    def number(value, digits=2):
        return "–" if value is None else f"{value:.{digits}f}"

    slope, pytorch = row["sides"].get("slope", {}), row["sides"].get("pytorch", {})
    cells = [row["case"], number(slope.get("median_ms"), 3), number(pytorch.get("median_ms"), 3), number(row.get("ratio")),
             number(row.get("ratio_of_minima")), number(row["bar"]), number(slope.get("memory_mb"), 1), number(pytorch.get("memory_mb"), 1),
             number(row.get("memory_ratio")), number(row["memory_bar"])]
    return "| " + " | ".join(cells) + " |"


def mean_of_ops(rows):
    """The geometric mean over the operations, where all of them were measured."""
    ratios = [row["ratio"] for row in rows if row["case"].startswith("e.") and "ratio" in row]
    if len(ratios) < len(OPS):
        return None
    return math.exp(statistics.fmean(map(math.log, ratios)))
