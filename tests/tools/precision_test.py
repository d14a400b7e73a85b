"""--precision bf16: its messages, the same bits on any number of threads and after a kill, and what a resume refuses."""
import json, random, shutil, time, unittest, unittest.mock
from slope_runner import Case, ENVIRONMENT, SMALL, SMALL_GPT, TEXT, HANGS, trained

BF16 = [*SMALL, "--precision", "bf16", "--dropout", "0.1", "--steps", "12"]


class Precision(Case):
    def run_of(self, name, *arguments):
        return ["train", "translation", *TEXT, *arguments, "--out", name]

    def test_one_hash_for_any_number_of_threads_and_after_kills(self):
        start = time.monotonic()
        self.good(*self.run_of("one", *BF16, "--threads", "1"))
        lasts = time.monotonic() - start
        expected = trained("one")
        for threads in ["2", "3", "4"]:
            self.good(*self.run_of("threads" + threads, *BF16, "--threads", threads))
            self.assertEqual(trained("threads" + threads), expected)
        draw, again = random.Random(5), self.run_of("killed", *BF16, "--save-every", "1", "--resume")
        for _ in range(4):
            process = self.start(*again)
            time.sleep(draw.uniform(0, lasts))
            process.kill()
            process.communicate(timeout=HANGS)
            if process.returncode == 0:
                shutil.rmtree("killed")
        self.good(*again)
        self.assertEqual(trained("killed"), expected)
        self.good(*self.run_of("f32", *BF16, "--precision", "f32"))
        self.assertNotEqual(trained("f32"), expected)

    def test_one_hash_by_each_unit_that_the_cpu_has(self):
        found = []
        for unit in ["amx", "avx512", "none"]:
            with unittest.mock.patch.dict(ENVIRONMENT, SLOPE_BF16=unit):
                if self.slope("--version").code == 2:  # this CPU or build has none
                    continue
                for threads in ["1", "2", "3"]:
                    self.good(*self.run_of(unit + threads, *BF16, "--threads", threads))
            found.append(unit)
            for threads in ["2", "3"]:
                self.assertEqual(trained(unit + threads), trained(unit + "1"), unit)
        self.assertIn("none", found)

    def test_the_run_keeps_it_and_a_resume_with_another_is_refused(self):
        self.good(*self.run_of("run", *BF16))
        with open("run/last/config.json") as file:
            self.assertEqual(json.load(file)["precision"], "bf16")
        self.refused(2, *self.run_of("run", "--resume", "--precision", "f32", "--steps", "20"), says='precision was "bf16", is "f32"')

    def test_a_cpu_without_the_unit_says_so_once(self):
        with unittest.mock.patch.dict(ENVIRONMENT, SLOPE_BF16="none"):
            result = self.good(*self.run_of("run", *BF16))
        self.assertEqual(result.out.count("not faster than f32"), 1, result)

    def test_decoding_with_rounded_weights(self):
        self.good(*self.run_of("run", *SMALL, "--steps", "30"))
        exact, rounded = (json.loads(self.good("eval", "run", "--data", "valid", "--json", *flags).out) for flags in [[], ["--precision", "bf16"]])
        self.assertNotEqual(exact["loss"], rounded["loss"])
        self.assertAlmostEqual(exact["loss"], rounded["loss"], delta=0.01 * exact["loss"])
        self.good("translate", "run", "valid.de", "--precision", "bf16")
        self.good("train", "char-gpt", "--text", "train.en", *SMALL_GPT, "--steps", "2", "--out", "text")
        self.good("generate", "text", "--tokens", "20", "--precision", "bf16")
        for word in ("f16", "fp16"):
            for command in (["translate", "run"], ["generate", "text"], ["eval", "run", "--data", "valid"], ["train", "points", "--out", "new"], ["bench", "two-moons"]):
                self.refused(2, *command, "--precision", word, says=f"slope: --precision {word}: expected one of f32, bf16")

    def test_words(self):
        self.assertRegex(self.good("--version").out, r"\nbf16 products: (AVX512-BF16|AMX|f32 products of rounded operands)\n")


if __name__ == "__main__":
    unittest.main()
