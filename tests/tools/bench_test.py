"""slope bench: its table, JSON and protocol, on the smallest cases. Timings are not checked."""
import json, math, os, re, struct, subprocess, sys, types, unittest, unittest.mock
from slope_runner import Case, ENVIRONMENT, SLOPE, HANGS, write_tensors

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/bench/compare"))
import real_batches, versus


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
        for cases, got in ((["two-moons", "char-gpt"], "2"), (["machine"], "0 and machine, which is none"), (["two-moons", "machine"], "1 and machine, which is none")):
            self.assertEqual(self.refused(2, "bench", *cases, "--trace", "trace.json", says=f"bench --trace: name exactly one case, got {got}\n").out, "")
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
        self.refused(2, "bench", "real", "--batches", "b.safetensors", "--trace", "b.safetensors", says="--trace b.safetensors: would replace what is read; choose another name")
        lines = self.good("bench", "real", "--batches", "b.safetensors", "--steps", "1", "--threads", "1").out.splitlines()
        self.assertTrue(re.match(r"real +1 ", lines[1]), lines)
        for code, file in [(3, "train.de"), (4, "missing")]:
            self.assertEqual(self.refused(code, "bench", "real", "--batches", file, says=file).out, "")
        os.symlink("few.en", "link")
        for name in ("few.de", "./few.en", "link"):
            self.refused(2, "bench", "real", "--train", "few", "--write-batches", name, says=f"--write-batches {name}: would replace what is read; choose another name")

    def test_what_is_no_batch_is_named(self):
        def batches(source=(2, 3), target=(2, 4), id=3, dtype="I64", **metadata):
            sizes = [8 * math.prod(shape) for shape in (source, target)]
            write_tensors("b.safetensors", {"__metadata__": {"source_vocab": "9", "target_vocab": "9"} | metadata,
                                            "source.000": {"dtype": dtype, "shape": source, "data_offsets": [0, sizes[0]]},
                                            "target.000": {"dtype": dtype, "shape": target, "data_offsets": [sizes[0], sum(sizes)]}}, struct.pack("<q", id) * (sum(sizes) // 8))
            return ["bench", "real", "--batches", "b.safetensors", "--steps", "1", "--threads", "1"]
        self.good(*batches())
        for file, says in (({"source_vocab": "20000000"}, "source_vocab in its __metadata__ must be a number from 1 to 1000000, is '20000000'"),
                           ({"id": 9}, "source.000 holds the id 9, its vocabulary has 9"), ({"id": -1}, "source.000 holds the id -1"), ({"target_vocab": "3"}, "target.000 holds the id 3, its vocabulary has 3"),
                           ({"source": (3, 3)}, "source.000 has 3 rows, target.000 has 2"), ({"target": (8,)}, "target.000 must be int64 (B, T)"), ({"source": (0, 3)}, "source.000 must be"),
                           ({"target": (2, 1)}, "target.000 must be"), ({"source": (2, 5000)}, "source.000 must be"), ({"dtype": "F64"}, "source.000 must be int64 (B, T) with 1 to ")):
            with self.subTest(file=file):
                self.refused(3, *batches(**file), says=f"b.safetensors: {says}")

    def test_nothing_is_measured_that_cannot_be_read(self):
        for arguments, later in ((["scale", "--out", "plots"], "plots/scale_time.svg"), (["two-moons", "--trace", "trace.json"], "trace.json")):
            with open("/dev/full", "w") as full:
                done = subprocess.run([SLOPE, "bench", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, timeout=HANGS)
            self.assertEqual((done.returncode, done.stderr), (4, "slope: standard output could not be written\n"))
            self.assertFalse(os.path.exists(later))

    def test_a_new_process_has_the_precision_too(self):
        with unittest.mock.patch.dict(ENVIRONMENT, SLOPE_BF16="none"):
            noted = self.slope("bench", "start-up", "--precision", "bf16", "--steps", "2")
        self.assertEqual((noted.code, noted.err.count("\n")), (0, 1), noted)
        if not os.path.exists("/proc/thread-self/children"):
            self.skipTest("this kernel does not list a process's children")
        process, words = self.start("bench", "start-up", "--precision", "bf16", "--steps", "1000000"), []
        while "--once" not in words:
            self.assertIsNone(process.poll())
            try:
                with open(f"/proc/{process.pid}/task/{process.pid}/children") as children, open(f"/proc/{children.read().split()[0]}/cmdline") as line:
                    words = line.read().split("\0")
            except (IndexError, OSError):  # it has none at the moment
                pass
        process.kill()
        process.communicate()
        self.assertEqual(words[words.index("--precision") + 1], "bf16")

    def test_comparisons_without_blas_or_with_few_batches(self):
        limits = {"multiply-add, vectors of v3": 100.0, "gemm: a": 80.0, "bf16 (none): a": 70.0, "triad in memory, 1 MB": 10.0, "triad in cache, 1 MB": 50.0}
        self.assertEqual(versus.summary_of(limits), {"peak": 100.0, "product": 80.0, "cblas_sgemm": 0.0, "memory": 10.0, "cache": 50.0})
        side = types.SimpleNamespace(name="slope", batches=3, parameters=7, flops=2.0, bytes=4.0, run=lambda steps: (steps, 0.5), quit=lambda: None)
        with unittest.mock.patch.multiple(real_batches, start_sides=lambda *_: {"slope": side}, check_parameters=lambda _: None):
            found = real_batches.time_blocks(types.SimpleNamespace(rounds=1, block=10, compile=False), "b")
        self.assertEqual(found, ({"slope": [(10, 0.5)]}, [2.0, 4.0], 7, 3))

    def test_the_bars_in_bf16_are_those_of_the_cpus_unit(self):
        options = types.SimpleNamespace(precision="bf16", threads=2)
        for flags, bars in (("flags : fma avx512_bf16 amx_bf16 amx_tile", [2.0, 1.6, 1.6, 1.5, 1.8]), ("flags : fma avx512_bf16", [1.5, 1.5, 1.5, 1.5, 1.8])):
            with unittest.mock.patch.object(versus.pathlib.Path, "read_text", return_value=flags):
                self.assertEqual([versus.bar_of(options, case) for case in ("translation", "transformer-base", "gpt-384", "gpt2-124m", "char-gpt")], bars)

    def test_one_hash_trains_with_the_published_settings_and_compares_builds(self):
        for name in ("a", "b"):  # stand for builds of slope; each writes weights of its own
            with open(name, "w") as file:
                file.write('#!/bin/sh\nfor run; do :; done\nmkdir -p "$run/last"\necho "$0" > "$run/last/model.safetensors"\necho "$@" >> said\n')
            os.chmod(name, 0o755)
        script = os.path.join(os.path.dirname(versus.__file__), "one_hash")
        for builds, expected in ((["./a"], (0, "one hash")), (["./a", "./b"], (1, "2 different hashes"))):
            done = subprocess.run([sys.executable, script, "--times", "2", "--threads", "1", "--slope", *builds], capture_output=True, text=True, env=ENVIRONMENT | {"SLOPE_DATA": "."}, timeout=HANGS)
            self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), expected, done.stderr)
        with open("said") as file:
            self.assertEqual([line.startswith("train translation --preset multi30k --train train ") for line in file], [True] * 6)

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
