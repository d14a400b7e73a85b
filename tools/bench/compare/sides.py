"""The two sides of a comparison: processes that speak protocol.md, and how each is started."""
import os
import pathlib
import subprocess
import sys

from bench_command import PROGRAM

HERE = pathlib.Path(__file__).resolve().parent
# For timing: glibc keeps memory, and threads stay where they are; otherwise PyTorch is up to twice as slow. Threads that are not bound
# would share a core with those of the other side, which spin for a while after each of its blocks.
FAST = {"OMP_PROC_BIND": "true", "MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TRIM_THRESHOLD_": "4000000000"}


def environment(options, extra):
    """The environment without the user's settings for OpenMP, BLAS and glibc, and with `extra`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "MALLOC_", "MKL_", "OPENBLAS_", "GOMP_"))}
    return kept | extra | {"OMP_NUM_THREADS": str(options.threads)}


class Side:
    """One process that speaks the protocol."""

    def __init__(self, name, command, env):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.flops = self.bytes = 0.0  # of a step, if the side reports them
        self.expect("ready")
        self.start_kb = self.status("VmHWM")
        self.parameters, self.batches = map(int, self.ask("load").split()[1:])

    def expect(self, first):
        line = self.process.stdout.readline()
        if not line and self.process.wait():
            sys.exit(self.process.returncode)  # it has said why
        if not line.startswith(first):
            sys.exit(f"{PROGRAM}: {self.name} answered {line.strip()!r} where {first!r} was due")
        return line

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.expect("loaded" if line == "load" else line.split()[-1])

    def run(self, steps):  # (milliseconds, mean loss)
        _, milliseconds, loss, *work = self.ask(f"run {steps}").split()
        if work:
            self.flops, self.bytes = map(float, work)
        return float(milliseconds), float(loss)

    def status(self, field):  # kB
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(field))

    def quit(self):
        peak = self.status("VmHWM")
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        if self.process.wait():
            sys.exit(f"{PROGRAM}: {self.name} ended with exit code {self.process.returncode}")
        return peak


def commands(options, case, batches=None):
    """The commands that start the sides asked for, by name; `batches`: the file of the case real. Each way to run PyTorch is a side of its own."""
    file = ["--batches", batches] if batches else []
    attention = ["--attention", options.attention] if options.attention else []
    common = [*file, "--threads", str(options.threads)]
    sides = {"slope": [options.slope, "bench", case, "--serve", *common, "--precision", options.precision]}
    for way in ways(options):
        compiled = ["--compile"] if options.compile or way.endswith("-compiled") else []
        sides[side_of(options, way)] = [options.python, str(HERE / "pytorch_side.py"), case, *common, "--precision", way.split("-")[0], *attention,
                                        *compiled]
    return {name: command for name, command in sides.items() if options.only is None or name.startswith(options.only)}


def ways(options):
    return options.against or [options.precision]


def side_of(options, way):
    return "pytorch" if len(ways(options)) == 1 else f"pytorch {way}"


def start_sides(options, case, batches=None):
    return {name: Side(name, command, environment(options, FAST)) for name, command in commands(options, case, batches).items()}


def check_parameters(sides):
    counts = {name: side.parameters for name, side in sides.items()}
    if len(set(counts.values())) > 1:
        sys.exit(f"against_pytorch: not the same model: {counts}")
