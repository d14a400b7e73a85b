"""Disks that are full or read-only, numbers that overflow, pipes that close: the exit code, one line, and the last good checkpoint stays."""
import os, pty, re, resource, select, shutil, signal, subprocess, unittest
from slope_runner import ENVIRONMENT, Case, Result, SLOPE, SMALL, SMALL_GPT, TEXT, HANGS, decode, log_of, snapshot, trained

TRAIN = ["train", "translation", *TEXT, *SMALL]


class FullDisk(Case):
    """A limit on file sizes acts like a full disk and needs no privileges: writing fails in the middle of a file."""

    def limit(self, size):
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return prepare

    def test_the_old_checkpoint_stays(self):
        self.good(*TRAIN, "--steps", "20", "--out", "straight")
        self.good(*TRAIN, "--steps", "5", "--out", "run")
        before = snapshot("run/last/")
        for size in (0, 100, 10_000, 20_000, 40_000):
            with self.subTest(size=size):
                result = self.slope("train", "translation", "--steps", "20", "--validate-every", "0", "--resume", "--out", "run", preexec_fn=self.limit(size))
                self.check_refusal(result, 4, ["run/", "File too large"])
                self.assertEqual(os.readlink("run/last"), "step-5")
                self.assertEqual(snapshot("run/last/"), before)
                self.assertEqual([name for name in os.listdir("run") if name.endswith(".tmp")], [])
                self.good("translate", "run", "valid.de")
        self.good("train", "translation", "--steps", "20", "--resume", "--out", "run")
        self.assertEqual(trained("run")["model"], trained("straight")["model"])

    def test_the_signal_of_the_limit_does_not_kill(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        if self.slope("zoo", preexec_fn=limit).code != 0:
            self.skipTest("ThreadSanitizer writes a larger file of its own")
        result = self.slope(*TRAIN, "--steps", "5", "--out", "run", preexec_fn=limit)
        self.check_refusal(result, 4, "File too large")

    def test_an_output_beyond_the_limit_ends_as_on_a_full_disk(self):
        size = 1_000_000

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        with open("full", "wb") as file:
            file.write(b" " * size)
        self.good(*TRAIN, "--steps", "5", "--out", "straight")
        with open("full", "ab") as full:
            done = subprocess.run([SLOPE, *TRAIN, "--steps", "5", "--out", "run"], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, preexec_fn=limit)
            self.assertEqual((done.returncode, decode(done.stderr)), (4, "slope: note: standard output could not be written; training goes on\nslope: standard output could not be written\n"))
            self.assertEqual(trained("run"), trained("straight"))
            for arguments, code in ((["translate", "run", "valid.de"], 4), (["zoo"], 4), (["train", "lm", "--clip", "x"], 2)):
                done = subprocess.run([SLOPE, *arguments], stdout=full, stderr=full, env=ENVIRONMENT, preexec_fn=limit)
                self.assertEqual(done.returncode, code, arguments)
        self.assertEqual(os.path.getsize("full"), size)

    def test_a_start_that_fails_leaves_nothing(self):
        for size in (0, 10):
            self.refused(4, *TRAIN, "--steps", "5", "--out", "a/b/run", says=["a/b/run/", "File too large"], preexec_fn=self.limit(size))
        script = f"""
          mount -t tmpfs -o size=4k tmpfs small || exit 99
          head -c 4096 /dev/zero > small/filler
          "{SLOPE}" train points --steps 4 --threads 1 --out small/x/y > out 2> err; echo $? > code
          find small > left
        """
        os.mkdir("small")
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, env=ENVIRONMENT) if shutil.which("unshare") else None
        if done is None or not os.path.exists("left"):
            self.skipTest("no file system can be mounted here")
        with open("code") as code, open("err") as err, open("left") as left:
            self.check_refusal(Result(int(code.read()), "", err.read()), 4, ["small/x/y/", "No space left"])
            self.assertEqual(left.read().split(), ["small", "small/filler"])

    def test_figures(self):
        self.good(*TRAIN, "--steps", "2", "--out", "run")
        for arguments, name in ((["graph", "postnorm", "-o", "a.svg"], "a.svg"), (["translate", "run", "valid.de", "--attention", "a.svg"], "a.svg")):
            self.refused(4, *arguments, says=name, preexec_fn=self.limit(1000))
        self.good(*[*arguments])
        with open("a.svg", "rb") as file:
            old = file.read()
        self.refused(4, *arguments, says=name, preexec_fn=self.limit(1000))
        with open("a.svg", "rb") as file:
            self.assertEqual(file.read(), old)

    def test_small_file_system(self):
        """A real file system of 200 kB that fills up, and a read-only one, if this user may mount in a namespace of its own."""
        script = f"""
          set -u
          mount -t tmpfs -o size=200k tmpfs small || exit 99
          cp -a run small/ || exit 98
          head -c 60000 /dev/zero > small/filler
          "{SLOPE}" train translation --steps 20 --resume --out small/run > out 2> err; echo $? > code
          cp -a small/run after
          rm small/filler
          mount -o remount,ro small
          "{SLOPE}" train translation --steps 20 --resume --out small/run > out.ro 2> err.ro; echo $? > code.ro
          "{SLOPE}" translate small/run valid.de > out.translate 2> err.translate; echo $? > code.translate
          "{SLOPE}" graph mlp -o small/a.svg 2> err.graph; echo $? > code.graph
          mount -o remount,rw small
          "{SLOPE}" train translation --steps 20 --resume --out small/run > out 2>&1 || exit 97
          cp -a small/run done
        """
        self.good(*TRAIN, "--steps", "5", "--out", "run")
        self.good(*TRAIN, "--steps", "20", "--out", "straight")
        os.mkdir("small")
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, env=ENVIRONMENT) if shutil.which("unshare") else None
        if done is None or not os.path.exists("code.graph"):
            self.skipTest("no file system can be mounted here: " + (decode(done.stderr).strip() if done else "there is no unshare"))

        def read(name):
            with open(name) as file:
                return file.read()
        self.check_refusal(Result(int(read("code")), read("out"), read("err")), 4, ["small/run/", "No space left"])
        self.assertEqual(os.readlink("after/last"), "step-5")
        self.assertEqual(snapshot("after/step-5"), {key.replace("run/", "after/", 1): value for key, value in snapshot("run/step-5").items()})
        self.check_refusal(Result(int(read("code.ro")), read("out.ro"), read("err.ro")), 4, ["small/run", "Read-only file system"])
        self.assertEqual((read("code.translate"), read("err.translate")), ("0\n", ""))
        self.check_refusal(Result(int(read("code.graph")), "", read("err.graph")), 4, ["small/a.svg", "Read-only file system"])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(trained("done")["model"], trained("straight")["model"])


class Places(Case):
    def test_folders_that_cannot_be_made(self):
        with open("file", "w"):
            pass
        for out, says in (("file", "file"), ("file/below", "file"), ("/proc/run", "/proc/run"), ("/dev/null", "/dev/null"), ("a" * 300, "aaa"), ("loop/x", "loop")):
            if out == "loop/x":
                os.symlink("loop", "loop")
            with self.subTest(out=out):
                self.refused(4, *TRAIN, "--steps", "2", "--out", out, says=says)

    @unittest.skipIf(os.getuid() == 0, "root may write everywhere")
    def test_a_folder_without_permission(self):
        os.mkdir("locked", 0o555)
        self.refused(4, *TRAIN, "--steps", "2", "--out", "locked/run", says="locked")
        self.refused(4, *TRAIN, "--steps", "2", "--out", "locked", says="locked")

    def test_folders_are_made(self):
        self.good(*TRAIN, "--steps", "2", "--out", "a/b/run/")
        self.good("translate", "a/b/run", "valid.de")


class Memory(Case):
    def test_more_than_there_is(self):
        self.skip_sanitized()
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        wide = ["--d-model", "65536", "--n-heads", "1", "--d-feedforward", "1048576"]
        self.refused(4, *TRAIN, *wide, "--steps", "2", "--out", "run", says=["out of memory", "bytes"], preexec_fn=limit)

    def test_few_addresses(self):
        """Too few for the threads that OpenBLAS would start: the command still ends."""
        self.skip_sanitized()
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (100 << 20, 100 << 20))
        done = subprocess.run([SLOPE, "zoo"], capture_output=True, text=True, env=ENVIRONMENT, timeout=HANGS, preexec_fn=limit)
        self.assertIn(done.returncode, (0, 4, 127), done.stderr)  # 127: not even the libraries have room

    def test_any_limit_on_addresses_ends_it_with_one_line(self):
        """OpenBLAS would wait for ever for its buffer, and a thread of SentencePiece's would end the process."""
        self.skip_sanitized()
        for megabytes in (90, 110, 150, 200, 250):
            for command in (["points"], ["translation", "--batch-size", "2"]):
                def limit():
                    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
                with self.subTest(megabytes=megabytes, command=command):
                    result = self.slope("train", *command, "--steps", "1", "--threads", "1", "--out", "run", preexec_fn=limit)
                    shutil.rmtree("run", ignore_errors=True)
                    if result.code not in (0, 127):
                        self.check_refusal(result, 4, "memory")

    def test_too_little_memory_is_no_wrong_derivative(self):
        self.skip_sanitized()
        for megabytes in (70, 85, 100, 120):
            def limit():
                resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
            result = self.slope("gradcheck", "exp", preexec_fn=limit)
            self.assertIn(result.code, (0, 4, 127), result)

    def test_a_line_of_a_megabyte(self):
        self.good(*TRAIN, "--steps", "2", "--out", "run")
        self.refused(3, "translate", "run", stdin="a " * 1_000_000, says="1000002 tokens")
        self.assertEqual(self.good("translate", "run", stdin="a" * 1_000_000).out.count("\n"), 1)
        for ending in ("de", "en"):
            with open(f"train.{ending}", "a") as file:
                file.write("a " * 300_000 + "\n")
        self.assertIn("1 too long", self.good(*TRAIN, "--steps", "2", "--out", "other").out)


class Numbers(Case):
    def test_a_rate_that_is_too_high(self):
        for more in (["--optimizer", "adam"], ["--optimizer", "sgd", "--clip", "0"]):
            with self.subTest(more=more):
                arguments = [*TRAIN, "--lr", "1e30", *more, "--steps", "50"]
                result = self.slope(*arguments, "--out", "first")
                self.check_refusal(result, 5, ["step 2:", "the first tensor that is not finite is", "lr", "no checkpoint yet"])
                self.assertRegex(result.err, r"(the gradient of )?(embed|transformer|fc|head)[a-z_.0-9]+(weight|bias)")
                self.assertFalse(os.path.exists("first/last"))
                shutil.rmtree("first")

    def test_a_weight_decay_that_is_too_large_is_named(self):
        result = self.slope("train", "points", "--optimizer", "adamw", "--weight-decay", "1e5", "--out", "run")
        self.check_refusal(result, 5, ["lr * weight_decay is 1e+03, which makes weights grow", "weight_decay than 1e+05"])

    def test_the_last_good_checkpoint_stays(self):
        arguments = [*TRAIN, "--lr", "1e12", "--warmup", "1000000000", "--optimizer", "sgd", "--clip", "0", "--save-every", "1", "--validate-every", "1000000", "--steps", "3000"]
        result = self.slope(*arguments, "--out", "run")
        self.check_refusal(result, 5, "the last good checkpoint is run/last")
        step = int(re.search(r"step (\d+):", result.err).group(1))
        self.assertGreater(step, 1)
        self.assertEqual(os.readlink("run/last"), f"step-{step - 1}")
        self.good("inspect", "run")
        again = self.slope("train", "translation", "--resume", "--out", "run")
        self.assertEqual((again.code, again.err), (5, result.err))  # the same bits, the same end

    def test_what_is_not_finite_is_never_saved(self):
        """The update overflows, though loss and gradient of its step are finite."""
        for more in (["--save-every", "1"], ["--validate-every", "1"], ["--steps", "1"], ["--average", "0.5", "--save-every", "1"]):
            with self.subTest(more=more):
                result = self.slope(*TRAIN, "--lr", "4e38", "--steps", "5", *more, "--out", "run")
                self.check_refusal(result, 5, ["step 1:", "the first tensor that is not finite is embed", "lr", "no checkpoint yet"])
                self.assertFalse([name for name in os.listdir("run") if name.startswith(("step-", "last", "best"))])
                shutil.rmtree("run")

    def test_a_validation_loss_that_is_not_finite_is_never_saved(self):
        """Weights that are finite, but give logits that are not."""
        result = self.slope(*TRAIN, "--optimizer", "sgd", "--clip", "0.001", "--lr", "1e38", "--validate-every", "1", "--steps", "3", "--out", "wild")
        self.check_refusal(result, 5, ["step 1: the validation loss is ", "; every parameter and gradient is finite", "lr", "no checkpoint yet"])
        self.assertFalse([name for name in os.listdir("wild") if name.startswith(("step-", "last", "best"))])

    def test_lines_of_the_log_are_json(self):
        self.slope(*TRAIN, "--lr", "1e30", "--steps", "50", "--out", "run")
        self.assertTrue(all("step" in line for line in log_of("run")))


class Streams(Case):
    def setUp(self):
        super().setUp()
        self.good(*TRAIN, "--steps", "2", "--out", "run")

    def shell(self, script):
        done = subprocess.run(["bash", "-c", script], capture_output=True, env={**ENVIRONMENT, "SLOPE": SLOPE}, timeout=HANGS)
        return Result(done.returncode, decode(done.stdout), decode(done.stderr))

    def test_standard_output_that_cannot_be_written(self):
        for command in ("zoo", "--version", "--help", "train translation --help", "inspect run", "inspect run --json", "translate run valid.de", "eval run --data valid --json", "gradcheck exp",
                        "translate run valid.de --show-attention"):
            for where in (">/dev/full", ">&-"):
                with self.subTest(command=command, where=where):
                    self.check_refusal(self.shell(f'"$SLOPE" {command} {where}'), 4, "standard output")

    def test_a_pipe_that_closes(self):
        with open("many", "w") as file:
            file.write("Das Hund sieht das Kind .\n" * 20000)
        result = self.shell('set -o pipefail; "$SLOPE" inspect run | head -1; echo ${PIPESTATUS[0]}')
        self.assertRegex(result.out, r"checkpoint run/best\n[04]\n")
        result = self.shell('yes 1 | head -c 20 | { sleep 0.2; } ; "$SLOPE" gradcheck exp log sqrt | true; echo ${PIPESTATUS[0]}')
        self.assertIn(result.out, ("0\n", "4\n"))
        self.assertNotIn("roken pipe", result.err)

    def test_generating_ends_when_nobody_reads(self):
        self.gpt("gpt", "--steps", "2")
        result = self.shell('"$SLOPE" generate gpt --tokens 100000000 | head -c 10; echo ${PIPESTATUS[0]}')
        self.assertRegex(result.out, r"4\n\Z")

    def test_training_goes_on_when_nobody_reads(self):
        result = self.shell(f'"$SLOPE" {" ".join(TRAIN)} --steps 60 --log-every 1 --out piped | head -1; echo ${{PIPESTATUS[0]}}')
        self.assertRegex(result.out, r"\A60 training pairs[^\n]*\n[04]\n\Z")
        if result.out.endswith("4\n"):
            self.assertEqual(result.err, "slope: note: standard output could not be written; training goes on\nslope: standard output could not be written\n")
        self.good(*TRAIN, "--steps", "60", "--out", "straight")
        self.assertEqual(trained("piped")["model"], trained("straight")["model"])

    def test_closed_descriptors_never_become_files(self):
        self.good(*TRAIN, "--steps", "5", "--out", "straight")
        for where in (">&-", "<&-", "2>&-", ">&- <&- 2>&-"):
            with self.subTest(where=where):
                result = self.shell(f'"$SLOPE" {" ".join(TRAIN)} --steps 5 --out closed {where}')
                self.assertEqual(result.code, 4 if ">&- " in where + " " and not where.startswith("2") else 0, result)
                self.assertEqual(trained("closed"), trained("straight"))
                with open("closed/lock") as file:
                    self.assertRegex(file.read(), r"\Aslope \d+\n\Z")
                shutil.rmtree("closed")

    def test_standard_input_that_cannot_be_read(self):
        self.check_refusal(self.shell('"$SLOPE" translate run <&-'), 4, "standard input")
        self.check_refusal(self.shell('"$SLOPE" translate run </'), 4, "standard input")
        self.assertEqual(self.shell('"$SLOPE" translate run </dev/null').code, 0)

    def test_files_need_no_standard_input(self):
        self.assertEqual(self.shell('"$SLOPE" translate run valid.de <&-').code, 0)

    def test_the_epochs_of_a_whole_text(self):
        text = ["train", "char-gpt", "--text", "train.en", "--n-layer", "1", "--n-head", "2", "--n-embd", "8", "--block-size", "32", "--threads", "1"]
        for more in ([], ["--accumulate", "3"]):
            out = f"epochs{len(more)}"
            self.assertRegex(self.good(*text, *more, "--epochs", "2", "--out", out).out, r"\nstep (\d+)/\1  epoch 2\.00  loss ")
            self.assertEqual([line["epoch"] for line in log_of(out) if "epoch" in line][-1], 2)
        out = self.good(*text, "--steps", "3", "--overfit-batch", "--out", "one").out
        self.assertIn("step 3/3  loss ", out)  # one batch again and again is no pass
        self.assertFalse([line for line in log_of("one") if "epoch" in line])

    def test_plain_lines_without_a_terminal(self):
        result = self.good(*TRAIN, "--steps", "3", "--out", "plain")
        self.assertRegex(result.out, r"step 1/3  epoch 0\.\d\d  loss \d\.\d{4}  lr 5\.00e-04  \d+ tokens/s\n")
        self.assertNotRegex(result.out, r"[\r\x1b]")
        self.assertEqual(self.good(*TRAIN, "--steps", "3", "--quiet", "--out", "quiet").out, "")

    def in_terminal(self, *arguments, say=b"", **more):
        """All three standard streams on one terminal."""
        main, end = pty.openpty()
        environment = {**{k: v for k, v in ENVIRONMENT.items() if k != "NO_PROGRESS"}, "TERM": "xterm", **more}
        process = subprocess.Popen([SLOPE, *arguments], stdin=end, stdout=end, stderr=end, env=environment, start_new_session=True)
        os.close(end)
        if say:
            os.write(main, say)
        seen = b""
        while select.select([main], [], [], 60)[0]:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(main)
        return process.wait(timeout=HANGS), decode(seen)

    def test_progress_on_a_terminal(self):
        code, seen = self.in_terminal(*TRAIN, "--steps", "30", "--out", "shown")
        self.assertEqual(code, 0, seen)
        self.assertRegex(seen, r"\r *\d+% .* \d+/30 \[\d\d:\d\d<\d\d:\d\d, \d+ tokens/s, loss \d\.\d{4}, lr 5\.00e-04\]\x1b\[K")
        self.assertNotIn("epoch 0.", seen)  # the plain lines are for pipes
        self.assertIn("validation loss", seen)

    def test_a_terminal_without_escape_sequences_gets_none(self):
        for arguments in ((*TRAIN, "--steps", "30", "--out", "shown"), ("translate", "run", "valid.de", "--show-attention")):
            code, seen = self.in_terminal(*arguments, TERM="dumb")
            self.assertEqual(code, 0, seen)
            self.assertNotRegex(seen, r"\x1b|\r(?!\n)")
        self.assertIn("\x1b[48;", self.in_terminal("translate", "run", "valid.de", "--show-attention")[1])

    def test_a_terminal_is_shown_the_control_characters_of_a_models_text(self):
        with open("red", "wb") as file:
            file.write(b"\x1b[31m a\tb\n" * 60)
        self.good("train", "char-gpt", "--text", "red", *SMALL_GPT, "--steps", "1", "--out", "gpt")
        arguments = ("generate", "gpt", "--prompt", "\x1b[31ma\tb\na", "--tokens", "0")
        code, seen = self.in_terminal(*arguments)
        self.assertEqual((code, seen.replace("\r", "").expandtabs()), (0, "\\x1b[31ma\tb\na\n".expandtabs()))
        self.assertEqual(self.good(*arguments).out, "\x1b[31ma\tb\na\n")

    def test_lines_that_somebody_types_are_answered(self):
        code, seen = self.in_terminal("translate", "run", say=b"Das Mann .\n\n\x04")
        self.assertEqual(code, 0, seen)
        expected = self.good("translate", "run", stdin="Das Mann .\n").out.strip()
        self.assertIn(expected, seen.replace("\r", ""))

    def test_numbers_keep_their_point_in_any_locale(self):
        for name in ("de_DE.UTF-8", "C", "tr_TR.UTF-8"):
            self.assertEqual(self.shell(f'LC_ALL={name} "$SLOPE" eval run --data valid --json').out, self.good("eval", "run", "--data", "valid", "--json").out)


if __name__ == "__main__":
    unittest.main()
