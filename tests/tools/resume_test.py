"""A run interrupted at any instant and resumed gives the bits of an uninterrupted one, with any number of threads."""
import array, json, os, random, re, shutil, signal, time, unittest
from slope_runner import Case, RICH, SMALL, SMALL_GPT, TEXT, HANGS, log_of, read_tensors, sha256, snapshot, trained, without_note


class Resume(Case):
    def run_of(self, name, *arguments):
        return ["train", "translation", *TEXT, *arguments, "--out", name]

    def straight(self, *arguments):
        self.good(*self.run_of("straight", *arguments))
        return trained("straight")

    def same(self, run, expected):
        self.assertEqual(trained(run), expected)
        self.assertEqual([name for name in os.listdir(run) if name.endswith(".tmp")], [])
        self.assertLessEqual(len([name for name in os.listdir(run) if name.startswith("step-")]), 2)

    def test_signals_save_and_exit(self):
        arguments = [*RICH, "--steps", "150"]
        expected = self.straight(*arguments)
        for number, code, step in [(signal.SIGINT, 130, 33), (signal.SIGTERM, 143, 71), (signal.SIGHUP, 129, 104)]:
            result = self.stop_at(self.start(*self.run_of("run", *arguments, "--resume")), step, number)
            self.assertEqual((result.code, without_note(result.err)), (code, ""), result)
            self.assertRegex(result.out, r"interrupted: step (\d+) is saved in run; go on with --resume\n\Z")
            self.assertTrue(os.path.exists("run/last/state.safetensors"))
            self.good("translate", "run", "valid.de")
        result = self.good("train", "translation", "--out", "run", "--resume")  # the settings are the run's own
        self.assertIn("done: 150 steps", result.out)
        self.same("run", expected)

    def test_a_signal_saves_each_kind_of_model(self):
        for kind, more in (("points", []), ("lm", ["--text", "train.en", *SMALL_GPT]), ("translation", [*TEXT, *SMALL])):
            with self.subTest(kind=kind):
                arguments = ["train", kind, *more, "--log-every", "1", "--seed", "3"]
                result = self.stop_at(self.start(*arguments, "--steps", "1000000", "--validate-every", "1000000", "--out", kind), 3, signal.SIGINT)
                self.assertEqual((result.code, result.err), (130, ""), result)
                step = re.search(rf"interrupted: step (\d+) is saved in {kind}; go on with --resume\n\Z", result.out).group(1)
                self.good(*arguments, "--steps", step, "--out", f"straight-{kind}")
                for file in ("model", "state"):
                    self.assertEqual(sha256(f"{kind}/last/{file}.safetensors"), sha256(f"straight-{kind}/last/{file}.safetensors"))

    def test_superseded_checkpoints_of_each_kind_are_removed(self):
        for kind, more in (("points", []), ("lm", ["--text", "train.en", *SMALL_GPT]), ("translation", [*TEXT, *SMALL])):
            with self.subTest(kind=kind):
                arguments = ["train", kind, *more, "--seed", "3", "--validate-every", "1"]
                self.good(*arguments, "--steps", "4", "--out", kind)
                shutil.copytree(f"{kind}/step-4", f"{kind}/step-5")  # as if killed before `last` led to it
                self.good(*arguments, "--steps", "7", "--resume", "--out", kind)
                steps = {name for name in os.listdir(kind) if name.startswith("step-")}
                self.assertEqual(steps, {os.readlink(f"{kind}/last"), os.readlink(f"{kind}/best")})

    def test_what_cannot_be_removed_stays_and_is_named_once(self):
        user = self.as_user()
        arguments = ["--lr", "0.01", "--warmup", "0", "--save-every", "2"]
        self.gpt("gpt", *arguments, "--steps", "2", **user)
        os.makedirs("gpt/step-9.77-0.tmp")
        shutil.copy("gpt/step-2/state.json", "gpt/step-9.77-0.tmp/")
        for folder in ("gpt/step-2", "gpt/step-9.77-0.tmp"):
            os.chmod(folder, 0o555)
        for steps in ("8", "12"):
            out = self.gpt("gpt", *arguments, "--steps", steps, "--resume", **user).out
            for folder in ("gpt/step-2", "gpt/step-9.77-0.tmp"):
                self.assertEqual(out.count(f"{folder}: cannot remove: Permission denied; it stays, and training goes on\n"), 1, out)
            self.assertEqual({os.readlink("gpt/last"), "step-2", "step-9.77-0.tmp"} - set(os.listdir("gpt")), set())
            self.assertIn("model.safetensors", os.listdir("gpt/step-2"))
        for folder in ("gpt/step-2", "gpt/step-9.77-0.tmp"):
            os.chmod(folder, 0o777)
        self.gpt("gpt", *arguments, "--steps", "14", "--resume", **user)
        self.assertEqual({"step-2", "step-9.77-0.tmp"} & set(os.listdir("gpt")), set())

    def goes_on_with_the_same_bits(self, *arguments):
        """Killed after each of three steps and resumed; the last of them comes after step 4's validation."""
        of_schedules = {SMALL.index("--schedule"), SMALL.index("--warmup")} if "rprop" in arguments else ()
        small = [word for i, word in enumerate(SMALL) if i not in of_schedules and i - 1 not in of_schedules]
        arguments = [*small, *arguments, "--steps", "12", "--validate-every", "2", "--save-every", "1"]
        expected = self.straight(*arguments)
        killed = 0
        while not killed:  # a run that was faster than every signal tells nothing
            shutil.rmtree("run", ignore_errors=True)
            for step in (2, 3, 6):
                result = self.stop_at(self.start(*self.run_of("run", *arguments, "--resume")), step, signal.SIGKILL)
                killed += result.code == -signal.SIGKILL and "last" in os.listdir("run")
        self.good(*self.run_of("run", *arguments, "--resume"))
        self.same("run", expected)
        shutil.rmtree("run")
        shutil.rmtree("straight")

    def test_every_optimizer_goes_on_with_the_same_bits(self):
        settings = {"sgd": ["--momentum", "0.9", "--nesterov"], "rmsprop": ["--momentum", "0.9", "--centered"], "asgd": ["--t0", "2"], "lbfgs": ["--max-iter", "3"], "rprop": []}
        choices = next(s["choices"] for s in json.loads(self.good("zoo", "--json").out)["models"][0]["settings"] if s["key"] == "optimizer")
        self.assertGreaterEqual(len(choices), 15)
        for optimizer in choices:
            with self.subTest(optimizer=optimizer):
                decay = [] if optimizer in ("lbfgs", "rprop") else ["--weight-decay", "0.1"]
                lr = "1" if optimizer == "lbfgs" else "0.01"
                self.goes_on_with_the_same_bits("--optimizer", optimizer, *settings.get(optimizer, []), *decay, "--lr", lr)

    def test_schedules_and_averages_go_on_with_the_same_bits(self):
        for arguments in (["--schedule", "plateau", "--plateau-patience", "0", "--lr", "0.3"], ["--schedule", "sequential", "--schedules", "constant,cosine,wsd", "--milestones", "3,5"],
                          ["--swa-start", "3", "--swa-every", "2"], ["--average", "0.9"]):
            with self.subTest(arguments=arguments):
                self.goes_on_with_the_same_bits(*arguments)

    def test_nohup_is_respected(self):
        process = self.start(*self.run_of("run", *SMALL, "--steps", "60"), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(self.stop_at(process, 3, signal.SIGHUP).code, 0)

    def test_a_second_signal_ends_it_at_once(self):
        process = self.start(*self.run_of("run", *SMALL, "--steps", "100000"))
        for line in process.stdout:
            if line.startswith(b"step 3/"):
                break
        process.send_signal(signal.SIGSTOP)  # so that both signals are there when it goes on
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=HANGS)
        self.assertIn(process.returncode, (130, 143))

    def killed_and_resumed(self, arguments, kills, lasts):
        """Starts the run `kills` times, each killed at a random instant, then lets it end."""
        draw = random.Random(kills)
        for _ in range(kills):
            process = self.start(*arguments)
            time.sleep(draw.uniform(0, lasts))
            process.kill()
            process.communicate(timeout=HANGS)
            if process.returncode == 0:
                shutil.rmtree("run")  # it was faster: once more from the start
        self.good(*arguments)

    def test_kill_at_any_instant(self):
        arguments = [*RICH, "--save-every", "1", "--steps", "12", "--resume"]
        start = time.monotonic()
        expected = self.straight(*arguments)
        self.killed_and_resumed(self.run_of("run", *arguments), 12, time.monotonic() - start)
        self.same("run", expected)

    def test_kill_char_gpt(self):
        self.skip_slow("test_kill_at_any_instant covers this")
        arguments = ["train", "char-gpt", "--text", "train.en", *SMALL_GPT, "--dropout", "0.2", "--accumulate", "2", "--steps", "20", "--save-every", "1", "--validate-every", "6", "--resume", "--out"]
        start = time.monotonic()
        self.good(*arguments, "straight")
        self.killed_and_resumed([*arguments, "run"], 6, time.monotonic() - start)
        self.same("run", trained("straight"))

    def test_torn_leftovers_of_a_crash(self):
        arguments = [*RICH, "--steps", "20"]
        expected = self.straight(*arguments)
        self.good(*self.run_of("run", *arguments[:-1], "14"))
        # The number of steps sets the schedule and so these bits.
        self.assertNotEqual(trained("run")["model"], expected["model"])
        shutil.rmtree("run")
        process = self.start(*self.run_of("run", *arguments, "--resume"))
        for line in process.stdout:
            if line.startswith(b"step 15/"):
                process.kill()
        process.communicate(timeout=HANGS)
        os.makedirs("run/step-99.tmp")
        with open("run/step-99.tmp/model.safetensors", "wb") as file:
            file.write(b"torn")
        os.symlink("step-99", "run/last.tmp")
        with open("run/log.jsonl", "ab") as file:
            file.write(b'{"step":15,"loss":1}\n{"step":16,"lo')
        self.good(*self.run_of("run", *arguments, "--resume"))
        self.same("run", expected)

    def test_resume_without_a_checkpoint_starts_anew(self):
        arguments = [*SMALL, "--steps", "6"]
        expected = self.straight(*arguments)
        self.good(*self.run_of("run", *arguments, "--resume"))
        self.same("run", expected)
        os.makedirs("half")
        with open("half/log.jsonl", "w") as file:
            file.write('{"step":1,"loss":1}\n')
        for resume in ([], ["--resume"]):
            self.refused(3, *self.run_of("half", *arguments, *resume), says="log.jsonl: belongs to no run")

    def test_a_resume_that_finds_no_run_says_so_even_where_it_is_quiet(self):
        arguments = self.run_of("run", *SMALL, "--steps", "2", "--resume", "--quiet")
        result = self.slope(*arguments)
        self.assertEqual((result.code, result.out, result.err), (0, "", "slope: note: run holds no run to go on with: a new one starts\n"))
        self.assertEqual(self.slope(*arguments).err, "")

    def test_a_run_killed_while_it_reads_its_text_goes_on(self):
        """The text is a pipe that nobody writes to; afterwards it is a file."""
        with open("train.en") as file:
            text = file.read()
        arguments = ["train", "lm", "--text", "text", *SMALL_GPT, "--steps", "4", "--seed", "7"]
        for name, number in (("killed", signal.SIGKILL), ("interrupted", signal.SIGINT)):
            with self.subTest(name):
                os.mkfifo("text")
                process = self.start(*arguments, "--out", name)
                while not os.path.exists(f"{name}/start.json"):
                    self.assertIsNone(process.poll())
                process.send_signal(number)
                process.communicate(timeout=HANGS)
                self.assertEqual(process.returncode, -number)
                os.remove("text")
                with open("text", "w") as file:
                    file.write(text)
                result = self.good("train", "lm", "--out", name, "--resume")  # the settings are the run's own
                self.assertIn("the run starts anew, with its settings", result.out)
                self.good(*arguments, "--out", f"straight-{name}")
                self.assertEqual(trained(name), trained(f"straight-{name}"))
                os.remove("text")

    def test_what_is_refused_while_it_starts_leaves_the_folder_as_it_was(self):
        os.mkfifo("pipe.de"), os.mkfifo("pipe.en")
        process = self.start("train", "translation", "--train", "train", "--valid", "pipe", *SMALL, "--out", "run")
        while not os.path.exists("run/start.json"):
            self.assertIsNone(process.poll())
        process.kill()
        process.communicate(timeout=HANGS)
        os.remove("pipe.de"), os.remove("pipe.en")
        os.makedirs("kept/notes")
        os.symlink("nowhere", "leads-nowhere")
        for out, code in (("run", 4), ("run/a/b", 4), ("kept", 4), ("new/a/b", 4), ("leads-nowhere", 4)):
            with self.subTest(out=out):
                self.refused(code, "train", "translation", "--train", "missing", "--valid", "valid", *SMALL, "--steps", "2", "--out", out)
        self.good(*self.run_of("run", *SMALL, "--steps", "2"))

    def test_a_finished_run_stays_as_it_is_and_can_go_on(self):
        arguments = [*SMALL, "--steps", "10", "--epochs", "0"]
        expected = self.straight(*arguments)
        self.good("train", "translation", "--resume", "--out", "straight")
        self.same("straight", expected)
        self.good(*self.run_of("long", *SMALL, "--steps", "16"))
        self.good("train", "translation", "--resume", "--steps", "16", "--out", "straight")
        self.assertEqual(trained("straight")["model"], trained("long")["model"])

    def test_threads_do_not_matter(self):
        self.skip_slow("the libraries' tests run on several threads")
        wide = ["--d-model", "64", "--n-heads", "4", "--n-encoder-layers", "2", "--d-feedforward", "128", "--batch-size", "32", "--dropout", "0.1", "--max-len", "12", "--log-every", "1"]
        expected = self.straight(*wide, "--steps", "12", "--threads", "1")
        for threads in ("2", "3", "4"):
            self.good(*self.run_of(f"run{threads}", *wide, "--steps", "12", "--threads", threads))
            self.same(f"run{threads}", expected)
        for threads, step in (("3", 4), ("1", 9)):  # also where they change on a resume
            self.stop_at(self.start(*self.run_of("mixed", *wide, "--steps", "12", "--resume", "--threads", threads)), step, signal.SIGTERM)
        self.good("train", "translation", "--out", "mixed", "--resume", "--threads", "4")
        self.same("mixed", expected)

    def test_the_seed_matters(self):
        one = self.straight(*SMALL, "--steps", "3")
        self.good(*self.run_of("run", *SMALL, "--steps", "3", "--seed", "2"))
        self.assertNotEqual(trained("run")["model"], one["model"])


class Arithmetic(Case):
    def weights(self, run):
        header, data = read_tensors(f"{run}/last/model.safetensors")
        return array.array("f", data)

    def test_accumulation_equals_the_big_batch(self):
        # An epoch is always one step, so all see the same 60 pairs, in batches padded differently.
        common = [*SMALL, "--dropout", "0", "--optimizer", "sgd", "--lr", "0.5", "--steps", "8"]
        for name, more in (("whole", ["--batch-size", "60"]), ("halves", ["--batch-size", "30", "--accumulate", "2"]), ("fifths", ["--batch-size", "12", "--accumulate", "5"])):
            self.good("train", "translation", *TEXT, *common, *more, "--out", name)
        whole = self.weights("whole")
        self.good("train", "translation", *TEXT, *common, "--batch-size", "60", "--lr", "0", "--out", "untrained")
        self.assertGreater(max(abs(a - b) for a, b in zip(whole, self.weights("untrained"))), 0.05)
        for name in ("halves", "fifths"):
            self.assertLess(max(abs(a - b) for a, b in zip(whole, self.weights(name))), 1e-5)
            for a, b in zip(log_of("whole"), log_of(name)):
                self.assertEqual(a["step"], b["step"])
                self.assertAlmostEqual(a.get("loss", 0), b.get("loss", 0), delta=1e-5)

    def test_early_stopping(self):
        result = self.train("run", "--lr", "0", "--patience", "2", "--validate-every", "3", "--steps", "100")
        self.assertIn("stopped early: no better validation loss since step 3", result.out)
        self.assertEqual([line["step"] for line in log_of("run") if "validation_loss" in line], [3, 6, 9])
        self.assertEqual(os.readlink("run/best"), "step-3")
        self.assertEqual(os.readlink("run/last"), "step-9")
        before = snapshot("run")
        self.good("train", "translation", "--resume", "--out", "run")
        self.assertEqual(snapshot("run"), before)
        result = self.good("train", "translation", "--resume", "--lr", "0.5", "--out", "run")
        self.assertIn("with patience 2 no step is left: no better validation loss since step 3; lr stays 0.0", result.out)
        self.assertEqual(snapshot("run"), before)

    def test_settings_that_leave_no_step_are_not_taken(self):
        self.train("run", "--validate-every", "2", "--steps", "6", "--lr", "0")
        before = snapshot("run")
        for flags, says in (
            (["--steps", "4"], "no step is left up to step 4: the run is at step 6; steps stays 6\n"),
            (["--patience", "1"], "no step is left up to step 6: the run is at step 6; patience stays 0\n"),
            (["--patience", "1", "--steps", "9"], "with patience 1 no step is left: no better validation loss since step 2; steps stays 6; patience stays 0\n"),
        ):
            result = self.good("train", "translation", "--resume", *flags, "--out", "run")
            self.assertIn(says, result.out)
            self.assertNotIn("stopped early", result.out)
            self.assertEqual(snapshot("run"), before)

    def test_best_is_the_least_validation_loss(self):
        self.train("run", "--lr", "0.3", "--validate-every", "2", "--steps", "16")
        lines = [line for line in log_of("run") if "validation_loss" in line]
        best = min(lines, key=lambda line: line["validation_loss"])
        self.assertEqual(os.readlink("run/best"), f"step-{best['step']}")

    def test_it_learns(self):
        self.train("run", "--lr", "0.02", "--steps", "150", "--d-model", "32", "--dropout", "0")
        losses = [line["loss"] for line in log_of("run") if "loss" in line]
        self.assertLess(losses[-1], 0.5 * losses[0])


if __name__ == "__main__":
    unittest.main()
