"""Training killed by each kind of signal at random instants, once with a second process on its folder, and resumed: the same bits. `tools/bench/compare/kill_resume` repeats this any number of times."""
import os, runpy, subprocess, sys, unittest
from slope_runner import ENVIRONMENT, HANGS, SANITIZED, SLOPE

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/bench/compare/kill_resume")


class Kills(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "a sanitizer's build takes too long")
    def test_same_bits(self):
        done = subprocess.run([sys.executable, "-B", SCRIPT, "--kills", "5", "--signals", "--slope", SLOPE], capture_output=True, text=True, env=ENVIRONMENT, timeout=HANGS)
        # each training begins with --resume, so that what its folder holds makes no difference
        said = [line for line in done.stderr.splitlines() if "holds no run to go on with" not in line]
        self.assertEqual((done.returncode, said), (0, []), done.stdout)
        self.assertIn("5 of 5 the same hash", done.stdout)

    def test_a_note_is_no_refusal(self):
        refusals, note, line = runpy.run_path(SCRIPT)["refusals"], "slope: note: run holds no run to go on with: a new one starts\n", "slope: run: is locked"
        self.assertEqual((refusals(note), refusals(note + line), refusals("")), ([], [line], []))


if __name__ == "__main__":
    unittest.main()
