"""The subcommands that a program with its own model (own_model.cpp) has. SLOPE_COMMAND is the program's path."""
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools"))
from slope_runner import Case, log_of, trained  # noqa: E402

TRAIN = ["train", "running-mean", "--text", "train.en", "--block-size", "8", "--n-embd", "8", "--batch-size", "4", "--threads", "1", "--log-every", "1"]


class OwnModel(Case):
    def test_it_is_in_the_zoo(self):
        models = {m["model"]: m for m in json.loads(self.good("zoo", "--json").out)["models"]}
        self.assertEqual((models["running-mean"]["kind"], models["running-mean"]["file"]), ("lm", "-"))
        self.assertIn("char-gpt", models)

    def test_it_trains_and_goes_on_with_the_same_bits_after_a_kill(self):
        self.good(*TRAIN, "--steps", "40", "--save-every", "5", "--out", "whole")
        self.assertLess(log_of("whole")[-1]["validation_loss"], log_of("whole")[0]["loss"])
        process = self.start(*TRAIN, "--steps", "40", "--save-every", "5", "--out", "killed")
        for line in process.stdout:
            if line.startswith(b"step 13/"):
                break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.good("train", "lm", "--resume", "--threads", "2", "--out", "killed")
        whole, killed = trained("whole"), trained("killed")
        self.assertEqual((whole["model"], whole["state"]), (killed["model"], killed["state"]))

    def test_it_generates_and_is_evaluated(self):
        self.good(*TRAIN, "--steps", "20", "--out", "run")
        text = self.good("generate", "run", "--prompt", "the man", "--tokens", "50").out
        self.assertEqual((text[:7], len(text)), ("the man", 58))
        self.assertEqual(self.good("generate", "run", "--prompt", "the man", "--tokens", "50").out, text)
        figures = json.loads(self.good("eval", "run", "--data", "valid.en", "--json").out)
        self.assertGreater(figures["tokens"], 100)
        self.assertGreater(figures["loss"], 0)
        self.assertEqual(json.loads(self.good("inspect", "run", "--json").out)["config"]["n_embd"], 8)

    def test_its_gradients_are_checked_and_drawn(self):
        report = json.loads(self.good("gradcheck", "--model", "running-mean", "--json").out)["report"]
        self.assertEqual((report["ok"], report["failed"]), (True, 0))
        self.assertGreater(report["checked"], 90)
        self.good("graph", "running-mean", "-o", "graph.json")
        with open("graph.json", encoding="utf-8") as file:
            names = {node["name"] for node in json.load(file)["nodes"]}
        self.assertLessEqual({"characters.weight", "hidden.weight", "out.bias"}, names)
        self.good(*TRAIN, "--steps", "2", "--out", "run")
        self.good("graph", "run", "-o", "run.svg")

    def test_a_program_that_does_not_know_it_says_so(self):
        self.good(*TRAIN, "--steps", "2", "--out", "run")
        with open("run/last/config.json", encoding="utf-8") as file:
            config = file.read()
        os.rename("run/last/config.json", "run/last/kept")
        with open("run/last/config.json", "w", encoding="utf-8") as file:
            file.write(config.replace("running-mean", "unheard-of"))
        self.refused(3, "generate", "run", says=["unheard-of", "does not know", "running-mean"])

    def test_functions_of_its_own_are_checked(self):
        program = os.path.join(os.path.dirname(os.environ["SLOPE_COMMAND"]), "own_function")
        run = subprocess.run([program], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"(?m)^log_cosh +ok  1 cases")
        self.assertRegex(run.stdout, r"(?m)^two_squares +FAILED")
        self.assertIn("because of wrong_square; likely a lost factor 2", run.stdout)
        self.assertIn("gradcheck(f, {from_vector<double>({", run.stdout)  # a program by itself, which registers nothing
        self.assertIn("// f: the function under check", run.stdout)
        one = subprocess.run([program, "log_cosh", "--seed", "3"], capture_output=True, text=True, check=False)
        self.assertEqual(one.returncode, 0)


if __name__ == "__main__":
    unittest.main()
