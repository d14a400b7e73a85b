"""Experiments: training from another run's weights, with frozen parts, on one batch; norms, TensorBoard events, plots; sweeps."""
import json, os, re, shutil, signal, struct, time, unittest, xml.etree.ElementTree
from slope_runner import Case, SMALL, SMALL_GPT, TEXT, HANGS, json_of, log_of, read_tensors, sha256, trained, write_pairs

SVG = "{http://www.w3.org/2000/svg}"


def tensors(run):
    header, data = read_tensors(f"{run}/last/model.safetensors")
    return {name: data[slice(*t["data_offsets"])] for name, t in header.items() if name != "__metadata__"}


def texts(path):
    return ["".join(element.itertext()) for element in xml.etree.ElementTree.parse(path).getroot().iter(SVG + "text")]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def fields(data):
    """(number, value) of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(key & 7) or varint()
        yield key >> 3, data[at:at + size]
        at += size


def events(folder):
    """(step, tag, value) of the events of a run, and the version that its file begins with."""
    found, version = [], None
    for name in sorted(os.listdir(folder)):
        with open(f"{folder}/{name}", "rb") as file:
            data = file.read()
        at = 0
        while at < len(data):
            length, crc = struct.unpack("<QI", data[at:at + 12])
            event, end = data[at + 12:at + 12 + length], data[at + 12 + length:at + 16 + length]
            assert crc == masked(data[at:at + 8]) and struct.unpack("<I", end)[0] == masked(event)
            at += 16 + length
            message = dict(fields(event))
            version = message.get(3, version)
            for _, value in fields(message.get(5, b"")):
                scalar = dict(fields(value))
                found.append((message[2], scalar[1].decode(), struct.unpack("<f", scalar[2])[0]))
    return found, version


class FromARun(Case):
    def test_weights_tokenizers_and_sizes_come_from_the_run(self):
        self.train("first", "--steps", "30", "--lr", "0.02")
        write_pairs("train", 40, 100)
        self.good("train", "translation", *TEXT, "--from", "first", "--batch-size", "8", "--steps", "1", "--lr", "0", "--out", "second")
        self.assertEqual(tensors("second"), tensors("first"))
        for name in ("source.vocab", "target.vocab"):
            self.assertEqual(sha256(f"second/last/{name}"), sha256(f"first/last/{name}"))
        self.assertEqual(json_of("second/last/config.json")["d_model"], 8)
        # further steps give the same bits, interrupted or not, even if the first run is gone
        further = ["train", "translation", *TEXT, "--from", "first", "--batch-size", "8", "--log-every", "1"]
        self.good(*further, "--steps", "6", "--out", "whole")
        self.good(*further, "--steps", "3", "--out", "parts")
        shutil.rmtree("first")
        self.good("train", "translation", "--out", "parts", "--resume", "--steps", "4")
        os.mkdir("first")  # or if its folder is empty, whether --from is repeated or not
        self.good("train", "translation", "--out", "parts", "--resume", "--steps", "5")
        self.good(*further, "--resume", "--steps", "6", "--out", "parts")
        self.assertEqual(tensors("parts"), tensors("whole"))

    def test_weights_of_a_file(self):
        self.gpt("first", "--steps", "5")
        self.gpt("second", "--steps", "1", "--lr", "0", "--lr-min", "0", "--from", "first/last/model.safetensors")
        self.assertEqual(tensors("second"), tensors("first"))
        with open("train.en") as file:
            swapped = file.read().swapcase()
        with open("swapped", "w") as file:
            file.write(swapped)
        self.refused(3, "train", "char-gpt", "--text", "swapped", *SMALL_GPT, "--steps", "1", "--from", "first/last/model.safetensors", "--out", "third",
                     says="first/last/model.safetensors: was saved with another source.vocab")

    def test_less_is_to_be_learned_than_from_nothing(self):
        """Pre-training on half of the sentences, then fine-tuning on the others: a tenth of 60 steps reaches the loss that 60 steps reach from scratch."""
        self.train("first", "--steps", "120", "--lr", "0.02", "--dropout", "0")
        write_pairs("train", 60, 120)
        write_pairs("valid", 12, 180)
        nothing = self.train("nothing", "--steps", "60", "--lr", "0.02", "--dropout", "0", "--validate-every", "60")
        tuned = self.train("tuned", "--steps", "6", "--lr", "0.02", "--dropout", "0", "--validate-every", "6", "--from", "first")
        best = [float(re.search(r"best validation loss ([\d.]+)", result.out).group(1)) for result in (nothing, tuned)]
        self.assertLess(best[1], best[0])

    def test_what_does_not_fit_is_refused(self):
        self.train("first", "--steps", "1")
        self.gpt("gpt", "--steps", "1")
        translation = ["train", "translation", *TEXT, "--out", "second"]
        self.refused(3, *translation, "--from", "gpt/last/model.safetensors", says=["gpt/last/model.safetensors", "issing"])
        self.refused(3, *translation, "--from", "first", "--d-model", "16", says=["first/best/model.safetensors", "with shape (15, 8) from checkpoint, the shape in current model is (15, 16)"])
        self.refused(2, *translation, "--from", "gpt", says=["gpt is a run of char-gpt", "slope train lm"])
        self.refused(2, "train", "prenorm", *TEXT, "--out", "second", "--from", "first", says="--from: first is a run of postnorm, the model to train is prenorm")
        self.refused(4, *translation, "--from", "nowhere", says="nowhere")


class Parts(Case):
    def test_frozen_parameters_stay_and_the_others_learn(self):
        self.train("run", "--steps", "3", "--freeze", "embed_src.*,transformer.encoder.*", "--average", "0.5")
        self.train("start", "--steps", "1", "--lr", "0")
        before, after = tensors("start"), tensors("run")
        for name in before:
            frozen = name.startswith(("embed_src.", "transformer.encoder."))
            self.assertEqual(before[name] == after[name], frozen, name)
        self.train("parts", "--steps", "2", "--freeze", "embed_src.*,transformer.encoder.*", "--average", "0.5")
        self.good("train", "translation", "--resume", "--steps", "3", "--out", "parts")
        self.assertEqual(tensors("parts"), after)
        self.assertIn("of them frozen", self.train("again", "--steps", "1", "--freeze", "fc.bias").out)
        overlapping = self.train("overlap", "--steps", "1", "--freeze", "transformer.encoder.*,transformer.encoder.layers.0.*,fc.bias,fc.bias").out
        self.assertIn("of them frozen", overlapping)
        for pattern, says in (("embed_srx.*", "--freeze embed_srx.*: no parameter"), ("*", "nothing to train")):
            self.refused(2, "train", "translation", *TEXT, *SMALL, "--freeze", pattern, "--out", "new", says=says)

    def test_one_batch_is_learned_by_heart(self):
        result = self.train("run", "--overfit-batch", "--steps", "150", "--lr", "0.03", "--dropout", "0", "--clip", "0")
        self.assertIn("the model can learn", result.out)
        self.assertLess(log_of("run")[-1]["validation_loss"], 0.1)
        self.assertIn("not learned by heart", self.train("short", "--overfit-batch", "--steps", "2").out)
        self.train("parts", "--overfit-batch", "--steps", "3")
        self.train("whole", "--overfit-batch", "--steps", "6")
        self.good("train", "translation", "--resume", "--steps", "6", "--out", "parts")
        self.assertEqual(tensors("parts"), tensors("whole"))


class Pictures(Case):
    def test_norms_of_layers(self):
        self.train("run", "--steps", "4", "--log-norms", "--clip", "0")
        self.train("plain", "--steps", "4", "--clip", "0")
        self.assertEqual(tensors("run"), tensors("plain"))
        lines = [line for line in log_of("run") if "gradient_norm/transformer.encoder.layers.0" in line]
        self.assertEqual([line["step"] for line in lines], [1, 2, 3, 4])
        norms = [line["gradient_norm"] for line in log_of("run") if "gradient_norm" in line]
        for line, norm in zip(lines, norms):  # the parts of the whole
            parts = sum(value ** 2 for key, value in line.items() if key.startswith("gradient_norm/"))
            self.assertAlmostEqual(parts ** 0.5 / norm, 1, 5)
        self.good("plot", "run", "-o", "norms.svg", "--what", "norms")
        self.assertTrue({"Norm of each layer's gradient", "Norm of each layer's weights", "transformer.encoder.layers.0"} <= set(texts("norms.svg")))
        self.refused(2, "plot", "plain", "-o", "n.svg", "--what", "norms", says="--log-norms")

    def test_plot_of_several_runs(self):
        self.train("a", "--steps", "5")
        self.train("b", "--steps", "8", "--lr", "0.01")
        self.gpt("c", "--steps", "5")
        self.good("plot", "a", "b", "c", "-o", "all.svg")
        found = texts("all.svg")
        self.assertTrue({"Loss", "Learning rate", "Norm of the gradient", "Tokens per second", "a", "b", "c"} <= set(found), found)
        before = sha256("all.svg")
        self.good("plot", "a", "b", "c", "-o", "all.svg")
        self.assertEqual(sha256("all.svg"), before)
        self.good("plot", "a", "-o", "one.svg", "--what", "loss")
        self.assertNotIn("Learning rate", texts("one.svg"))
        self.refused(2, "plot", "a", "-o", "one.svg", "--what", "los", says=["there is no los", "did you mean loss?"])
        self.refused(2, "plot", "a", "-o", "one.png", says="-o one.png")
        os.mkdir("v")  # a run that has only been validated yet
        with open("v/log.jsonl", "w") as file:
            file.write(json.dumps(next(line for line in log_of("a") if "validation_loss" in line)) + "\n")
        self.good("plot", "v", "-o", "v.svg")
        self.assertIn("Loss", texts("v.svg"))
        self.assertNotIn("Learning rate", texts("v.svg"))
        self.refused(2, "plot", "v", "-o", "w.svg", "--what", "loss,lr", says="no run has logged lr")
        open("v/log.jsonl", "w").close()
        self.refused(2, "plot", "v", "-o", "w.svg", says="no run has logged any of loss, lr")
        self.refused(4, "plot", "nowhere", "-o", "one.svg", says="nowhere/log.jsonl")
        os.symlink("a/loss.svg", "link.svg")
        for name in ("a/loss.svg", "b/../a/loss.svg", "link.svg"):  # a resume would refuse to redraw it
            self.refused(2, "plot", "b", "-o", name, says=f"-o {name}: belongs to a run; choose another name")
        for name in ("a/start.json", "a/last/state.json", "a/last/config.json"):
            self.refused(2, "graph", "a", "-o", name, says=f"-o {name}: belongs to a run; choose another name")
        self.refused(2, "bench", "two-moons", "--steps", "1", "--trace", "a/log.jsonl", says="--trace a/log.jsonl: belongs to a run; choose another name")
        self.good("plot", "b", "-o", "a/curves.svg")
        self.good("plot", "b", "-o", "loss.svg")

    def test_the_eighth_run_has_the_first_color_with_dashes(self):
        self.train("a", "--steps", "5")
        for count, dashed in ((7, False), (8, True)):
            self.good("plot", *["a"] * count, "-o", "all.svg")
            with open("all.svg") as file:
                self.assertEqual("stroke-dasharray" in file.read(), dashed)

    def test_events_for_tensorboard(self):
        self.train("run", "--steps", "4", "--tensorboard", "--log-norms")
        found, version = events("run/tensorboard")
        self.assertEqual(version, b"brain.Event:2")
        expected = [(line["step"], key, value) for line in log_of("run") for key, value in line.items() if key not in ("step", "time", "best")]
        self.assertEqual([event[:2] for event in found], [event[:2] for event in expected])
        for (_, tag, value), (_, _, right) in zip(found, expected):
            self.assertAlmostEqual(value, right, delta=1e-6 * abs(right), msg=tag)
        self.good("train", "translation", "--resume", "--steps", "6", "--out", "run")
        self.assertEqual(events("run/tensorboard")[0][-1][0], 6)

    def test_tensorboard_reads_them(self):
        try:
            from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        except ImportError:
            self.skipTest("the Python package tensorboard is not installed")
        self.train("run", "--steps", "4", "--tensorboard")
        reader = EventAccumulator("run/tensorboard")
        reader.Reload()
        self.assertEqual([event.step for event in reader.Scalars("loss")], [1, 2, 3, 4])
        self.assertEqual([event.step for event in reader.Scalars("validation_loss")], [4])

    def test_training_goes_on_without_events(self):
        os.mkdir("run")
        with open("run/tensorboard", "w"):
            pass
        result = self.train("run", "--steps", "2", "--tensorboard")
        self.assertRegex(result.out, r"(?m)^no more events for TensorBoard: .*run/tensorboard.*training goes on")
        self.assertIn("done: 2 steps", result.out)


def without(flags, *left_out):
    """SMALL without these flags and their values."""
    return [word for i in range(0, len(flags), 2) if flags[i] not in left_out for word in flags[i:i + 2]]


class Sweep(Case):
    def sweep(self, *arguments):
        return self.good("sweep", "translation", *TEXT, *without(SMALL, "--lr", "--dropout"), "--steps", "6", "--validate-every", "3", "--grid", "lr=0.001,0.02", "dropout=0,0.5", "--out", "sweep", *arguments)

    def test_a_run_of_each_combination_and_a_table(self):
        out = self.sweep().out
        table = [line.split() for line in out.split("\n\n")[1].splitlines()]
        self.assertEqual(table[0][:2], ["lr", "dropout"])
        self.assertEqual(sorted(row[:2] for row in table[1:]), [["0.001", "0"], ["0.001", "0.5"], ["0.02", "0"], ["0.02", "0.5"]])
        losses = [float(row[2]) for row in table[1:]]
        self.assertEqual(losses, sorted(losses))
        self.assertEqual(json_of("sweep/lr=0.02,dropout=0.5/last/config.json")["dropout"], 0.5)
        one = ["train", "translation", *TEXT, *SMALL, "--steps", "6", "--validate-every", "3", "--lr", "0.02", "--dropout", "0.5"]
        self.good(*one, "--out", "alone")
        self.assertEqual(tensors("sweep/lr=0.02,dropout=0.5"), tensors("alone"))
        # a second time: only what is missing is trained; the same with jobs in parallel
        kept = os.stat("sweep/lr=0.02,dropout=0/last/model.safetensors").st_mtime_ns
        shutil.rmtree("sweep/lr=0.001,dropout=0")
        again = self.sweep("--jobs", "3").out
        self.assertEqual(again.split("\n\n")[1], out.split("\n\n")[1])
        self.assertEqual(os.stat("sweep/lr=0.02,dropout=0/last/model.safetensors").st_mtime_ns, kept)

    def test_a_run_that_fails_is_a_row(self):
        out = self.good("sweep", "lm", "--text", "train.en", *SMALL_GPT, "--steps", "3", "--grid", "lr=0.001,1e38", "--out", "sweep").out
        self.assertRegex(out, r"(?m)^1e38 +step \d")

    def test_losses_of_other_tokens_are_not_compared(self):
        out = self.good("sweep", "lm", "--text", "train.en", "--tokenizer", "words", *SMALL_GPT, "--steps", "2", "--grid", "min_freq=1,9", "--out", "sweep").out
        self.assertTrue(out.endswith("\nlosses of runs with another min_freq are of other tokens: they do not compare\n"), out)
        for key, values in (("validation_share", "0.1,0.5"), ("overfit_batch", "true,false"), ("text", "train.en,valid.en"), ("documents", "whole,lines"), ("seed", "1,2")):
            text = [] if key == "text" else ["--text", "train.en"] + ["--documents", "lines"] * (key == "seed")
            out = self.good("sweep", "lm", *text, *SMALL_GPT, "--steps", "2", "--grid", f"{key}={values}", "--out", key).out
            self.assertTrue(out.endswith(f"\nlosses of runs with another {key} are of other data: they do not compare\n"), out)

    def test_what_makes_no_sense_is_refused_before_anything_runs(self):
        for grid, says in (("lrr=1", ["lrr", "did you mean lr?"]), ("lr=x", "--lr x"), ("lr", "--grid lr: expected"), ("lr=", "--grid lr="), ("optimizer=adam,adan", "--optimizer adan")):
            self.refused(2, "sweep", "translation", *TEXT, *without(SMALL, "--lr"), "--grid", grid, "--out", "sweep", says=says)

    def test_combinations_that_fit_no_model_or_text_are_named_before_anything_runs(self):
        gpt = ["sweep", "lm", "--text", "train.en", *without(SMALL_GPT, "--n-head", "--n-embd", "--block-size"), "--out", "sweep"]
        translation = ["sweep", "translation", *TEXT, *without(SMALL, "--max-len"), "--out", "sweep", "--steps", "1"]
        for command, grid, says in ((gpt, ["n_head=1,3", "n_embd=8"], "sweep: n_head=3 n_embd=8: gpt: n_embd 8 is not divisible by n_head 3"), (gpt, ["lr=1e-3,1e-2", "n_head=3", "n_embd=8"], "sweep: lr=1e-3 n_head=3 n_embd=8: "),
                                    (gpt, ["block_size=8,1000000", "n_head=1", "n_embd=8"], "sweep: block_size=1000000 n_head=1 n_embd=8: train.en: "), (gpt, ["freeze=transformer.wpe.weight,nosuch", "n_head=1", "n_embd=8"], "sweep: freeze=nosuch"),
                                    (translation, ["max_len=12,1"], "sweep: max_len=1: "), (gpt, ["tokenizer=subwords", "vocab_size=0,30", "n_head=1", "n_embd=8"], "sweep: tokenizer=subwords vocab_size=30"),
                                    (["sweep", "points", "--epochs", "0", "--out", "sweep"], ["steps=1,2,0"], "sweep: steps=0: train: neither --steps nor --epochs")):
            with self.subTest(grid=grid):
                before = os.listdir(".")
                result = self.slope(*command, "--grid", *grid)
                self.assertIn(result.code, (2, 3), result)
                self.check_refusal(result, result.code, says)
                self.assertEqual((result.out, os.listdir(".")), ("", before))

    def test_a_run_with_an_error_is_a_row_and_the_others_go_on(self):
        os.mkdir("sweep")
        for name in ("seed=2", "seed=4"):
            with open(f"sweep/{name}", "w"):
                pass
        arguments = ["sweep", "lm", "--text", "train.en", *SMALL_GPT, "--steps", "2", "--grid", "seed=1,2,3,4", "--out", "sweep"]
        result = self.slope(*arguments)
        self.check_refusal(result, 4, "sweep: 2 of 4 runs failed; the first: seed=2: sweep/seed=2: ")
        table = [line.split()[:2] for line in result.out.split("\n\n")[1].splitlines()]
        self.assertEqual([row[0] for row in table[-2:]], ["2", "4"])
        self.assertEqual([row[1] for row in table[-2:]], ["sweep/seed=2:", "sweep/seed=4:"])
        for name in ("seed=2", "seed=4"):
            os.remove(f"sweep/{name}")
        self.assertNotIn("sweep/", self.good(*arguments).out)

    def test_values_are_compared_as_what_they_mean(self):
        for grid in ("lr=0.1,0.10", "lr=1e-3,0.001"):
            self.refused(2, "sweep", "points", "--grid", grid, "--steps", "2", "--out", "sweep", says="both are the same settings; leave out one")

    def test_each_run_is_the_one_that_train_makes_of_the_same_values(self):
        self.good("sweep", "points", "--grid", "epochs=1,2", "--batch-size", "64", "--out", "sweep")
        self.assertEqual([os.readlink(f"sweep/epochs={n}/last") for n in (1, 2)], ["step-4", "step-8"])
        write_pairs("own", 60)
        self.good("sweep", "translation", "--train", "own", "--valid", "valid", "--tokenizer", "words", "--d-model", "8", "--grid", "steps=3", "--out", "own-sweep")
        self.good("train", "translation", "--train", "own", "--valid", "valid", "--tokenizer", "words", "--d-model", "8", "--steps", "3", "--out", "own-run")
        self.assertEqual(json_of("own-sweep/steps=3/last/config.json"), json_of("own-run/last/config.json"))

    def test_a_grid_whose_runs_are_not_different_is_refused(self):
        for grid, says in ((["lr=1,1"], "lr=1 twice"), (["lr=1", "lr=2"], "lr has its values already"), (["seed=1,2", "momentum=0.5,0.9"], "--momentum: does nothing with --optimizer adam"),
                           (["batch-size=8,16"], ["--grid: batch_size has its values here", "leave out one"]), (["model=mlp"], ["--grid model=mlp", "--model", "a sweep for each"]),
                           ([f"{key}=" + ",".join(map(str, range(1, 1001))) for key in ("seed", "hidden", "points", "warmup")], "more than 10000 combinations"),
                           (["freeze=a/b,a_b"], "both would be the run sweep/freeze=a_b")):
            self.refused(2, "sweep", "points", "--batch-size", "4", "--grid", *grid, "--steps", "2", "--out", "sweep", says=says)

    def test_a_text_that_can_be_read_only_once_is_refused(self):
        with open("train.en") as file:
            text = file.read()
        lm = ["sweep", "lm", *SMALL_GPT, "--steps", "1", "--out", "sweep"]
        os.mkfifo("pipe.de"), shutil.copy("valid.en", "pipe.en")
        for arguments, name in (([*lm, "--text", "-"], "standard input"), ([*lm, "--text", "/dev/stdin"], "/dev/stdin"),
                                (["sweep", "translation", "--train", "train", "--valid", "pipe", "--steps", "1", "--out", "sweep"], "pipe.de")):
            self.refused(2, *arguments, "--grid", "seed=1,2", stdin=text, says=f"sweep: {name}: can be read only once, but each run reads it; name a file")
        self.good(*lm, "--text", "-", "--grid", "seed=1", stdin=text)  # one run
        self.assertEqual(os.readlink("sweep/seed=1/last"), "step-1")

    def test_an_interrupted_sweep_goes_on(self):
        process = self.start("sweep", "translation", *TEXT, *SMALL, "--steps", "100000", "--grid", "seed=1,2", "--out", "sweep")
        while not os.path.exists("sweep/seed=1/log.jsonl"):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANGS)
        self.assertEqual((process.returncode, err), (130, b""))
        self.assertIn(b"the same command goes on", out)
        self.assertEqual(os.listdir("sweep"), ["seed=1"])

    def test_a_signal_while_a_run_reads_its_text(self):
        os.mkfifo("late")  # which nobody writes
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("sweep", "lm", "--text", "late", *SMALL_GPT, "--steps", "1", "--grid", "seed=1", "--out", "sweep")
            while not os.path.exists("sweep/seed=1/start.json"):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(number)
            process.communicate(timeout=HANGS)
            self.assertEqual(process.returncode, -number)
            shutil.rmtree("sweep")

    def test_a_run_of_other_settings_is_not_counted(self):
        sweep = ["sweep", "lm", "--text", "train.en", *SMALL_GPT, "--grid", "seed=1,2", "--out", "sweep"]
        self.good(*sweep, "--steps", "2", "--lr", "0.001")
        for changed, says in (["--steps", "2", "--lr", "0.01"], "lr was 0.001, is 0.01"), (["--steps", "1", "--lr", "0.001"], "steps was 2, is 1"), (["--steps", "2", "--lr", "0.001", "--clip", "0.5"], "clip was 1.0, is 0.5"):
            self.refused(2, *sweep, *changed, says=["sweep: sweep/seed=1 holds a run of other settings: " + says])
        self.good(*sweep, "--steps", "2", "--lr", "0.001")

    def test_values_are_printed_without_control_characters(self):
        shutil.copy("train.en", "odd\x1b[31m")
        out = self.good("sweep", "lm", *SMALL_GPT, "--steps", "1", "--grid", "text=odd\x1b[31m", "--out", "sweep").out
        self.assertNotIn("\x1b", out)
        self.assertIn("text=odd\\x1b[31m: validation loss", out)
        self.assertRegex(out, r"(?m)^odd\\x1b\[31m  \d")


if __name__ == "__main__":
    unittest.main()
