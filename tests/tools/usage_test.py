"""Flags and values that make no sense: exit 2, one line that names them, nothing written."""
import json, os, shutil, subprocess, unittest
from slope_runner import Case, SMALL, SMALL_GPT, TEXT

TRAIN = ["train", "translation", *TEXT, *SMALL, "--steps", "3", "--out", "run"]


class Usage(Case):
    def test_words_that_are_not_known_are_named_with_the_nearest_known_one(self):
        for arguments, says in [
            (["trian"], ["trian", "did you mean train?", "slope --help"]),
            (["--foo"], ["--foo"]),
            (["train", "transltion", "--out", "run"], ["transltion", "did you mean translation?"]),
            ([*TRAIN, "--stepz", "3"], ["--stepz", "did you mean --steps?", "slope train translation --help"]),
            (["zoo", "--thread", "1"], ["--thread", "slope zoo --help"]),
            (["zoo", "extra"], ["extra"]),
            (["gradcheck", "softmaxx"], ["softmaxx", "did you mean softmax?"]),
            (["gradcheck", "sim"], ["(did you mean sin or sum?)"]), ([*TRAIN, "--beta3", "1"], ["(did you mean --beta1 or --beta2?)"]),
            (["gradcheck", "mse_los"], ["mse_los", "did you mean mse_loss?"]),
            (["gradcheck", "nothing-like-it"], ["nothing-like-it", "slope gradcheck --help"]),
            (["gradcheck", "--model", "char-gtp"], ["char-gtp", "did you mean char-gpt?"]),
            (["graph", "nothing", "-o", "a.svg"], ["nothing", "there are postnorm, "]),
            ([*TRAIN, "--preset", "nothing"], ["--preset nothing", "quickstart"]),
        ]:
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments, says=says)

    def test_a_flag_is_not_the_value_of_the_flag_before_it(self):
        points = ["train", "points", "--steps", "1"]
        for arguments, flag, swallowed in [
            ([*points, "--out", "--quiet"], "--out", "--quiet"), ([*points, "--clip", "--out", "z"], "--clip", "--out"), ([*points, "--config", "--out", "z"], "--config", "--out"),
            (["train", "lm", "--model", "--out=z"], "--model", "--out=z"), (["translate", "run", "--prefix", "--beam", "3"], "--prefix", "--beam"), (["plot", "run", "-o", "--what", "lr"], "-o", "--what"),
        ]:
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments, says=f"slope: {flag} needs a value; if {swallowed} is meant as one, write {flag}={swallowed}; see slope ")
        self.good(*points, "--out=--quiet", "--threads", "1")
        self.assertTrue(os.path.isdir("--quiet"))
        self.good("plot", "--what", "loss", "-o", "a.svg", "--", "--quiet")

    def test_a_word_before_a_subcommand(self):
        for arguments, says in [
            (["foo", "train", "lm"], "slope: foo is no command of slope (did you mean zoo?); see slope --help"), (["museum", "tabel", "run", "X"], "slope: tabel is no command of slope museum (did you mean table?); see slope museum --help"),
            (["museum", "--json", "run", "X"], "slope: --json: stands before run, which does not see it there; see slope museum run --help"), (["bench", "foo", "scale"], "slope: foo: stands before scale, "),
            (["museum", "--foo", "run", "X"], "slope: --foo is unknown to slope museum; see slope museum --help"), (["museum", "", "run", "X"], "slope: an empty word is no command of slope museum"),
            (["points", "--out", "x"], "slope: points is unknown to slope (did you mean slope train points?); see slope --help"),
            (["museum", "swapped-masks"], "slope: swapped-masks is unknown to slope museum (did you mean slope museum run swapped-masks?)"),
            (["translate", "--run", "x"], "slope: --run is unknown to slope translate (its value stands alone: slope translate RUN)"),
            (["generate", "x", "--", "y"], "slope: y is unknown to slope generate"), (["plot", "--", "a2", "sw"], "required"), (["--", "zoo"], "A subcommand is required"),
        ]:
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments, says=says)

    def test_what_is_missing_is_named(self):
        for arguments, says in [
            ([], "subcommand"), (["train"], "subcommand"), (["train", "translation"], "--out"), (["translate"], "run is required"),
            (["eval", "run"], "--data"), (["graph", "mlp"], "give -o FILE to write, or --trace"), (["gradcheck"], "--all"), (["inspect"], "path is required"),
            ([*TRAIN, "--lr"], "--lr needs a value"), ([*TRAIN, "--lr="], "--lr '': expected"), ([*TRAIN, "--lr", ""], "--lr '': expected"), ([*TRAIN[:4], *SMALL, "--out", "run"], "--train and --valid belong together"),
        ]:
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments, says=says)

    def test_options_that_exclude_each_other(self):
        for other in (["--attention", "a.svg"], ["--show-attention"], ["--prefix", "a"], ["--beam", "3"], ["--unk", "ban"], ["--uncached"], ["--long-lines", "crop"], ["--kind", "encoder"]):
            self.refused(2, "translate", "run", "train.en", "--score", "train.de", *other, says=["--score", other[0], "exclude each other"])
        for other in (["--batches", "b"], ["--steps", "3"], ["--json"], ["--trace", "t.json"], ["--serve"], ["--profile"]):
            self.refused(2, "bench", "real", "--write-batches", "w.safetensors", *other, says=["--write-batches", other[0], "exclude each other"])
        self.refused(2, "bench", "real", "--batches", "b", "--train", "train", says=["--batches", "--train", "exclude each other"])
        for before, sub in ((["two-moons"], "node"), (["--json"], "node"), (["--precision", "bf16"], "node"), (["--trace", "t.json"], "node"), (["two-moons"], "scale")):
            self.refused(2, "bench", *before, sub, *(["--out", "plots"] if sub == "scale" else []), says=[f"{before[0]}: stands before {sub}", f"see slope bench {sub} --help"])
        self.refused(2, "bench", "real", "--precision", "bf16", says="give --batches")
        for arguments, says in (
            (["graph", "mlp", "--trace", "--depth", "2"], ["--trace", "--depth", "exclude each other"]), (["graph", "mlp", "--values", "3", "-o", "g.svg"], ["--values", "--trace"]),
            (["gradcheck", "softmax", "--explain", "--json"], ["--explain", "--json", "exclude each other"]), (["gradcheck", "softmax", "--against", "pytorch", "--explain"], ["--explain", "--against"]),
            (["explore", "x = 1", "--json", "--page", "p.html"], ["--page", "--out"]), (["explore", "x = 1", "--cpp", "--check"], ["--check", "--json"]),
            (["train", "points", "--swa-every", "3", "--steps", "4", "--out", "run"], ["--swa-every", "--swa-start"]),
        ):
            self.refused(2, *arguments, says=says)

    def test_settings_that_contradict_are_named_before_the_text_is_read(self):
        missing = ["train", "translation", "--train", "missing", "--valid", "missing", "--preset", "quickstart", "--out", "run"]
        self.refused(2, *missing, "--optimizer", "sgd", "--nesterov", says="--nesterov needs a --momentum above 0")
        self.refused(2, *missing, "--optimizer", "rprop", "--min-step-size", "5", "--max-step-size", "1", says="--min-step-size 5 is above --max-step-size 1")
        self.refused(2, *missing, "--swa-start", "2", "--average", "0.9", says="give only one of them")

    def test_settings_that_are_too_long_to_be_read_again(self):
        points = ["train", "points", "--steps", "1", "--out", "run", "--freeze"]
        self.refused(2, *points, ",".join(["fc1.*"] * 12_000), says=["the settings have 7", "at most 64512", "--freeze"])
        self.good(*points, ",".join(["fc1.*"] * 8_000))
        self.good("train", "points", "--resume", "--steps", "2", "--out", "run")
        self.good("inspect", "run")

    def test_a_text_whose_size_decides_is_no_pipe(self):
        os.mkfifo("pipe.de"), os.mkfifo("pipe.en")
        piped = ["train", "translation", "--train", "pipe", "--valid", "valid", "--out", "run"]
        self.refused(2, *piped, says=["pipe.de: can be read only once", "--preset"])
        with subprocess.Popen(["sh", "-c", "cat train.de > pipe.de; cat train.en > pipe.en"]):
            self.assertIn("60 training pairs", self.good(*piped, "--preset", "quickstart", *SMALL, "--steps", "1").out)

    def test_the_mean_of_weights_replaces_the_average_that_the_size_of_a_text_sets(self):
        self.good("train", "translation", *TEXT, "--tokenizer", "words", *SMALL, "--steps", "3", "--swa-start", "2", "--out", "run")
        with open("run/last/config.json") as file:
            self.assertEqual(json.load(file)["average"], 0)

    def test_a_text_without_a_character_is_refused(self):
        for text in ("", " \n\t \n"):
            with open("blank.txt", "w") as file:
                file.write(text)
            for tokenizer in ("characters", "words"):
                self.refused(3, "train", "lm", "--text", "blank.txt", "--tokenizer", tokenizer, "--out", "run", says="blank.txt: contains no text")

    def test_an_endless_program_is_refused(self):
        self.refused(4, "explore", "-", "--json", says="more than the 65536", stdin="x = 1\n" * 20000)

    def test_an_unknown_key_in_other_letters_is_recognised(self):
        with open("c.json", "w") as file:
            file.write('{"LR": 0.1}')
        self.refused(3, *TRAIN, "--config", "c.json", says=['unknown key "LR"', "did you mean lr?"])

    def test_values_outside_their_range_are_named_with_it(self):
        for flag, value, says in [
            ("lr", "abc", "a number of at least 0"), ("lr", "-1", "at least 0"), ("lr", "nan", "a number"), ("lr", "inf", "a number"), ("lr", "1e400", "a number"),
            ("lr", "1,5", "a number"), ("lr", "1e308", "at most 1e+300"), ("steps", "1.5", "an integer"), ("steps", "-1", "at least 0"), ("steps", "99999999999999999999", "an integer"),
            ("batch-size", "0", "at least 1"), ("dropout", "1", "at most 0.999"), ("optimizer", "adm", "one of adadelta, adafactor, adagrad, adam, adamax, adamw, asgd, lbfgs, lion, muon, nadam, radam, rmsprop, rprop, sgd"), ("seed", "-1", "at least 0"),
            ("adam-eps", "0", "at least 1e-20"), ("max-len", "2", "at least 3"), ("n-heads", "0", "at least 1"), ("threads", "0", "from 1 to 1024"),
            ("threads", "-1", "from 1 to 1024"), ("threads", "two", "from 1 to 1024"), ("threads", "1e3", "from 1 to 1024"), ("threads", "1025", "from 1 to 1024"),
        ]:
            with self.subTest(flag=flag, value=value):
                self.refused(2, *TRAIN, f"--{flag}={value}", says=[f"--{flag} {value}", says])
        self.refused(2, *TRAIN, "--n-heads", "3", says=["d_model 8", "n_heads 3"])
        self.refused(2, *TRAIN, "--steps", "0", "--epochs", "0", says=["--steps", "--epochs"])
        self.refused(2, *TRAIN, "--schedule", "linear", "--lr", "1e-4", "--lr-min", "1", says=["linear", "lr_min is 1", "0.0001"])
        self.refused(2, *TRAIN[:-2], "--out", "", says="--out")

    def test_a_setting_of_another_optimizer_or_schedule_is_refused(self):
        self.refused(2, *TRAIN, "--momentum", "0.9", says=["--momentum", "does nothing with --optimizer adam", "sgd, rmsprop"])
        self.refused(2, *TRAIN, "--optimizer", "lion", "--adam-eps", "1e-6", says=["--adam-eps", "--optimizer lion"])
        self.refused(2, *TRAIN, "--schedule", "step", "--lr-min", "1e-6", says=["--lr-min", "--schedule step", "cosine"])
        self.refused(2, *TRAIN, "--schedule", "multistep", "--milestones", "5,3", says=["--milestones 5,3", "increasing order"])
        self.refused(2, *TRAIN, "--optimizer", "rprop", "--schedule", "cosine", says=["--schedule", "does nothing with --optimizer rprop"])
        self.refused(2, *TRAIN, "--optimizer", "lbfgs", "--clip", "1", says=["--clip", "does nothing with --optimizer lbfgs"])
        self.refused(2, *TRAIN, "--schedule", "plateau", "--gamma", "1", says=["plateau", "--gamma 1: must be between 0 and 1"])
        self.refused(2, *TRAIN, "--schedule", "sequential", "--schedules", "cosine,plateau", says=["--schedules cosine,plateau", "plateau"])
        self.refused(2, *TRAIN, "--swa-start", "5", "--average", "0.9", says=["--average", "--swa-start"])

    def test_a_flag_without_effect_is_refused(self):
        self.train("run", "--steps", "1")
        self.gpt("gpt", "--steps", "1")
        self.refused(2, "train", "points", "--label-smoothing", "0.9", "--steps", "2", "--out", "new", says=["--label-smoothing: does nothing with points", "translation, lm"])
        self.good("train", "points", "--label-smoothing", "0", "--steps", "2", "--out", "moons")
        own = [*TRAIN[:-2], "--tokenizer", "subwords", "--subword-model", "some.model", "--out", "new"]
        self.refused(2, *own, "--vocab-size", "300", says=["--vocab-size: does nothing with --subword-model", "some.model"])
        self.refused(2, *own, "--subword-kind", "unigram", says="--subword-kind: does nothing with --subword-model")
        for flag, value in (("--tokenizer", "characters"), ("--shared-vocabulary", "true"), ("--min-freq", "7")):
            self.refused(2, *TRAIN[:-2], "--from", "run", flag, value, "--out", "new", says=[f"{flag} {value}: the tokenizers are those of --from run", f"leave out {flag}"])
        self.refused(2, "train", "lm", "--text", "train.en", "--from", "gpt", "--tokenizer", "words", "--out", "new", says=["--tokenizer words", "--from gpt", "characters"])
        self.good(*TRAIN[:-2], "--from", "run", "--out", "new")  # which repeats the run's tokenizer
        for value in ("-0.5", "-2"):
            self.refused(2, "train", "postnorm", *TRAIN[2:-2], "--attention-dropout", value, "--out", "other", says=[f"--attention-dropout {value}", "at least 0, at most 0.999, or -1"])

    def test_the_text_is_not_blamed_for_a_setting_or_another_file(self):
        lm = ["train", "lm", "--text", "train.en", *SMALL_GPT, "--steps", "2", "--out", "new"]
        for code, flags, says in ((2, ["--n-head", "3"], "slope: gpt: n_embd 8 is not divisible by n_head 3"), (2, ["--freeze", "*"], "slope: --freeze *: leaves nothing to train"),
                                  (2, ["--tokenizer", "subwords", "--vocab-size", "1"], "slope: vocab_size 1: "), (3, ["--tokenizer", "subwords", "--subword-model", "valid.de"], "slope: valid.de: is not"),
                                  (3, ["--block-size", "9999"], "slope: train.en: the training part of the text has")):
            for documents in ("whole", "lines"):
                if (documents, flags[0]) != ("lines", "--block-size"):
                    self.refused(code, *lm, "--documents", documents, *flags, says=says)

    def test_every_command_refuses_no_threads(self):
        self.train("run", "--steps", "1")
        for command in (["translate", "run"], ["eval", "run", "--data", "valid"], ["generate", "run"], ["bench", "real"]):
            with self.subTest(command=command):
                self.refused(2, *command, "--threads", "0", says="--threads 0")

    def test_the_last_of_repeated_flags_counts(self):
        result = self.train("run", "--steps", "5", "--steps", "2")
        self.assertIn("done: 2 steps", result.out)

    def test_flags_of_using_a_run(self):
        self.train("run", "--steps", "1")
        self.gpt("gpt", "--steps", "1")
        for arguments, says in [
            (["translate", "run", "--beam", "0"], "--beam"), (["translate", "run", "--beam", "x"], "--beam"), (["translate", "run", "valid.de", "--attention", "a.png"], "--attention a.png"),
            (["translate", "run", "valid.de", "--attention", "a.svg", "--kind", "self"], "cross, encoder and decoder"),
            (["translate", "run", "valid.de", "--attention", "a.svg", "--layer", "7"], "layer 7"),
            (["generate", "gpt", "--temperature", "-1"], "--temperature"), (["generate", "gpt", "--tokens", "-1"], "--tokens"), (["generate", "gpt", "--seed", "-1"], "--seed"),
            (["translate", "run", "valid.de", "--layer", "0"], "--attention"), (["translate", "run", "valid.de", "--kind", "encoder"], "--attention"), (["translate", "run", "--attention", ""], "--attention"),
            (["translate", "run", "--length-penalty", ""], "--length-penalty"), (["translate", "run", "--length-penalty", "nan"], "--length-penalty"), (["eval", "gpt", "--data", "valid.de", "--beam", "7"], "--beam"), (["eval", "gpt", "--data", "valid.de", "--unk", "ban"], "--unk"),
            (["generate", "gpt", "--tokens", "0x10"], "an integer from 0 to 100000000, got '0x10'"), (["generate", "gpt", "--seed", "99999999999999999999"], "an integer"), (["generate", "gpt", "--top-k="], "an integer from 0 to 1000000, got ''"),
            ([*TRAIN, "--config", ""], "--config"), ([*TRAIN, "--preset", ""], "--preset"), (["inspect\nx\x1b[31m"], "inspect\\x0ax\\x1b[31m"),
            (["generate", "gpt", "--top-k", "-1"], "--top-k"), (["translate", ""], "run: expected a name"), (["graph", "mlp", "-o", "a.png"], "-o a.png"), (["graph", "mlp", "--trace", "-o", "a.svg"], "-o a.svg"),
            (["graph", "mlp", "-o", "a.svg", "--module", "fc1"], "--trace"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertEqual(self.refused(2, *arguments, says=says).out, "")

    def test_an_empty_name_is_refused(self):
        """Such as from an unset variable in a script. An empty --text would mean the bundled corpus."""
        for arguments in (["translate", ""], ["translate", "run", ""], ["eval", "", "--data", "valid"], ["eval", "run", "--data", ""], ["generate", ""], ["inspect", ""], ["export", "", "--to", "pytorch", "-o", "x"],
                          ["export", "run", "--to", "pytorch", "-o", ""], ["graph", "", "--trace"], ["graph", "mlp", "-o", ""], ["gradcheck", ""], ["gradcheck", "--model", ""], ["bench", ""], ["zoo", ""],
                          ["train", "lm", "--text", "", "--out", "run"], ["train", "translation", "--train", "", "--valid", "", "--out", "run"]):
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments, says="expected a name, got an empty one")
        self.refused(2, "museum", "", says="an empty word is unknown to slope museum")

    def test_an_empty_answer_is_no_yes(self):
        """Such as --tie-embeddings=$TIE from an unset variable."""
        for arguments in ([*TRAIN, "--tie-embeddings="], [*TRAIN, "--tie-embeddings", ""], [*TRAIN, "--resume="], [*TRAIN, "--quiet="], ["zoo", "--json="], ["gradcheck", "exp", "--json="]):
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments, says=["expected true, false or no value, got an empty one", "slope " + " ".join(arguments[:2 if arguments[0] == "train" else 1]) + " --help"])
        for value in ("0", "5", "-1", "yes", "on"):
            self.refused(2, "zoo", f"--json={value}", says=f"expected true, false or no value, got {value}")
        self.assertEqual(self.good("zoo", "--json=false").out, self.good("zoo").out)
        self.assertEqual(self.good("zoo", "--json=true").out, self.good("zoo", "--json").out)

    def test_every_setting_refuses_an_empty_value(self):
        for kind in ("translation", "lm", "points"):
            keys = [s["key"] for m in json.loads(self.good("zoo", "--json").out)["models"] if m["kind"] == kind for s in m["settings"]]
            self.assertGreater(len(keys), 50)
            for key in sorted(set(keys)):
                with self.subTest(kind=kind, key=key):
                    self.refused(2, "train", kind, f"--{key.replace('_', '-')}=", "--out", "run")

    def test_a_value_that_settings_cannot_hold_is_refused(self):
        with open(b"t\xff.en", "w") as file:
            file.write("some text " * 20)
        self.refused(2, "train", "lm", "--text", b"t\xff.en", *SMALL_GPT, "--steps", "1", "--out", "run", says=["--text t\\xff.en", "UTF-8"])

    def test_a_short_flag_takes_its_value_behind_an_equals_sign_too(self):
        self.good("graph", "mlp", "-o=a.svg")
        self.assertTrue(os.path.exists("a.svg"))
        self.refused(2, "graph", "mlp", "-o=", says="expected a name")

    def test_a_stray_comma_in_a_list_is_noticed(self):
        self.gpt("gpt", "--steps", "1")
        for arguments in ([*TRAIN, "--schedule", "multistep", "--milestones", "2,"], [*TRAIN, "--freeze", "*.bias,"], [*TRAIN, "--freeze", ",*.bias"], [*TRAIN, "--schedule", "sequential", "--schedules", "constant,", "--milestones", "2"],
                          ["plot", "gpt", "-o", "a.svg", "--what", "loss,"], ["plot", "gpt", "-o", "a.svg", "--what", ","], ["sweep", "points", "--grid", "lr=1,", "--out", "run"]):
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments)
        self.refused(2, "plot", "gpt", "-o", "a.svg", "--what=", says="--what: expected a name")

    def test_numbers_are_decimal_and_an_empty_value_takes_no_other(self):
        self.gpt("gpt", "--steps", "1")
        ten = self.good("generate", "gpt", "--tokens", "10").out
        self.assertEqual(self.good("generate", "gpt", "--tokens", "010").out, ten)
        self.assertEqual(self.good("generate", "gpt", "--prompt=", "--tokens", "10").out, ten)

    def test_numbers_beyond_64_bits_are_said_to_be_so(self):
        """Whatever has a range names it; 2^63 is the first integer that does not fit."""
        text = ["train", "lm", "--text", "train.en", "--out", "run"]
        for number in ("9223372036854775808", "-9223372036854775809", "9" * 30):
            for arguments, says in [
                (["generate", "run", "--seed", number], f"--seed: expected an integer from 0 to 9223372036854775807, got '{number}'"),
                (["gradcheck", "softmax", "--seed", number], "--seed: expected an integer from 0 to "), (["generate", "run", "--tokens", number], "--tokens: expected an integer from 0 to 100000000, got "),
                (["translate", "run", "--layer", number, "--show-attention"], "--layer: expected an integer from -1 to 999, got "), (["graph", "mlp", "-o", "a.svg", "--depth", number], "--depth: "),
                ([*text, "--seed", number], f"--seed {number}: expected an integer of at least 0, at most 9"), (["generate", "run", "--threads", number], f"--threads {number}: expected a number from 1 to 1024"),
                ([*text, "--schedule", "multistep", "--milestones", f"5,{number}"], f"--milestones 5,{number}: {number} does not fit in 64 bits"),
            ]:
                with self.subTest(arguments=arguments):
                    self.refused(2, *arguments, says=says)
            with open("config.json", "w") as file:
                file.write(f'{{"seed": {number}}}')
            self.refused(3, *text, "--config", "config.json", says='"seed" must be an integer of at least 0, at most 9')
        for number in ("1e400", "-1e400", "1e-400"):
            self.refused(2, "generate", "run", "--temperature", number, says=f"--temperature: {number} is too large or too close to 0 for a number")
            self.refused(2, *text, "--lr", number, says=f"--lr {number}: is too large or too close to 0 for a number; expected a number of at least 0")
        for number in ("1e3", "1.5", "0x10", "abc", ""):
            self.refused(2, "generate", "run", "--seed", number, says=f"--seed: expected an integer from 0 to 9223372036854775807, got '{number}'")
            self.refused(2, "translate", "run", "--layer", number, "--show-attention", says=f"--layer: expected an integer from -1 to 999, got '{number}'")

    def test_a_value_that_is_not_utf8(self):
        for flag, remedy in (("--lr", ""), ("--optimizer", ""), ("--text", "; a file must be renamed or linked to")):
            self.refused(2, "train", "char-gpt", flag, b"a\xff", "--out", "new", says=f"{flag} a\\xff: is not UTF-8, which config.json needs{remedy}\n")

    def test_standard_input_is_read_once(self):
        names = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "//dev/../dev/stdin")
        with open("train.en") as given:
            for one in names:
                for other in names:
                    for stdin in ("{}", given):
                        says = ["both read standard input; name a file for one of them", f" {one} and ", f" {other}: "]
                        self.refused(2, "train", "lm", "--config", one, "--text", other, "--out", "run", says=says, stdin="{}")
                        self.refused(2, "translate", "run", one, "--score", other, says=says, stdin=stdin)
        self.refused(2, "translate", "run", "--score", "-", says="FILE - and --score -: both read standard input")
        self.refused(2, "train", "lm", "--config", "-", "--out", "run", says="--config - and --text /dev/stdin", stdin='{"text": "/dev/stdin"}')
        self.refused(4, "translate", "missing", "/dev/null", "--score", "/dev/null", says="missing")

    def test_a_pipe_is_read_once(self):
        os.mkfifo("pipe")
        for name in ("one.de", "one.en", "two.de", "two.en"):
            os.symlink("pipe", name)
        self.refused(2, "translate", "run", "pipe", "--score", "./pipe", says="FILE pipe and --score ./pipe: both read the same pipe; name a file for one of them")
        self.refused(2, "train", "translation", "--train", "train", "--valid", "one", *SMALL, "--preset", "quickstart", "--out", "run", says="--valid one.de and --valid one.en: both read the same pipe")
        self.refused(2, "train", "translation", "--train", "one", "--valid", "two", *SMALL, "--preset", "quickstart", "--out", "run", says="both read the same pipe")
        self.train("run", "--steps", "1")
        self.refused(2, "eval", "run", "--data", "one", says="de one.de and en one.en: both read the same pipe")

    def test_config_files(self):
        for content, says in [
            ('{"stepz": 1}', ["stepz", "did you mean steps?"]), ('{"lr": "a"}', ['"lr"', "a number"]), ('{"steps": 1.5}', ['"steps"', "an integer"]), ('{"steps": -1}', "at least 0"),
            ('{"lr": 1', "byte 9"), ("[]", "object"), ("", "JSON"), ('{"lr": 1, "lr": 2}', "twice"), ('{"lr": null}', '"lr"'), ("\ufeff{}x", "JSON"), ('{"lr": 1}\0x', "byte 10"), ("[" * 30000, "nested"), ("[" * 100000, "at most 65536"),
            ('{"lr": 1e999}', "holds a number that is too large"),
        ]:
            with self.subTest(content=content[:30]):
                with open("config.json", "w", encoding="utf-8") as file:
                    file.write(content)
                self.refused(3, *TRAIN, "--config", "config.json", says=["config.json", *([says] if isinstance(says, str) else says)])
        self.refused(4, *TRAIN, "--config", "missing.json", says="missing.json")
        self.refused(4, *TRAIN, "--config", ".", says="folder")
        self.refused(3, *TRAIN, "--config", "-", says="standard input: not valid JSON at byte 2", stdin="{{}")
        self.refused(3, *TRAIN, "--config", "-", says="standard input: has more than 65536 bytes", stdin=" " * 70000)
        with open("config.json", "w") as file:
            file.write('{"train": "a\\u0000b"}')
        with open("config.json") as given:
            self.refused(3, *TRAIN, "--config", "-", says='standard input: "train" must be', stdin=given)

    def test_steps_or_epochs_decide_where_they_are_said(self):
        """With 60 pairs in batches of 64, a step is an epoch; --preset quickstart sets 2500 steps."""
        quick = ["train", "translation", *TEXT, "--preset", "quickstart", *SMALL, "--batch-size", "64"]
        for config, flags, steps in [('{"epochs": 3}', [], 3), ('{"epochs": 3, "steps": 5}', [], 5), ('{"epochs": 3}', ["--steps", "4"], 4), ('{"steps": 5}', ["--epochs", "2"], 2)]:
            with self.subTest(config=config, flags=flags):
                with open("config.json", "w") as file:
                    file.write(config)
                self.assertIn(f"done: {steps} steps", self.good(*quick, "--config", "config.json", *flags, "--out", f"run{steps}").out)

    def test_epochs_of_a_text(self):
        """60 lines of some 27 characters, nine tenths of them in batches of 4 x 8."""
        with open("train.en", encoding="utf-8") as file:
            training = int(len(file.read()) * 0.9)
        result = self.good("train", "lm", "--text", "train.en", *SMALL_GPT, "--epochs", "2", "--out", "run")
        self.assertIn(f"done: {2 * -(-training // 32)} steps", result.out)

    def test_models_and_kinds(self):
        for arguments, says in [
            (["train", "translation", "--model", "postnrm"], ["no translation model is called postnrm", "did you mean postnorm?"]),
            (["train", "translation", "--model", "char-gpt"], ["no translation model is called char-gpt", "there are postnorm, "]),
            (["train", "lm", "--model=mlp"], ["no lm model is called mlp", "char-gpt"]),
            (["train", "--text", "train.en"], ["slope train lm --text"]), (["train", "--train", "train"], ["slope train translation --train"]),
            (["train", "--noise", "0.2"], ["slope train points --noise"]), (["train", "--foo"], ["translation, lm, points or a model"]),
            (["train", "--model", "llama"], "slope train lm --model;"), (["train", "--model=llama"], "slope train lm --model=llama;"), (["sweep", "--model", "mlp"], "slope sweep points --model;"),
            (["train", "--lr", "0.1", "--model", "llama"], "slope train lm --lr;"), (["train", "--lr", "0.1"], "translation, lm, points or a model"), (["train", "--model", "lama"], "translation, lm, points or a model"),
            (["sweep", "--noise", "0.2"], "sweep: say what to train before --noise: slope sweep points --noise; see slope sweep --help"),
            (["sweep", "--grid", "lr=1"], "sweep: say what to train before --grid: translation, lm, points or a model; see slope sweep --help"),
            (["sweep", "lm", "--preset", "quickstart", "--grid", "lr=1"], "say slope sweep translation --preset quickstart"),
            (["train", "postnorm", "--n-layer", "2"], ["--n-layer", "slope train postnorm --help"]),
            (["train", "lm", "--preset", "quickstart"], ["quickstart: is one of translation", "slope train translation --preset quickstart"]),
            (["train", "lm", "--preset", "nmaes"], ["lm has names", "did you mean names?"]), (["train", "points", "--preset", "nothing"], ["points has no presets"]),
            (["train", "char-gpt", "--preset", "quickstart"], ["quickstart: is one of translation, not of lm"]),
            (["train", "translation", "--resume"], ["run holds no run", "leave out --resume"]),
        ]:
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments, "--out", "run", says=says)

    def test_a_preset_is_for_every_model_of_its_kind(self):
        for model, settings in ("prenorm", ["--preset", "quickstart", *TEXT]), ("char-gpt", ["--preset", "names", "--text", "train.en"]):
            self.good("train", model, *settings, "--steps", "1", "--out", model)
        with open("prenorm/last/config.json", encoding="utf-8") as one, open("char-gpt/last/config.json", encoding="utf-8") as other:
            one, other = json.load(one), json.load(other)
        self.assertEqual((one["model"], one["d_model"], one["schedule"]), ("prenorm", 128, "linear"))
        self.assertEqual((other["model"], other["documents"], other["beta1"]), ("char-gpt", "lines", 0.85))

    def test_a_model_by_name_is_short_for_its_kind(self):
        self.good("train", "translation", "--model", "postnorm", *TEXT, *SMALL, "--steps", "2", "--out", "long")
        self.good("train", "postnorm", *TEXT, *SMALL, "--steps", "2", "--out", "short")
        with open("long/last/model.safetensors", "rb") as one, open("short/last/model.safetensors", "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.good("train", "translation", "--resume", "--steps", "3", "--out", "short")
        self.good("train", "postnorm", "--resume", "--steps", "4", "--out", "short")

    def test_a_yes_or_no_setting_needs_no_value(self):
        for words in (["--tie-embeddings"], ["--tie-embeddings", "true"], ["--tie-embeddings=true"]):
            with self.subTest(words=words):
                self.good("train", "translation", *TEXT, *SMALL, *words, "--steps", "1", "--out", "run")
                with open("run/last/config.json", encoding="utf-8") as file:
                    self.assertIn('"tie_embeddings": true', file.read())
                shutil.rmtree("run")
        self.good("train", "translation", *TEXT, *SMALL, "--tie-embeddings", "false", "--steps", "1", "--out", "run")
        with open("run/last/config.json", encoding="utf-8") as file:
            self.assertIn('"tie_embeddings": false', file.read())

    def test_a_config_file_sets_and_flags_win(self):
        with open("config.json", "w", encoding="utf-8") as file:
            file.write('{"steps": 4, "seed": 7}')
        result = self.good("train", "translation", *TEXT, *SMALL, "--config", "config.json", "--seed", "8", "--out", "run")
        self.assertIn("done: 4 steps", result.out)
        with open("run/last/config.json", encoding="utf-8") as file:
            self.assertIn('"seed": 8', file.read())
        self.assertFalse(os.path.exists("run/last/lock"))


if __name__ == "__main__":
    unittest.main()
