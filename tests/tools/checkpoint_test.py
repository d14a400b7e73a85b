"""Damaged checkpoints: exit 3, one line that names file and fault; nothing is half loaded; a resume changes nothing on disk."""
import json, os, shutil, struct, unittest
from slope_runner import TEXT, Case, read_tensors, snapshot, stride_for, write_tensors

TINY = ["--n-layer", "1", "--n-head", "1", "--n-embd", "1", "--block-size", "2", "--batch-size", "1", "--steps", "1", "--threads", "1"]
MODEL = "best/model.safetensors"


class DamagedModel(Case):
    """A model so small that each byte can be tried."""

    def setUp(self):
        super().setUp()
        with open("text", "w") as file:
            file.write("ab" * 20)
        self.good("train", "char-gpt", "--text", "text", *TINY, "--out", "run")
        self.file = f"run/{MODEL}"
        with open(self.file, "rb") as file:
            self.content = file.read()
        self.header = 8 + struct.unpack("<Q", self.content[:8])[0]

    def try_content(self, content, what):
        with open(self.file, "wb") as file:
            file.write(content)
        result = self.slope("generate", "run", "--tokens", "2")
        self.check_refusal(result, 3, self.file.rsplit("/", 1)[1], what)
        self.assertEqual(result.out, "", what)

    def test_cut_off_at_every_byte(self):
        for length in range(0, len(self.content), stride_for(len(self.content), 20)):
            self.try_content(self.content[:length], f"{length} bytes of {len(self.content)}")

    def test_every_byte_of_the_header_and_of_the_data_flipped(self):
        for at in range(0, len(self.content), stride_for(len(self.content), 20)):
            flipped = bytearray(self.content)
            flipped[at] ^= 1 << at % 8
            self.try_content(bytes(flipped), f"byte {at}, header of {self.header}")

    def test_something_behind_the_end_or_something_else(self):
        for content in (self.content + b"\0", self.content * 2, b"", b"\0" * 100, b"\xff" * 100, b"PK\x03\x04" + b"\0" * 100, os.urandom(1000)):
            self.try_content(content, content[:10])


class ChangedTensors(Case):
    def setUp(self):
        super().setUp()
        self.train("run", "--steps", "2")
        self.file = os.path.realpath(f"run/{MODEL}")
        self.header, self.data = read_tensors(self.file)
        self.name = "transformer.encoder.layers.0.mha.fc_query.weight"
        self.assertIn(self.name, self.header)

    def refuse(self, header, data, says):
        write_tensors(self.file, header, data)
        for command in (["translate", "run", "valid.de"], ["eval", "run", "--data", "valid"], ["translate", "run", "valid.de", "--attention", "a.svg"],
                        ["train", "translation", "--resume", "--steps", "4", "--out", "run"]):
            with self.subTest(command=command):
                self.refused(3, *command, says=["model.safetensors", *says])

    def without(self, name):
        """Header and data without one tensor."""
        begin, end = self.header[name]["data_offsets"]
        header = json.loads(json.dumps(self.header))
        del header[name]
        for key, tensor in header.items():
            if key != "__metadata__" and tensor["data_offsets"][0] >= end:
                tensor["data_offsets"] = [at - (end - begin) for at in tensor["data_offsets"]]
        return header, self.data[:begin] + self.data[end:]

    def test_the_file_as_rewritten_here_is_read(self):
        write_tensors(self.file, self.header, self.data)
        self.good("translate", "run", "valid.de")

    def test_missing(self):
        self.refuse(*self.without(self.name), [f'Missing key(s) in state_dict: "{self.name}"'])

    def test_missing_embedding(self):
        self.refuse(*self.without("embed_src.embed_tok.weight"), ["embed_src.embed_tok.weight"])

    def test_extra(self):
        header = {**self.header, "guest": {"dtype": "F32", "shape": [1], "data_offsets": [len(self.data), len(self.data) + 4]}}
        self.refuse(header, self.data + b"\0" * 4, ['Unexpected key(s) in state_dict: "guest"'])

    def test_renamed(self):
        header = {(self.name + "x" if key == self.name else key): value for key, value in self.header.items()}
        self.refuse(header, self.data, [f'"{self.name}" (did you mean "{self.name}x"?)'])

    def test_misshapen(self):
        header = json.loads(json.dumps(self.header))
        self.assertEqual(header[self.name]["shape"], [8, 8])
        header[self.name]["shape"] = [4, 16]
        self.refuse(header, self.data, [f"size mismatch for {self.name}", "shape (4, 16) from checkpoint, the shape in current model is (8, 8)"])

    def test_not_finite(self):
        begin = self.header[self.name]["data_offsets"][0]
        for value in (float("nan"), float("inf"), float("-inf")):
            self.refuse(self.header, self.data[:begin] + struct.pack("<f", value) + self.data[begin + 4:], [self.name, "not finite"])

    def test_another_dtype(self):
        header = json.loads(json.dumps(self.header))
        header[self.name]["dtype"] = "I32"
        self.refuse(header, self.data, [self.name])


class OtherFiles(Case):
    def setUp(self):
        super().setUp()
        self.train("run", "--steps", "2")
        self.last = os.path.realpath("run/last")

    def refuse(self, says, code=3, command=("translate", "run", "valid.de")):
        self.refused(code, *command, says=says)

    def change(self, name, edit):
        path = f"{self.last}/{name}"
        with open(path, encoding="utf-8") as file:
            content = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(edit(content))
        return content

    def test_vocabularies(self):
        for name in ("source.vocab", "target.vocab"):
            for edit, says in [
                (lambda text: text + "more\n", "16 tokens"), (lambda text: text[:text.rstrip("\n").rfind("\n") + 1], "14 tokens"), (lambda text: text[:-1], "cut off"), (lambda text: "", "empty"),
                (lambda text: text.replace("<unk>", "unk"), "<unk> must be here"), (lambda text: text.replace("<pad>\n", "<pad>\n<pad>\n"), "twice"), (lambda text: text + "\n", "empty token"),
            ]:
                with self.subTest(name=name, says=says):
                    before = self.change(name, edit)
                    self.refuse([name, says])
                    self.change(name, lambda _: before)

    def test_other_vocabularies(self):
        """A vocabulary of the right size and form, but not the one that the weights were saved with."""
        for name in ("source.vocab", "target.vocab"):
            def swap(text):
                lines = text.split("\n")
                lines[5], lines[6] = lines[6], lines[5]
                return "\n".join(lines)
            with self.subTest(name=name):
                before = self.change(name, swap)
                self.refuse([name, "the weights were saved with", "checksum"])
                self.refuse([name, "checksum"], command=("eval", "run", "--data", "valid"))
                self.change(name, lambda _: before)
        self.gpt("gpt", "--steps", "1")
        self.last = os.path.realpath("gpt/last")
        self.change("source.vocab", lambda text: text[2:4] + text[:2] + text[4:])
        self.refuse(["source.vocab", "checksum"], command=("generate", "gpt", "--tokens", "2"))

    def test_other_vocabularies_of_a_run_to_start_from_or_to_resume(self):
        further = ["train", "translation", *TEXT, "--from", "run", "--steps", "1"]
        self.good(*further, "--out", "more")
        for run, command in (("run", [*further, "--out", "third"]), ("more", ["train", "translation", "--resume", "--steps", "2", "--out", "more"])):
            self.last = os.path.realpath(f"{run}/last")
            for name in ("source.vocab", "target.vocab"):
                with self.subTest(run=run, name=name):
                    def swap(text):
                        lines = text.split("\n")
                        lines[5], lines[6] = lines[6], lines[5]
                        return "\n".join(lines)
                    before = self.change(name, swap)
                    self.refuse([name, "the weights were saved with", "checksum"], command=command)
                    self.change(name, lambda _: before)
            self.good(*command)

    def test_weights_that_tell_of_no_vocabularies(self):
        here = self.good("translate", "run", "valid.de").out
        header, data = read_tensors(f"{self.last}/model.safetensors")
        self.assertIn("crc32c of source.vocab", header.pop("__metadata__"))
        write_tensors(f"{self.last}/model.safetensors", header, data)
        self.assertEqual(self.good("translate", "run", "valid.de").out, here)

    def test_config_of_another_run(self):
        """Its shapes may fit: 8 channels are 2 heads or 4."""
        self.train("other", "--steps", "1", "--n-heads", "4")
        own, says = "run/best/config.json", "run/best/config.json: is not of the weights beside it; of theirs, n_heads was 2, is 4"
        shutil.copy("other/best/config.json", own)
        for command in (["translate", "run", "valid.de"], ["eval", "run", "--data", "valid"], ["lint", "run"], ["train", "translation", *TEXT, "--from", "run", "--out", "more"]):
            with self.subTest(command=command):
                self.refused(3, *command, says=says)
        os.rename("run/best/model.safetensors", "kept")
        os.symlink("../../kept", "run/best/model.safetensors")
        self.refused(3, "translate", "run", "valid.de", says=says)
        self.train("base", "--steps", "1", "--model", "prenorm")
        shutil.copy("base/best/config.json", own)
        self.refused(3, "translate", "run", "valid.de", says='model was "postnorm", is "prenorm"')

    def test_long_names_in_a_config_are_cut_off(self):
        for edit in (lambda text: text.replace('"postnorm"', f'"{"m" * 60_000}"'), lambda text: text.replace('"d_model"', f'"{"k" * 60_000}"')):
            before = self.change("config.json", edit)
            for command in (["eval", "run", "--data", "valid"], ["lint", "run"], ["export", "run", "--to", "pytorch", "-o", "out"], ["train", "translation", *TEXT, "--from", "run", "--out", "more"],
                            ["train", "translation", "--resume", "--steps", "9", "--out", "run"]):
                with self.subTest(command=command):
                    result = self.slope(*command)
                    self.assertEqual(result.code, 3, result)
                    self.assertLess(len(result.err), 500)
            self.change("config.json", lambda _: before)

    def test_settings_in_the_weights(self):
        header, data = read_tensors(f"{self.last}/model.safetensors")
        settings = json.loads(header["__metadata__"]["settings"])
        self.assertEqual((settings["model"], settings["n_heads"], settings["tokenizer"]), ("postnorm", 2, "words"))
        for key in ("train", "valid", "subword_model", "validation_size", "lr", "steps"):
            self.assertNotIn(key, settings)
        weights = "run/best/model.safetensors: "
        for damaged, says in [("{", [weights, "not valid JSON at byte 2"]), ("[1]", [weights, "expected a JSON object"]), ("", [weights, "not valid JSON"]),
                              ('{"n_heads": "' + "9" * 1000 + '"}', "n_heads was"), ("{" + ", ".join(f'"{i}": 1' for i in range(10_000)) + "}", [weights, "at most 65536"])]:
            with self.subTest(damaged=damaged):
                header["__metadata__"]["settings"] = damaged
                write_tensors(f"{self.last}/model.safetensors", header, data)
                self.refuse(says)

    def test_config(self):
        self.check_configs(["n_encoder_layers was 1, is 2"], ["n_heads was 2, is 3"])
        header, data = read_tensors(f"{self.last}/model.safetensors")
        header.pop("__metadata__")
        write_tensors(f"{self.last}/model.safetensors", header, data)
        self.check_configs(["Missing key(s)"], ["n_heads 3"])

    def check_configs(self, more_layers, three_heads):
        for edit, says in [
            (lambda text: text.replace('"d_model": 8', '"d_model": 16'), ["config.json"]), (lambda text: text.replace('"n_encoder_layers": 1', '"n_encoder_layers": 2'), more_layers),
            (lambda text: text.replace('"max_len": 12', '"max_len": 13'), ["config.json"]), (lambda text: text[:-5], ["config.json", "JSON"]), (lambda text: "", ["config.json"]),
            (lambda text: text.replace('"postnorm"', '"char-gpt"'), ["config.json", "char-gpt"]), (lambda text: text.replace('"postnorm"', "7"), ["config.json"]),
            (lambda text: text.replace('"d_model": 8', '"d_model": "8"'), ["config.json", "d_model"]), (lambda text: text.replace('"d_model": 8', '"d_model": -8'), ["config.json", "d_model"]),
            (lambda text: text.replace('"n_heads": 2', '"n_heads": 3'), three_heads), (lambda text: text.replace('"d_model"', '"d_modle"'), ["d_modle", "did you mean d_model?"]),
        ]:
            with self.subTest(says=says):
                before = self.change("config.json", edit)
                self.refuse(says)
                self.change("config.json", lambda _: before)

    def test_a_config_of_a_table_larger_than_the_weights(self):
        self.train("wide", "--steps", "1", "--model", "prenorm", "--d-model", "32")
        self.last = os.path.realpath("wide/last")
        header, data = read_tensors(f"{self.last}/model.safetensors")
        header.pop("__metadata__")
        write_tensors(f"{self.last}/model.safetensors", header, data)
        self.change("config.json", lambda text: text.replace('"max_len": 12', '"max_len": 1048576'))
        self.refuse(["config.json", "asks for a model of more than", "more than its weights can fill"], command=("translate", "wide", "valid.de"))

    def test_missing_files(self):
        for name in ("source.vocab", "target.vocab", "config.json"):
            os.rename(f"{self.last}/{name}", "kept")
            self.refuse(name, 4)
            os.rename("kept", f"{self.last}/{name}")
        os.remove(f"{self.last}/target.spacing")
        self.refuse(["target.spacing", "is missing"])

    def test_no_run(self):
        os.mkdir("empty")
        for command in (["translate"], ["generate"], ["inspect"]):
            self.refuse("missing", 4, [*command, "missing"])
            self.refuse("holds no checkpoint", 3, [*command, "empty"])
        self.refuse("train.de: is not a folder", 3, ["translate", "train.de"])
        self.refuse("train.de", 3, ["inspect", "train.de"])
        self.gpt("gpt", "--steps", "1")
        self.refuse(["gpt/best/config.json", "char-gpt"], 3, ["translate", "gpt"])
        self.refuse(["run/best/config.json", "postnorm"], 3, ["generate", "run"])

    def test_a_checkpoint_is_no_place_for_a_run(self):
        shutil.copytree("run/best", "alone")
        for folder in ("run/last", "run/best", "alone"):
            before = snapshot(folder)
            for resume in ([], ["--resume"]):
                self.refused(2, "train", "translation", "--steps", "4", "--out", folder, *resume, says=[folder, "is a checkpoint"])
                self.refused(2, "train", "translation", "--steps", "4", "--out", folder + "/one/two", *resume, says=[folder + "/one/two", "lies in a checkpoint"])
            self.assertEqual(snapshot(folder), before)

    def test_a_broken_link_is_not_passed_over(self):
        here = self.good("translate", "run", "valid.de").out
        os.remove("run/best")
        os.symlink("step-9", "run/best")
        for command in (["translate", "run", "valid.de"], ["eval", "run", "--data", "valid"], ["inspect", "run"]):
            self.refuse(["run/best", "rm run/best"], command=command)
        os.remove("run/best")
        self.assertEqual(self.good("translate", "run", "valid.de").out, here)

    def test_a_checkpoint_alone_is_enough(self):
        here = self.good("translate", "run", "valid.de").out
        shutil.copytree("run/best", "alone")
        self.assertEqual(self.good("translate", "alone", "valid.de").out, here)
        os.remove("run/best")
        self.assertEqual(self.good("translate", "run", "valid.de").out, here)

    def test_a_resume_from_damaged_state(self):
        resume = ["train", "translation", "--resume", "--steps", "4", "--out", "run"]
        for name, edit in [("state.safetensors", lambda c: c[:-1]), ("state.safetensors", lambda c: c[:100] + b"~" + c[101:]), ("state.safetensors", lambda c: b""),
                           ("model.safetensors", lambda c: c[:-4]), ("state.json", lambda c: c[:-3]), ("state.json", lambda c: c.replace(b'"step": 2', b'"step": -2')),
                           ("state.json", lambda c: c.replace(b'"step": 2', b'"step": 2.7')), ("state.json", lambda c: c.replace(b'"best_step": 2', b'"best_step": 2e0')),
                           ("state.json", lambda c: c.replace(b'"stale": 0', b'"stale": 18446744073709551615')), ("state.json", lambda c: c.replace(b'"step"', b'"stop"')), ("state.json", lambda c: b"[]"), ("state.json", lambda c: b"")]:
            with self.subTest(name=name):
                with open(f"{self.last}/{name}", "rb") as file:
                    before = file.read()
                with open(f"{self.last}/{name}", "wb") as file:
                    file.write(edit(before))
                self.refused(3, *resume, says=name)
                with open(f"{self.last}/{name}", "wb") as file:
                    file.write(before)
        self.good(*resume)

    def test_files_of_another_step_or_run_are_not_combined(self):
        resume = ["train", "translation", "--resume", "--steps", "4", "--out", "run"]
        self.train("later", "--steps", "3")
        self.train("other", "--steps", "2", "--seed", "2")
        for name in ("model.safetensors", "state.safetensors", "state.json"):
            for run in ("later", "other"):
                with self.subTest(name=name, run=run):
                    shutil.copy(f"{self.last}/{name}", "kept")
                    shutil.copy(f"{run}/last/{name}", f"{self.last}/{name}")
                    if (name, run) == ("state.json", "other"):
                        self.refused(2, *resume, says="seed was 2, is 1")
                    else:
                        self.refused(3, *resume, says=[f"run/last/{name}: was", "--from run/last"])
                    shutil.copy("kept", f"{self.last}/{name}")
        shutil.copy("other/last/model.safetensors", f"{self.last}/model.safetensors")
        self.train("new", "--steps", "1", "--from", "run/last")
        shutil.copy("later/last/model.safetensors", f"{self.last}/model.safetensors")
        with open(f"{self.last}/state.json", encoding="utf-8") as file:
            state = json.load(file)
        for key in ("crc32c", "crc32c of model.safetensors", "crc32c of state.safetensors"):
            self.assertEqual(len(state.pop(key)), 8)
        with open(f"{self.last}/state.json", "w", encoding="utf-8") as file:
            json.dump(state, file)  # as builds of before wrote it
        self.good(*resume)

    def test_every_bit_of_the_state_flipped(self):
        with open(f"{self.last}/state.json", "rb") as file:
            before = file.read()
        for at in range(0, len(before), stride_for(len(before), 3)):
            with open(f"{self.last}/state.json", "wb") as file:
                file.write(before[:at] + bytes([before[at] ^ 1 << at % 8]) + before[at + 1:])
            result = self.slope("train", "translation", "--resume", "--steps", "4", "--out", "run")
            self.check_refusal(result, 3, "state.json", f"byte {at}: {before[max(at - 20, 0):at + 20]}")

    def test_a_state_of_before_the_checksum(self):
        with open(f"{self.last}/state.json", encoding="utf-8") as file:
            state = json.load(file)
        self.assertEqual(len(state.pop("crc32c")), 8)
        for key in ("position", "step", "log_bytes"):
            with open(f"{self.last}/state.json", "w", encoding="utf-8") as file:
                json.dump({**state, key: 2 ** 63 - 1}, file)
            self.refused(3, "train", "translation", "--resume", "--steps", "4", "--out", "run", says=["state.json", key])
        with open(f"{self.last}/state.json", "w", encoding="utf-8") as file:
            json.dump(state, file)
        self.good("train", "translation", "--resume", "--steps", "4", "--out", "run")

    def test_a_log_that_somebody_shortened(self):
        with open("run/log.jsonl", "w"):
            pass
        self.good("train", "translation", "--resume", "--steps", "4", "--out", "run")
        with open("run/log.jsonl", "rb") as file:
            self.assertNotIn(b"\0", file.read())


if __name__ == "__main__":
    unittest.main()
