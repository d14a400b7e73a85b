"""Memory or threads that the system refuses: one line and exit 4, or the same results with less; never an abort.

`scarce_test.py --all` fails every allocation of every command, one in each run, where the test takes some of them; `--chains` fails the first of each chain of callers.
"""
import os, re, resource, shutil, subprocess, sys, unittest
from slope_runner import ENVIRONMENT, Case, Result, SLOPE, SMALL, SMALL_GPT, TEXT, HANGS, decode, sha256

LIBRARY = os.environ.get("SLOPE_FAIL_LIBRARY", "")
EVERY, CHAINS = "--all" in sys.argv, "--chains" in sys.argv
TRAIN = ["train", "translation", *TEXT, *SMALL]

# Calls that end the process when their own allocation fails: the loader's, glibc's for destructors of thread-local variables, libgomp's, and libgfortran's, which OpenBLAS loads.
ENDS_ITSELF = re.compile(r"error while loading shared libraries|cannot allocate (memory|TLS)|libgomp: Out of memory|cannot allocate memory for thread-local|cannot create TLS|failed to register TLS destructor|Operating system error: Cannot allocate memory")


class Ends:
    """How the runs with one failing allocation ended."""
    def __init__(self):
        self.refused, self.unneeded, self.by_caller = 0, 0, {}

    def note(self, case, result, n):
        ended = ENDS_ITSELF.search(result.err)
        if ended:
            self.by_caller.setdefault(ended.group(), []).append(n)
        elif result.code == 0:
            self.unneeded += 1
        else:
            case.check_refusal(result, 4, "memory", f"allocation {n}")
            self.refused += 1

    def report(self, command, count):
        if EVERY or CHAINS:
            print(f"{command}: {count} allocations, {self.refused} refused in one line, {self.unneeded} not needed, ended by their callers:", self.by_caller, file=sys.stderr, flush=True)


@unittest.skipUnless(os.path.exists(LIBRARY), "SLOPE_FAIL_LIBRARY names no library: a sanitizer's build has none")
class Refused(Case):
    def run_with(self, *arguments, **variables):
        environment = {**ENVIRONMENT, "LD_PRELOAD": LIBRARY, **{k: str(v) for k, v in variables.items()}}
        done = subprocess.run([SLOPE, *arguments], capture_output=True, env=environment, timeout=HANGS, stdin=subprocess.DEVNULL)
        return Result(done.returncode, decode(done.stdout), decode(done.stderr))

    def count(self, *arguments):
        result = self.run_with(*arguments, FAIL_COUNT="count")
        self.assertEqual((result.code, result.err), (0, ""), arguments)
        with open("count") as file:
            return int(file.read()), result

    def chosen(self, count, runs, *arguments):
        """The numbers of the allocations that fail: all, one of each chain of callers, or some, spread over all."""
        if not CHAINS:
            return range(1, count + 1, 1 if EVERY else max(1, count // runs))
        self.run_with(*arguments, FAIL_CHAINS="chains")
        with open("chains") as file:
            return [int(line) for line in file]


class Memory(Refused):
    def walk(self, *arguments, runs=60):
        """Fails the n-th allocation."""
        count, whole = self.count(*arguments)
        ends = Ends()
        for n in self.chosen(count, runs, *arguments):
            with self.subTest(command=arguments[0], allocation=n):
                result = self.run_with(*arguments, FAIL_MALLOC=n)
                ends.note(self, result, n)
                if result.code == 0:  # a call that can do without
                    self.assertEqual((result.out, result.err), (whole.out, ""))
        ends.report(arguments[0], count)
        self.assertGreater(ends.refused, 0)

    def test_of_commands(self):
        self.good(*TRAIN, "--steps", "2", "--out", "run")
        self.gpt("gpt", "--steps", "2")
        for arguments in (["inspect", "run"], ["graph", "mlp", "-o", "mlp.svg"], ["generate", "gpt", "--tokens", "5"], ["translate", "run", "valid.de"], ["zoo"]):
            with self.subTest(command=arguments[0]):
                self.walk(*arguments)

    def test_of_training(self):
        """Whatever fails, the folder contains whole checkpoints, and a resume ends with the same weights."""
        self.good(*TRAIN, "--steps", "3", "--out", "straight")
        count, _ = self.count(*TRAIN, "--steps", "3", "--quiet", "--out", "counted")
        ends, expected = Ends(), sha256("straight/last/model.safetensors")
        for n in self.chosen(count, 30, *TRAIN, "--steps", "3", "--quiet", "--out", "chosen"):
            with self.subTest(allocation=n):
                ends.note(self, self.run_with(*TRAIN, "--steps", "3", "--quiet", "--out", "run", FAIL_MALLOC=n), n)
                self.good("train", "translation", "--resume", *([] if os.path.exists("run/config.json") else [*TEXT, *SMALL]), "--steps", "3", "--quiet", "--out", "run")
                self.assertEqual(sha256("run/last/model.safetensors"), expected)
            shutil.rmtree("run", ignore_errors=True)
        ends.report("train", count)

    def test_before_main_many_times_in_a_row(self):
        """So many that the reserve does not help: a constructor of a global object must not end in an abort."""
        ends = Ends()
        for n in range(1, 121, 1 if EVERY else 3):
            with self.subTest(allocation=n):
                ends.note(self, self.run_with("zoo", FAIL_MALLOC=n, FAIL_MANY=50), n)
        ends.report("zoo, 50 in a row, from the 1st to the 120th", 120)
        self.assertGreater(ends.refused, 0)

    def test_of_training_many_times_in_a_row(self):
        """So many that the reserve does not help: also what undoes a half-written checkpoint gets no memory."""
        points = ["train", "points", "--steps", "2", "--threads", "1", "--quiet", "--out"]
        count, _ = self.count(*points, "counted")
        ends, first = Ends(), count // 10  # before main nothing catches an exception
        for n in range(first, count + 1, max(1, (count - first) // (count if EVERY else 40))):
            with self.subTest(allocation=n):
                ends.note(self, self.run_with(*points, "run", FAIL_MALLOC=n, FAIL_MANY=50), n)
            shutil.rmtree("run", ignore_errors=True)
        ends.report("train points, 50 in a row", count)
        self.assertGreater(ends.refused, 0)


class Threads(Refused):
    THREE = [*TRAIN, "--threads", "3", "--d-model", "64", "--d-feedforward", "512", "--batch-size", "60", "--steps", "3", "--quiet"]  # loops of 2 and of more chunks

    def test_that_are_limited(self):
        self.good(*self.THREE, "--out", "straight")
        codes = []
        for n in range(5):
            result = self.run_with(*self.THREE, "--out", f"run{n}", FAIL_THREADS=n)
            codes.append(result.code)
            if result.code:
                self.check_refusal(result, 4, "thread", f"{n} threads")
            else:
                self.assertRegex(result.err, rf"\Aslope: no further thread could be started [^\n]+ continues with {n}, [^\n]+\n\Z" if n < 3 else r"\A\Z")
                self.assertEqual(sha256(f"run{n}/last/model.safetensors"), sha256("straight/last/model.safetensors"))
        self.assertEqual(codes, [4, 0, 0, 0, 0])

    def test_that_are_limited_where_subwords_are_learned(self):
        for threads in (1, 3):
            for n in range(threads + 1):
                with self.subTest(threads=threads, n=n):
                    result = self.run_with(*self.THREE, "--tokenizer", "subwords", "--threads", str(threads), "--out", f"run{threads}.{n}", FAIL_THREADS=n)
                    if n == 0:
                        self.check_refusal(result, 4, "thread")
                    else:
                        self.assertEqual(result.code, 0, result)

    def test_of_which_some_are_granted(self):
        """Of four, three: one of them prepares batches."""
        self.good(*self.THREE, "--out", "straight")
        result = self.run_with(*self.THREE, "--threads", "5", "--out", "run", FAIL_THREADS=3)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, r"\Aslope: no further thread could be started \([^\n]+\); continues with 3, with the same results\n\Z")
        self.assertEqual(sha256("run/last/model.safetensors"), sha256("straight/last/model.safetensors"))

    def test_of_a_user_who_may_have_no_more(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        os.chmod(".", 0o777)
        own = 1 << 30 | os.getpid()  # the limit counts all processes of a user: one that has no others
        as_user = {"user": own, "group": own, "extra_groups": []} if os.getuid() == 0 else {}
        try:
            result = self.slope(*self.THREE, "--out", "run", preexec_fn=limit, **as_user)
        except (OSError, subprocess.SubprocessError) as e:
            self.skipTest(f"slope cannot be started as such a user: {e}")
        self.check_refusal(result, 4, "thread")

    def test_of_a_sweep_side_by_side(self):
        sweep = ["sweep", "lm", "--text", "train.en", *SMALL_GPT, "--steps", "2", "--grid", "lr=0.001,0.002,0.003", "--jobs", "3", "--out"]

        def weights(out):
            return [sha256(f"{out}/lr={lr}/last/model.safetensors") for lr in ("0.001", "0.002", "0.003")]
        self.good(*sweep, "straight")
        for n in range(4):
            with self.subTest(threads=n):
                result = self.run_with(*sweep, f"sweep{n}", FAIL_THREADS=n)
                if result.code:
                    self.check_refusal(result, 4, "thread")
                else:
                    self.assertEqual((result.err, weights(f"sweep{n}")), ("", weights("straight")))
                    self.assertIn("side by side, each on one thread: cannot start another thread" if n < 2 else "validation loss", result.out)

    def test_stacks_that_are_too_small(self):
        for variable, size, good in (("OMP_STACKSIZE", "16K", False), ("OMP_STACKSIZE", "16", False), ("GOMP_STACKSIZE", " 255 k ", False), ("OMP_STACKSIZE", "256K", True),
                                     ("OMP_STACKSIZE", "1M", True)):
            with self.subTest(size=size):
                out = f"run{size.strip()}"
                result = self.run_with(*self.THREE, "--out", out, **{variable: size})
                if good:
                    self.assertEqual((result.code, result.err), (0, ""))
                else:
                    self.check_refusal(result, 4, [variable, "256K"])
                    self.assertFalse(os.path.exists(out))
        result = self.run_with("train", "points", "--steps", "2", "--threads", "2", "--out", "moons", OMP_STACKSIZE="16K")
        self.check_refusal(result, 4, "OMP_STACKSIZE")  # though its first long loop is that of the picture
        self.assertFalse(os.path.exists("moons"))


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a not in ("--all", "--chains")]
    unittest.main()
