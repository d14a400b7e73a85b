"""A system call behind a command's files fails, once or from then on: one line and exit 4, or the whole result; what was there stays, and the same command gives its result afterwards.

`failing_calls_test.py --all` fails every call with every error, where the test takes some of them. (For `train` the same is a test of the trainer.)
"""
import errno, os, re, shutil, subprocess, sys, unittest
from slope_runner import ENVIRONMENT, Case, Result, SLOPE, SMALL, SMALL_GPT, TEXT, HANGS, decode, sha256, snapshot

LIBRARY = os.environ.get("SLOPE_FAIL_LIBRARY", "")
EVERY = "--all" in sys.argv
ERRORS = (errno.EIO, errno.ESTALE, errno.ENOSPC, errno.EROFS)
TEMPORARY = re.compile(r"\.\d+-\d+\.tmp\Z|\.tmp(/|\Z)")  # slope's own, left where even removing fails


@unittest.skipUnless(os.path.exists(LIBRARY), "SLOPE_FAIL_LIBRARY names no library: a sanitizer's build has none")
class Calls(Case):
    def setUp(self):
        super().setUp()
        self.good("train", "translation", *TEXT, *SMALL, "--steps", "2", "--out", "run")
        self.gpt("gpt", "--steps", "2")

    def run_with(self, *arguments, **variables):
        environment = {**ENVIRONMENT, "LD_PRELOAD": LIBRARY, **{k: str(v) for k, v in variables.items()}}
        done = subprocess.run([SLOPE, *arguments], capture_output=True, env=environment, timeout=HANGS, stdin=subprocess.DEVNULL)
        return Result(done.returncode, decode(done.stdout), decode(done.stderr))

    def clear(self, out, old):
        if os.path.isdir(out):
            shutil.rmtree(out)
        for name in os.listdir("."):
            if TEMPORARY.search(name):
                shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
        if old is not None:
            with open(out, "w") as file:
                file.write(old)

    def walk(self, out, *arguments, old=None, result=snapshot, runs=12, goes_on=False):
        """`out` is what the command writes, `old` what is there before; result(out): what must be the same however it came about; goes_on: a second call continues where the first ended."""
        before = snapshot(".")
        whole = self.run_with(*arguments, FAIL_CALLS="/dev/stderr")
        self.assertEqual(whole.code, 0, whole)
        count, expected = int(whole.err), result(out)
        self.assertGreater(count, 5)
        refused = unneeded = 0
        for error in ERRORS if EVERY else ERRORS[:1]:
            for on in (0, 1):
                for n in range(1, count + 1, 1 if EVERY else max(1, count // runs)):
                    with self.subTest(command=arguments[0], call=n, on=on, error=errno.errorcode[error]):
                        self.clear(out, old)
                        ended = self.run_with(*arguments, FAIL_CALL=n, FAIL_ON=on, FAIL_ERROR=error)
                        if ended.code == 0:
                            self.assertEqual((ended.out, ended.err, result(out)), (whole.out, "", expected))
                            unneeded += 1
                        else:
                            self.check_refusal(ended, 4, os.strerror(error))
                            refused += 1
                        after = {k: v for k, v in snapshot(".").items() if not k.startswith(f"./{out}") or k == f"./{out}"}
                        left = {k for k in after if k not in before and k != f"./{out}" and not TEMPORARY.search(k)}
                        self.assertEqual(left, set())
                        self.assertEqual({k: after.get(k) for k in before if k != f"./{out}"}, {k: v for k, v in before.items() if k != f"./{out}"})
                        if old is not None:
                            self.assertIn(after[f"./{out}"], (old.encode(), expected.get(out, expected)))
                        if os.path.isdir(out) and not goes_on:  # whole, or not there
                            self.assertEqual(result(out), expected)
                            shutil.rmtree(out)
                        self.assertEqual(self.good(*arguments).out, whole.out)
                        self.assertEqual(result(out), expected)
        if EVERY:
            print(f"{arguments[0]}: {count} calls, {refused} refused in one line, {unneeded} not needed", file=sys.stderr, flush=True)
        self.assertGreater(refused, 0)

    def picture(self, out):
        with open(out, "rb") as file:
            return {out: file.read()}

    def test_of_pictures(self):
        for arguments in (["plot", "run", "gpt"], ["graph", "mlp"]):
            with self.subTest(command=arguments[0]):
                self.walk("a.svg", *arguments, "-o", "a.svg", old="mine", result=self.picture)

    def test_of_a_page(self):
        with open("page.html", "w") as file:
            file.write('<html><script id="run" type="application/json"></script></html>')
        for model in ("prenorm", "run"):
            with self.subTest(model=model):
                self.walk("a.html", "explore", model, "-o", "a.html", "--page", "page.html", "--values", "4", old="mine", result=self.picture)

    def test_of_export(self):
        self.walk("out", "export", "gpt", "--to", "pytorch", "-o", "out")

    def test_of_a_sweep(self):
        def weights(out):
            return {run: sha256(f"{out}/{run}/last/model.safetensors") for run in ("lr=0.001", "lr=0.002")}
        self.walk("sweep", "sweep", "lm", "--text", "train.en", *SMALL_GPT, "--steps", "2", "--grid", "lr=0.001,0.002", "--out", "sweep", result=weights, runs=5, goes_on=True)


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "--all"]
    unittest.main()
