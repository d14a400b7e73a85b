"""slope museum: each exhibit shows its symptom and is caught; what must not compile does not. slope lint: on every model, on runs."""
import json, os, pathlib, re, subprocess, time, unittest
from slope_runner import SANITIZED, SMALL, Case

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def errors_of(programs):
    """The compiler's messages for all exhibits in one run: each is in its own namespace, with line numbers as in a file of its name."""
    with open("refused.cpp", "w", encoding="utf-8") as file:
        file.write("#include <slope/nn/nn.h>\nusing namespace slope;\n")
        for i, e in enumerate(programs):
            file.write(f'#line 1 "{e["exhibit"]}"\nnamespace program_{i} {{ {e["program"]}\n}}\n')
    command = [os.environ["SLOPE_CXX"], "-std=c++20", "-fsyntax-only", "-Werror=unused-result", "-I", os.environ["SLOPE_INCLUDE"], "refused.cpp"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


class Museum(Case):
    def exhibits(self):
        return json.loads(self.good("museum", "run", "--all", "--json").out)

    def test_every_exhibit_shows_its_symptom_and_the_detector_catches_the_broken_one_alone(self):
        for e in self.exhibits():
            with self.subTest(e["exhibit"]):
                self.assertTrue(e["ok"], e)
                self.assertTrue(e["fix"] and e["mistake"] and e["from"])
                if not e["program"]:
                    self.assertEqual(bool(e["detector"]), not e["why"])
                    self.assertTrue(all(line["broken"] != line["right"] for line in e["symptoms"]))
                    unexplained = [f for f in e["right"] if not f["reason"]]
                    self.assertEqual(unexplained, [])
                    self.assertEqual(e["detector"] in {f["detector"] for f in e["broken"]} if e["detector"] else e["broken"] == [], True)

    def test_the_table_of_the_readme_is_what_the_command_writes(self):
        readme = (SOURCE / "tools/museum/README.md").read_text(encoding="utf-8")
        table = self.good("museum", "table").out
        self.assertIn("\n" + table, readme, "slope museum table writes another table")
        self.assertGreaterEqual(table.count("\n"), 30)

    def test_the_list_and_the_text_name_what_is_there(self):
        listed = [line.split()[0] for line in self.good("museum").out.splitlines()]
        self.assertEqual(listed, [e["exhibit"] for e in self.exhibits()])
        text = self.good("museum", "run", "swapped-masks").out
        for expected in ("broken", "right", "causality: output 0 depends on input", "nothing found"):
            self.assertIn(expected, text)
        self.assertIn("does not compile", self.good("museum", "run", "discarded-result").out)
        self.refused(2, "museum", "run", "swaped-masks", says="did you mean swapped-masks")
        self.refused(2, "museum", "run", says="--all")

    def test_an_exhibit_takes_less_than_ten_seconds(self):
        start = time.monotonic()
        self.good("museum", "run", "--all")
        self.assertLess(time.monotonic() - start, 10 * 20)  # of all: 20 of them run

    @unittest.skipIf(SANITIZED or "SLOPE_CXX" not in os.environ, "the compiler alone is asked: once is enough")
    def test_what_must_not_compile_does_not(self):
        programs = [e for e in self.exhibits() if e["program"]]
        self.assertGreaterEqual(len(programs), 8)
        together = errors_of(programs)
        for e in programs:
            with self.subTest(e["exhibit"]):
                place = re.compile(rf"\b{e['exhibit']}:\d+")
                # clang skips a template after an error that makes it pointless, and may not say where it was used
                errors = together if place.search(together) else errors_of([e])
                lines = [line for line in errors.splitlines() if "error: " in line]
                # an error in one of the library's templates is reported at its place there
                own = [line for line in lines if place.match(line)] or [line for line in lines if "/slope/" in line]
                self.assertTrue(own and re.search(e["error"], own[0]), own or lines)


class Lint(Case):
    def test_every_model_of_the_zoo_passes_or_each_finding_is_explained(self):
        reports = json.loads(self.good("lint", "--all", "--json").out)
        models = json.loads(self.good("zoo", "--json").out)["models"]
        self.assertEqual([r["model"] for r in reports], [m["model"] for m in models])
        for report, model in zip(reports, models):
            with self.subTest(report["model"]):
                self.assertTrue(report["ok"], report)
                self.assertTrue(all(f["reason"] for f in report["findings"]))
                expected = {"unused-parameter", "foreign-parameter", "dead-gradient", "train-eval", "accumulation", "mode", "setting"}
                expected |= {"translation": {"target: causality", "source: padding", "source: masked-rows", "source: batch", "target: lengths"},
                             "lm": {"text: causality", "text: batch", "text: ignored-input"}, "points": {"points: batch"}}[model["kind"]]
                self.assertEqual(expected - set(report["checks"]), set())

    def test_runs_with_their_weights_and_what_is_neither(self):
        self.train("run", "--steps", "2", "--dropout", "0.2")
        text = self.good("lint", "run").out
        self.assertRegex(text, r"\Arun: \d+ checks, no finding, \d+ explained\n")
        self.gpt("gpt", "--steps", "2")
        self.assertRegex(self.good("lint", "gpt").out, r"\Agpt: \d+ checks, no finding\n")
        for name, line in (("dna", "ACGT\n"), ("pair.de", "a b\n"), ("pair.en", "c d\n")):
            with open(name, "w") as file:
                file.write(line * 40)
        self.gpt("five", "--text", "dna", "--steps", "2")  # a vocabulary of five characters
        self.assertRegex(self.good("lint", "five").out, r"\Afive: \d+ checks, no finding\n")
        self.good("train", "translation", *SMALL, "--train", "pair", "--valid", "pair", "--max-len", "6", "--steps", "2", "--out", "six")
        self.assertRegex(self.good("lint", "six").out, r"\Asix: \d+ checks, no finding")
        os.rename("six", "odd\x1b[31m")
        self.assertRegex(self.good("lint", "odd\x1b[31m").out, r"\Aodd\\x1b\[31m: \d+ checks")
        self.refused(2, "lint", "nothing", says="no model is called nothing")
        self.refused(2, "lint", says="--all")


if __name__ == "__main__":
    unittest.main()
