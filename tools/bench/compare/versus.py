"""The cases beside PyTorch: their list, slope's targets, their timing in blocks, and the table."""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

from sides import HERE, Side, check_parameters, commands, environment, start_sides

# case: (least speed-up by medians, largest share of PyTorch's memory)
BARS = {"translation": (3.0, 1 / 4), "transformer-base": (2.0, 1 / 2), "char-gpt": (1.8, 1 / 3), "gpt-384": (1.25, 1 / 4), "gpt2-124m": (1.25, 0.85),
        "microgpt": (10, 1 / 10), "microgpt-16": (5, 1 / 10), "two-moons": (60, 1 / 10),
        "decode1": (10, 1 / 2), "decode64": (10, 1 / 2)}
OPS = ["softmax", "layer_norm", "gelu_erf", "gelu_tanh", "tanh", "exp", "relu", "add", "mul", "dropout", "cross_entropy", "sum_dim0",
       "sum_dim1", "transposed_copy", "embedding"]
BARS |= {f"operations.{op}": (5.0 if op in ("dropout", "transposed_copy") else 0.95, None) for op in OPS}
BARS |= {"start-up": (100, 1 / 10), "real": (2.5, 1 / 4)}
OPS_MEAN_BAR = 1.8
BF16_BARS = {"translation": 2.0, "transformer-base": 1.6, "gpt-384": 1.6, "gpt2-124m": 1.5}  # with AMX, against PyTorch's fastest way
BF16_BAR_WITHOUT_AMX = 1.5  # for each of the same cases
ONE_THREAD_BARS = {"translation": 3.0, "transformer-base": 1.8, "char-gpt": 1.6, "gpt-384": 1.2, "gpt2-124m": 1.2}
ROOFLINE_BAR = 1.15  # a step within this factor of the roofline meets its bar too
BLOCK_MS = 100  # length of a block; a longer step is a block by itself
WARM_UP_ONCE_MS = 5000  # after one step of this length a side is warm


def expand(asked):
    """The cases that are asked for, in the table's order: `operations` means all of operations.*; an empty list, all but real, which needs batches."""
    for name in asked:
        if name not in BARS and name != "operations":
            raise ValueError(f"no case is called {name}; there are {' '.join(c for c in BARS if '.' not in c)}, operations and operations.OP")
    return [case for case in BARS if (case in asked or case.split(".")[0] in asked) or (not asked and case != "real")]


def in_turns(takers, seconds, least=3):
    """Calls the takers, each of which takes one measurement, in turns and alternating order until the time is over; returns the results by name."""
    found, start, k = {name: [] for name in takers}, time.monotonic(), 0
    while k < least or time.monotonic() - start < seconds:
        for name in list(takers) if k % 2 == 0 else list(takers)[::-1]:
            found[name].append(takers[name]())
        k += 1
    return found


def block_of(side):
    """Warms a side up; returns a function that runs one block of it and gives the milliseconds of a step."""
    ms, _ = side.run(1)
    if ms < WARM_UP_ONCE_MS:
        ms, _ = side.run(2)  # the first step's time says little about the others
        ms /= 2
    steps = max(1, round(BLOCK_MS / max(ms, 1e-3)))
    if steps > 1:
        steps = max(1, round(BLOCK_MS * steps / side.run(steps)[0]))
    return lambda: side.run(steps)[0] / steps


def machine(options):
    """The machine's limits at this moment, under the names of `slope bench machine`, for the number of threads asked for."""
    command = [options.slope, "bench", "machine", "--json", "--threads", str(options.threads)]
    text = subprocess.run(command, env=environment(options, {}), stdout=subprocess.PIPE, text=True, check=True).stdout
    key = "one_thread" if options.threads == 1 else "all_threads"
    return {limit["what"]: limit[key] for limit in json.loads(text)["machine"] if key in limit}


def summary_of(limits, precision="f32"):
    """GFLOP/s of multiply-adds and of the best matrix product, GB/s of memory. For bf16 the best product stands for the peak, which is not measured."""
    def best(*starts):
        return max((rate for what, rate in limits.items() if what.startswith(starts)), default=0.0)  # a build without BLAS has no cblas_sgemm

    product = best("bf16") if precision == "bf16" else best("gemm", "cblas_sgemm")
    return {"peak": product if precision == "bf16" else best("multiply-add"), "product": product, "cblas_sgemm": best("cblas_sgemm"),
            "memory": best("triad in memory"), "cache": best("triad in cache")}


def add_roofline(row, limits):
    """Adds to the row the least time of its work on a machine with such limits, and how near each side comes."""
    if not row.get("flops") and not row.get("bytes"):
        return
    row["roofline_ms"] = row["flops"] / limits["product"] / 1e6 + row["bytes"] / limits["memory"] / 1e6
    for side in row["sides"].values():
        side["of_roofline"] = side["median_ms"] / row["roofline_ms"]
        if row["flops"]:
            side["of_peak"] = row["flops"] / side["median_ms"] / 1e6 / limits["peak"]


def is_met(row):
    return row.get("ratio", 0) >= row["bar"] or row["sides"]["slope"].get("of_roofline", math.inf) <= ROOFLINE_BAR


def time_case(options, case):
    sides = start_sides(options, case)
    check_parameters(sides)
    found = in_turns({name: block_of(side) for name, side in sides.items()}, options.seconds)
    for side in sides.values():
        side.quit()
    work = {"flops": max(side.flops for side in sides.values()), "bytes": max(side.bytes for side in sides.values())}
    return found, work


def memory_of_case(options, case, step_ms):
    """Peak resident set beyond start-up in MB, with glibc at its defaults, over some seconds, so that caches fill."""
    found = {}
    for name, command in commands(options, case).items():
        if name not in step_ms:
            continue  # a slower way to run PyTorch
        side = Side(name, command, environment(options, {}))
        side.run(max(2, min(50, round(3e3 / step_ms[name]))))
        found[name] = (side.quit() - side.start_kb) / 1024
    return found


def start_and_step(options):
    """The case start-up: each measurement is a new process, all of whose memory counts."""
    both = {"slope": [options.slope, "bench", "start-up", "--once", "--threads", str(options.threads)],
            "pytorch": [options.python, str(HERE / "pytorch_start.py"), str(options.threads)]}
    env = environment(options, {})

    def once(command):
        start = time.perf_counter()
        text = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
        return 1e3 * (time.perf_counter() - start), int(text) / 1024

    takers = {name: (lambda c=command: once(c)) for name, command in both.items() if options.only in (None, name)}
    for take in takers.values():
        take()  # from now on the files come from the page cache
    found = in_turns(takers, options.seconds)
    times = {name: [ms for ms, _ in values] for name, values in found.items()}
    return times, {name: max(mb for _, mb in values) for name, values in found.items()}


def has_amx():
    return "amx_bf16" in pathlib.Path("/proc/cpuinfo").read_text().split()


def bar_of(options, case):
    if options.precision == "bf16":
        bars = BF16_BARS if has_amx() else dict.fromkeys(BF16_BARS, BF16_BAR_WITHOUT_AMX)
        return bars.get(case, BARS[case][0])
    return ONE_THREAD_BARS.get(case, BARS[case][0]) if options.threads == 1 else BARS[case][0]


def row_of(options, case, times, memory, work):
    row = {"case": case, **work, "sides": {name: {"median_ms": statistics.median(ms), "min_ms": min(ms), "max_ms": max(ms), "blocks_ms": ms}
                                   for name, ms in times.items()}}
    for name, mb in memory.items():
        row["sides"][name]["memory_mb"] = mb
    row["bar"], row["memory_bar"] = bar_of(options, case), BARS[case][1]
    return with_ratios(row)


def with_ratios(row):
    slope, pytorch = row["sides"].get("slope"), row["sides"].get("pytorch")
    if slope and pytorch:
        row["ratio"], row["ratio_of_minima"] = (pytorch[key] / slope[key] for key in ("median_ms", "min_ms"))
        if "memory_mb" in slope:
            row["memory_ratio"] = slope["memory_mb"] / pytorch["memory_mb"]
    return row


def measure(options, case):
    if case == "start-up":
        return row_of(options, case, *start_and_step(options), {})
    times, work = time_case(options, case)
    medians = {name: statistics.median(ms) for name, ms in times.items()}
    ways = [name for name in times if name != "slope"]
    best = min(ways, key=medians.get, default=None)
    if len(ways) > 1:
        print(case, *(f"{name}: {medians[name]:.1f} ms" for name in ways), sep="  ", file=sys.stderr)

    def two(found):  # slope and PyTorch's fastest way
        return {"slope" if name == "slope" else "pytorch": found[name] for name in ("slope", best) if name in found}

    wants_memory = BARS[case][1] is not None
    memory = memory_of_case(options, case, {name: medians[name] for name in ("slope", best) if name in medians}) if wants_memory else {}
    return row_of(options, case, two(times), two(memory), work) | {"way_of_pytorch": best}


def row_of_real(options, result):
    """The case real (real_batches.py) as a row of the same table."""
    sides = {name: {key: s[key] for key in ("median_ms", "min_ms", "max_ms")} | {"memory_mb": s["beyond_start_mb"]}
             for name, s in result["sides"].items()}
    return with_ratios({"case": "real", "flops": result["flops"], "bytes": result["bytes"], "sides": sides,
                        "bar": bar_of(options, "real"), "memory_bar": BARS["real"][1]})


COLUMNS = ["case", "slope, ms", "PyTorch, ms", "ratio of medians", "of minima", "at least", "roofline, ms", "slope / roofline",
           "slope, of peak", "PyTorch, of peak", "met", "slope, MB", "PyTorch, MB", "ratio", "at most", "met"]
HEAD = "| " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * (len(COLUMNS) - 1)


def markdown(row):
    def number(value, digits=2, unit=""):
        return "–" if value is None else f"{value:.{digits}f}{unit}"

    def percent(value):
        return "–" if value is None else f"{100 * value:.0f} %"

    slope, pytorch = row["sides"].get("slope", {}), row["sides"].get("pytorch", {})
    both = slope and pytorch
    cells = [row["case"], number(slope.get("median_ms"), 3), number(pytorch.get("median_ms"), 3), number(row.get("ratio")),
             number(row.get("ratio_of_minima")), number(row["bar"]), number(row.get("roofline_ms"), 3), number(slope.get("of_roofline")),
             percent(slope.get("of_peak")), percent(pytorch.get("of_peak")), ("yes" if is_met(row) else "no") if both else "–",
             number(slope.get("memory_mb"), 1), number(pytorch.get("memory_mb"), 1), number(row.get("memory_ratio")),
             number(row["memory_bar"]),
             "–" if "memory_ratio" not in row or row["memory_bar"] is None else "yes" if row["memory_ratio"] <= row["memory_bar"] else "no"]
    return "| " + " | ".join(cells) + " |"


def markdown_of_limits(limits):
    return (f"This machine, in the same run: multiply-adds {limits['peak']:.0f} GFLOP/s, best matrix product {limits['product']:.0f} "
            f"(free-running cblas_sgemm {limits['cblas_sgemm']:.0f}), memory {limits['memory']:.0f} GB/s, cache {limits['cache']:.0f} GB/s.")


def mean_of_ops(rows):
    """The geometric mean of the operations' ratios; None unless all were measured."""
    ratios = [row["ratio"] for row in rows if row["case"].startswith("operations.") and "ratio" in row]
    if len(ratios) < len(OPS):
        return None
    return math.exp(statistics.fmean(map(math.log, ratios)))
