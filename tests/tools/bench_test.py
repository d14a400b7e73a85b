"""slope bench: its table, JSON and protocol, on the smallest cases. Timings are not checked."""
import json, os, re, subprocess, unittest
from slope_runner import Case, ENVIRONMENT, SLOPE, HANGS


class Bench(Case):
    def test_a_line_for_each_case(self):
        lines = self.good("bench", "two-moons", "operations.relu", "start-up", "--steps", "2", "--threads", "1").out.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["case", "two-moons", "operations.relu", "start-up"])
        for line in lines[1:]:
            self.assertRegex(line, r"\A\S+ +2 +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+|-) +([\d.]+|-) +[\d.]+\Z")

    def test_json(self):
        result = json.loads(self.good("bench", "two-moons", "decode1", "--steps", "1", "--threads", "1", "--json").out)
        self.assertEqual(result["threads"], 1)
        mlp, decoding = result["cases"]
        self.assertEqual((mlp["case"], mlp["steps"], "tokens_per_second" in mlp), ("two-moons", 1, False))
        self.assertGreater(mlp["gflops"], 0)
        self.assertGreater(decoding["tokens_per_second"], 0)
        self.assertLessEqual(decoding["min_ms"], decoding["median_ms"])

    def test_where_the_time_goes(self):
        table = self.good("bench", "two-moons", "--profile", "--steps", "3").out
        self.assertRegex(table, r"(?m)^linear backward +[\d.]+% +3 .* fc1$")
        self.good("bench", "two-moons", "--trace", "trace.json", "--steps", "3")
        with open("trace.json", encoding="utf-8") as file:
            events = json.load(file)
        self.assertEqual(sum(event["name"] == "linear" and event["cat"] == "backward" for event in events), 9)
        for cases in (["two-moons", "char-gpt"], ["machine"], ["two-moons", "machine"]):
            self.assertEqual(self.refused(2, "bench", *cases, "--trace", "trace.json", says="exactly one case").out, "")
        self.assertEqual(self.refused(4, "bench", "two-moons", "--trace", "missing/trace.json", says="missing").out, "")
        self.refused(2, "bench", "two-moons", "--profile", "--json", says="--json")
        self.refused(2, "bench", "two-moons", "--serve", "--json", says="--serve")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "skipped: one CPU")
    def test_threads_that_the_environment_binds_get_a_cpu_each(self):
        environment = ENVIRONMENT | {"OMP_PROC_BIND": "true", "OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "thread %n on %A"}
        done = subprocess.run([SLOPE, "bench", "operations.relu", "--steps", "1", "--threads", "2"], capture_output=True, text=True, env=environment, timeout=HANGS)
        places = dict(re.findall(r"thread (\d+) on (\S+)", done.stderr))
        if not places:
            self.skipTest("built without OpenMP")
        self.assertEqual(len(places), 2, done.stderr)
        self.assertEqual(len(set(places.values())), 2, done.stderr)

    def test_libraries_read_slopes_defaults_and_the_users_settings(self):
        def spins(**settings):
            done = subprocess.run([SLOPE, "zoo"], capture_output=True, text=True, env=ENVIRONMENT | {"OMP_DISPLAY_ENV": "verbose"} | settings, timeout=HANGS)
            return re.findall(r"GOMP_SPINCOUNT = '(\w+)'", done.stderr)
        if not spins():
            self.skipTest("not with libgomp")
        self.assertEqual(spins(), ["10000"])
        self.assertEqual(spins(GOMP_SPINCOUNT="77"), ["77"])
        self.assertNotEqual(spins(OMP_WAIT_POLICY="active"), ["10000"])

    def test_the_protocol(self):
        lines = self.good("bench", "two-moons", "--serve", "--threads", "1", stdin="load\nrun 300\nrun 1\nquit\n").out.splitlines()
        self.assertEqual(lines[:2], ["ready", "loaded 337 1"])
        self.assertRegex(lines[2], r"\A300 [\d.]+ [\d.]+ \d+ \d+\Z")
        self.assertLess(float(lines[3].split()[2]), 0.4, "the two moons were learned a little")
        for line in ("run 1", "load\nrun 0", "load\nrun x", "load\nrun 1 1", "hello"):
            with self.subTest(line=line):
                result = self.slope("bench", "two-moons", "--serve", stdin=line + "\n")
                self.check_refusal(result, 2, "expected load, run K or quit", line)

    def test_batches_of_a_text(self):
        for side in ("de", "en"):  # a small batch: the model has its full size
            with open(f"train.{side}", encoding="utf-8") as whole, open(f"few.{side}", "w", encoding="utf-8") as few:
                few.writelines(whole.readlines()[:4])
        self.good("bench", "real", "--train", "few", "--write-batches", "b.safetensors", "--count", "1")
        self.refused(2, "bench", "real", "--batches", "b.safetensors", "--trace", "b.safetensors", says="--trace b.safetensors would replace the batches")
        lines = self.good("bench", "real", "--batches", "b.safetensors", "--steps", "1", "--threads", "1").out.splitlines()
        self.assertTrue(re.match(r"real +1 ", lines[1]), lines)
        for code, file in [(3, "train.de"), (4, "missing")]:
            self.assertEqual(self.refused(code, "bench", "real", "--batches", file, says=file).out, "")

    def test_what_makes_no_sense_is_refused(self):
        for arguments, says in [
            (["nothing"], ["nothing", "slope bench --help"]), (["decode2"], "did you mean decode1?"), (["two-moons", "--steps", "0"], "--steps"),
            (["two-moons", "--steps", "x"], "--steps"), (["operations", "--serve"], "exactly one case"), (["two-moons", "start-up", "--serve"], "exactly one case"), (["machine", "--serve"], "exactly one case"),
            (["translation", "--once"], "--once"), (["real"], "--batches"), (["two-moons", "real"], "stands before real"), (["two-moons", "--threads", "0"], "--threads 0"),
        ]:
            with self.subTest(arguments=arguments):
                self.refused(2, "bench", *arguments, says=says)


if __name__ == "__main__":
    unittest.main()
