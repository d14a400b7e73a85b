"""A run's folder that contains other files too, or changes during a run: slope never touches a file that it did not make."""
import glob, os, shutil, signal, subprocess, time
from slope_runner import SMALL, SMALL_GPT, TEXT, Case, Result, HANGS, decode, log_of, snapshot, trained

GPT = ["train", "char-gpt", "--text", "train.en", *SMALL_GPT]


class Others(Case):
    def test_a_link_that_leads_nowhere_is_no_folder(self):
        os.symlink("nowhere", "run")
        self.refused(4, *GPT, "--steps", "1", "--out", "run", says="run: cannot create the folder: is a link that leads nowhere")

    def test_files_of_other_people_stay(self):
        for folder in ("backup.tmp/deep", "step-007.tmp", "step-001", "step-7.tmp", "step-3.7-0.tmp"):
            os.makedirs(f"run/{folder}")
        os.symlink("thesis.tmp", "run/last.tmp")
        os.symlink("thesis.tmp", "run/best.7-0.tmp")
        names = ["thesis.tmp", "backup.tmp/deep/a", "loss.svg.tmp", "step-1", "x.7-0.tmp", "step-007.tmp/thesis", "step-001/model.safetensors", "loss.svg.07-0.tmp", "step-2.tmp", "step-4.tmp",
                 "step-7.tmp/a", "step-3.7-0.tmp/own.model", "log.jsonl.5-1.tmp", "loss.svg.5-1.tmp", "start.json.5-1.tmp"]
        for name in names:
            with open(f"run/{name}", "w") as file:
                file.write("mine")
        os.remove("run/step-1")
        before = {k: v for k, v in snapshot("run").items()}
        for more in ([], ["--resume"], ["--resume"]):
            self.good(*GPT, "--steps", str(2 + len(more)), *more, "--out", "run")
            after = snapshot("run")
            self.assertEqual({k: after.get(k) for k in before}, before)

    def test_a_folder_with_a_part_of_a_checkpoint_stays(self):
        self.good(*GPT, "--steps", "3", "--out", "run")
        os.mkdir("run/step-1")
        with open("run/step-1/config.json", "w") as file:
            file.write("mine")
        self.good(*GPT, "--steps", "6", "--resume", "--out", "run")
        with open("run/step-1/config.json") as file:
            self.assertEqual(file.read(), "mine")

    def test_a_checkpoint_with_a_file_of_another_name_stays(self):
        self.good(*GPT, "--steps", "3", "--out", "run")
        before = set(os.listdir("run/step-3"))
        for name in ("own.model", "my.vocab", "source.b.vocab"):
            with open(f"run/step-3/{name}", "w") as file:
                file.write("mine")
        self.good(*GPT, "--steps", "6", "--resume", "--out", "run")
        self.assertEqual(set(os.listdir("run/step-3")) - before, {"own.model", "my.vocab", "source.b.vocab"})

    def test_a_curve_that_appears_during_a_run(self):
        process = self.start(*GPT, "--steps", "100000000", "--save-every", "1000", "--validate-every", "100000000", "--out", "run")
        said = []
        def until(step):
            for line in process.stdout:
                said.append(decode(line))
                if line.startswith(b"step %d/" % step):
                    return
            self.fail("".join(said[-5:]))
        until(1010)
        with open("mine", "w") as file:
            file.write("mine")
        process.send_signal(signal.SIGSTOP)
        while glob.glob("run/*.tmp"):  # in the middle of a checkpoint or a curve
            process.send_signal(signal.SIGCONT)
            time.sleep(0.01)
            process.send_signal(signal.SIGSTOP)
        os.rename("mine", "run/loss.svg")
        process.send_signal(signal.SIGCONT)
        until(3010)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=HANGS)
        self.assertEqual((process.returncode, decode(err)), (128 + signal.SIGTERM, ""))
        self.assertEqual(("".join(said) + decode(out)).count("run/loss.svg was not drawn by slope and stays as it is"), 1)
        with open("run/loss.svg") as file:
            self.assertEqual(file.read(), "mine")

    def test_a_log_that_an_editor_replaces_during_a_run(self):
        process = self.start(*GPT, "--steps", "100000000", "--save-every", "1000", "--validate-every", "100000000", "--out", "run")
        said = ""
        for line in process.stdout:
            said += decode(line)
            if line.startswith(b"step 1010/"):
                shutil.copy("run/log.jsonl", "edited")
                os.rename("edited", "run/log.jsonl")
            if line.startswith(b"step 3010/"):
                break
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=HANGS)
        self.assertEqual((process.returncode, decode(err)), (128 + signal.SIGTERM, ""))
        self.assertEqual((said + decode(out)).count("run/log.jsonl was replaced by another file"), 1)
        step = int(os.readlink("run/last").split("-")[1])
        again = self.good("train", "char-gpt", "--resume", "--steps", str(step + 2), "--out", "run").out
        self.assertIn(f"run/log.jsonl is shorter than at step {step}: steps before are missing in it", again)

    def test_another_log_in_place_of_a_run_s(self):
        self.good(*GPT, "--steps", "2", "--out", "run")
        for text in ("thesis, without an end", "a line\nthe next"):
            with open("run/log.jsonl", "w") as file:
                file.write(text)
            self.refused(3, *GPT, "--steps", "4", "--resume", "--out", "run", says="run/log.jsonl: is not the log of a run")

    def test_pipes_and_folders_under_the_names_of_a_run(self):
        for make in (os.mkfifo, os.mkdir):
            for name in ("loss.svg", "start.json", "log.jsonl"):
                for resume in ([], ["--resume"]):
                    with self.subTest(make=make, name=name, resume=resume):
                        os.mkdir("run")
                        make(f"run/{name}")
                        self.refused(3, *GPT, "--steps", "1", *resume, "--out", "run", says=f"run/{name}: is not a regular file")
                        shutil.rmtree("run")

    def test_files_that_a_run_would_write_over(self):
        for name, text in (("lock", "my notes\n"), ("lock", "20261128"), ("lock", "20261128\n"),
                           ("loss.svg", "my notes\n"), ("start.json", "my notes\n"), ("log.jsonl", "my notes\n")):
            for resume in ([], ["--resume"]):
                with self.subTest(name=name, text=text, resume=resume):
                    os.makedirs("run", exist_ok=True)
                    with open(f"run/{name}", "w") as file:
                        file.write(text)
                    result = self.slope(*GPT, "--steps", "1", *resume, "--out", "run")
                    self.assertIn(result.code, (2, 3), result)
                    self.assertRegex(result.err, r"\Aslope: [^\n]+\n\Z")
                    with open(f"run/{name}") as file:
                        self.assertEqual(file.read(), text)
                    self.assertLessEqual(set(os.listdir("run")), {name, "lock"})
                    shutil.rmtree("run")

    def test_nothing_is_written_through_a_link(self):
        self.gpt("run", "--steps", "2")
        with open("notes", "w") as file:
            file.write("mine, without an end")
        for name in ("log.jsonl", "loss.svg", "start.json", "lock", "tensorboard"):
            for target in ("../notes", "../nowhere"):
                with self.subTest(name=name, target=target):
                    shutil.copytree("run", "other", symlinks=True)
                    if os.path.exists(f"other/{name}"):
                        os.remove(f"other/{name}")
                    os.symlink(target, f"other/{name}")
                    result = self.slope("train", "char-gpt", "--steps", "4", "--resume", "--out", "other")
                    self.check_refusal(result, 3, [name, "is a link"])
                    with open("notes") as file:
                        self.assertEqual(file.read(), "mine, without an end")
                    self.assertFalse(os.path.exists("nowhere"))
                    shutil.rmtree("other")
        before = snapshot("run")
        subprocess.run(["cp", "-al", "run", "other"], check=True)  # each file has two names
        self.good("train", "char-gpt", "--steps", "4", "--resume", "--out", "other")
        self.assertEqual(snapshot("run"), before)


class Removed(Case):
    def removed_under_a_run(self, remove):
        first = self.start(*GPT, "--steps", "100000000", "--save-every", "1000000", "--validate-every", "1000000", "--out", "run")
        for line in first.stdout:
            if line.startswith(b"step 20/"):
                break
        remove()
        self.good(*GPT, "--steps", "3", "--out", "run")
        before = snapshot("run")
        first.send_signal(signal.SIGTERM)
        out, err = first.communicate(timeout=HANGS)
        self.check_refusal(Result(first.returncode, decode(out), decode(err)), 4, ["run/lock", "removed or replaced"])
        self.assertEqual(snapshot("run"), before)

    def test_the_folder(self):
        self.removed_under_a_run(lambda: shutil.rmtree("run"))

    def test_the_lock(self):
        def remove():
            os.remove("run/lock")
            os.remove("run/log.jsonl")
        self.removed_under_a_run(remove)


class WhileTheTextIsRead(Case):
    """Another run begins in the folder before the first has read its text: nothing of it is changed, whether the text is good or refused."""
    TEXTS = ((b"to be, or not to be\n" * 40, 4, ["run/lock", "removed or replaced"]), (b"bad\xff", 3, ["late", "UTF-8"]))

    def first(self):
        os.mkfifo("late")
        process = self.start("train", "char-gpt", "--text", "late", *SMALL_GPT, "--seed", "5", "--steps", "2", "--out", "run")
        while not os.path.exists("run/start.json"):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        return process

    def gets_its_text(self, process, text, code, says):
        with open("late", "wb") as late:
            late.write(text)
        out, err = process.communicate(timeout=HANGS)
        self.check_refusal(Result(process.returncode, decode(out), decode(err)), code, says)
        os.remove("late")

    def test_the_other_has_ended(self):
        for remove in (lambda: shutil.rmtree("run"), lambda: os.remove("run/lock")):
            for text, code, says in self.TEXTS:
                with self.subTest(text=text):
                    process = self.first()
                    remove()
                    self.good(*GPT, "--steps", "3", "--out", "run")
                    before = snapshot("run")
                    self.gets_its_text(process, text, code, says)
                    self.assertEqual(snapshot("run"), before)
                    shutil.rmtree("run")

    def test_the_other_trains(self):
        for text, code, says in self.TEXTS:
            with self.subTest(text=text):
                process = self.first()
                shutil.rmtree("run")
                other = self.start(*GPT, "--steps", "100000000", "--save-every", "1000000", "--validate-every", "1000000", "--out", "run")
                while not os.path.exists("run/log.jsonl"):
                    self.assertIsNone(other.poll())
                    time.sleep(0.01)
                self.gets_its_text(process, text, code, says)
                result = self.stop_at(other, 3, signal.SIGTERM)
                self.assertEqual((result.code, result.err), (128 + signal.SIGTERM, ""))
                shutil.rmtree("run")


class BeforeTheFirstCheckpoint(Case):
    def killed(self, *command):
        process = self.start(*command, "--steps", "100000000", "--out", "run")
        for line in process.stdout:
            if line.startswith(b"step 3/"):
                break
        process.kill()
        process.communicate()

    def test_settings_and_data_are_those_that_it_was_started_with(self):
        command = ["train", "translation", "--train", "train", "--valid", "valid", "--source", "en", "--target", "de", *SMALL, "--validate-every", "4"]
        self.good(*command, "--steps", "8", "--out", "whole")
        self.killed(*command, "--validate-every", "1000000")
        for wrong, says in ((["--d-model", "16"], "d_model was 8, is 16"), (["--train", "valid"], "training text is not what")):
            self.refused(2, "train", "translation", "--resume", *wrong, "--out", "run", says=says)
        self.good("train", "translation", "--resume", "--steps", "8", "--threads", "1", "--quiet", "--out", "run", "--log-every", "1")
        self.assertEqual(trained("run")["model"], trained("whole")["model"])

    def test_a_language_model(self):
        self.good(*GPT, "--steps", "5", "--out", "whole")
        self.killed(*GPT)
        self.assertNotIn("last", os.listdir("run"))
        self.good("train", "char-gpt", "--resume", "--steps", "5", "--threads", "1", "--out", "run")
        self.assertEqual(trained("run")["model"], trained("whole")["model"])
        self.assertEqual([line["step"] for line in log_of("run") if "lr" in line], [1, 2, 3, 4, 5])

    def test_another_model_is_refused(self):
        self.killed(*GPT)
        self.refused(2, "train", "translation", "--resume", "--out", "run", says="char-gpt")


class Signals(Case):
    def test_a_closing_terminal_sends_two(self):
        for signals in ([signal.SIGHUP, signal.SIGHUP], [signal.SIGTERM, signal.SIGHUP], [signal.SIGTERM, signal.SIGTERM, signal.SIGHUP]):
            with self.subTest(signals=signals):
                process = self.start(*GPT, "--steps", "100000000", "--out", "run")
                for line in process.stdout:
                    if line.startswith(b"step 20/"):
                        break
                for number in signals:
                    process.send_signal(number)
                    time.sleep(0.0005)
                process.communicate(timeout=HANGS)
                self.assertIn(process.returncode, [128 + number for number in signals])  # which of those that wait comes first is up to the system
                self.assertTrue(os.path.islink("run/last"))
                shutil.rmtree("run")


if __name__ == "__main__":
    import unittest
    unittest.main()
