"""slope export: a checkpoint that PyTorch's load_state_dict accepts with strict=True, and its loss in PyTorch."""
import glob, importlib.util, json, os, pathlib, shutil, subprocess, sys, unittest
from slope_runner import Case, SMALL, SMALL_GPT, TEXT, read_tensors, snapshot

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "docs/load_char_gpt.py"
HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "safetensors"))


class Export(Case):
    def setUp(self):
        super().setUp()
        with open("text", "w", encoding="utf-8") as file:
            file.write("to be, or not to be: that is the \\ question;\n" * 20)

    def train_gpt(self):
        self.good("train", "char-gpt", "--text", "text", *SMALL_GPT, "--steps", "3", "--out", "run")

    def test_tied_tensors_are_there_under_each_name(self):
        self.train_gpt()
        self.good("export", "run", "--to", "pytorch", "-o", "out")
        header, data = read_tensors("out/model.safetensors")
        slices = {name: data[slice(*info["data_offsets"])] for name, info in header.items() if name != "__metadata__"}
        self.assertEqual(slices["lm_head.weight"], slices["transformer.wte.weight"])
        with open("out/config.json", encoding="utf-8") as file:
            config = json.load(file)
        self.assertEqual(config["tied"], {"transformer.wte.weight": "lm_head.weight"})
        self.assertEqual(config["n_embd"], 8)
        for text in ("GELU(approximate='none')", "LayerNorm((8,), eps=1e-05"):
            self.assertIn(text, config["modules"])
        saved, _ = read_tensors("run/best/model.safetensors")
        self.assertNotIn("transformer.wte.weight", saved)
        self.assertEqual(sorted(os.listdir("out")), ["config.json", "model.safetensors", "source.vocab"])

    def test_the_tokenizers_come_along_also_through_links(self):
        self.good("train", "lm", "--text", "train.en", "--tokenizer", "words", *SMALL_GPT, "--steps", "1", "--out", "run")
        os.rename("run/best/source.vocab", "kept")
        os.symlink(os.path.abspath("kept"), "run/best/source.vocab")
        self.good("export", "run", "--to", "pytorch", "-o", "out")
        self.assertEqual(sorted(os.listdir("out")), ["config.json", "model.safetensors", "source.spacing", "source.vocab"])
        for name in ("source.spacing", "source.vocab"):
            self.assertFalse(os.path.islink(f"out/{name}"))
            self.assertEqual(pathlib.Path("out", name).read_bytes(), pathlib.Path("run/best", name).read_bytes())

    def test_an_export_is_not_taken_for_a_run(self):
        self.train_gpt()
        self.good("export", "run", "--to", "pytorch", "-o", "out")
        for arguments in (["inspect", "out"], ["generate", "out"], ["eval", "out", "--data", "text"], ["lint", "out"], ["graph", "out", "--trace"], ["train", "lm", "--text", "text", "--from", "out", "--out", "other"]):
            with self.subTest(arguments=arguments):
                self.refused(3, *arguments, says="out/config.json: belongs to a model that was exported for PyTorch")
        for resume in ([], ["--resume"]):
            self.refused(2, "train", "lm", "--text", "text", "--out", "out", *resume, says="out: holds weights without a run's state, as an export does")

    def test_runs_of_every_kind(self):
        self.good("train", "translation", *TEXT, *SMALL, "--tie-embeddings", "--steps", "1", "--out", "translation")
        self.good("train", "points", "--steps", "1", "--out", "points")
        for run, name in (("translation", "embed_tgt.embed_tok.weight"), ("points", "")):
            self.good("export", run, "--to", "pytorch", "-o", f"{run}.out")
            header, _ = read_tensors(f"{run}.out/model.safetensors")
            self.assertTrue(not name or name in header, list(header))

    def test_nothing_is_replaced_and_nothing_left_behind(self):
        self.train_gpt()
        os.mkdir("mine")
        for folder in ("mine", "mine/", "text", "text/"):
            self.refused(2, "export", "run", "--to", "pytorch", "-o", folder, says=[folder, "exists"])
        self.refused(2, "export", "run", "--to", "onnx", "-o", "out", says=["onnx", "pytorch"])
        self.refused(3, "export", "mine", "--to", "pytorch", "-o", "out", says=["mine"])
        self.refused(4, "export", "run", "--to", "pytorch", "-o", "nowhere/out", says=["nowhere"])
        self.good("export", "run", "--to", "pytorch", "-o", "first")
        self.refused(2, "graph", "mlp", "-o", "first/config.json", says="-o first/config.json: belongs to a run")
        self.assertEqual([name for name in snapshot(".") if ".tmp" in name], [])
        os.mkdir("out.tmp")
        with open("out.tmp/thesis", "w") as file:
            file.write("mine")
        self.good("export", "run", "--to", "pytorch", "-o", "out")
        self.assertEqual([name for name in snapshot(".") if ".tmp" in name], ["./out.tmp", "./out.tmp/thesis"])

    def test_what_a_kill_left_is_removed_by_the_next_export(self):
        self.good("train", "char-gpt", "--text", "text", *SMALL_GPT, "--n-embd", "256", "--steps", "1", "--out", "run")
        os.mkdir("out.5-0.tmp")
        with open("out.5-0.tmp/thesis", "w") as file:
            file.write("mine")
        for _ in range(200):  # until a kill has hit the moment between the first file and the last
            process = self.start("export", "run", "--to", "pytorch", "-o", "out")
            while process.poll() is None and not glob.glob(f"out.{process.pid}-0.tmp/*"):
                pass
            process.kill()
            process.communicate()
            if os.path.exists("out"):
                shutil.rmtree("out")
            if os.path.exists(f"out.{process.pid}-0.tmp"):
                break
        self.assertTrue(os.path.exists(f"out.{process.pid}-0.tmp"))
        self.assertTrue(os.path.exists("out.lock.tmp"))
        self.good("export", "run", "--to", "pytorch", "-o", "other")
        self.assertTrue(os.path.exists(f"out.{process.pid}-0.tmp"))
        self.good("export", "run", "--to", "pytorch", "-o", "out")
        self.assertEqual([name for name in snapshot(".") if ".tmp" in name], ["./out.5-0.tmp", "./out.5-0.tmp/thesis"])

    @unittest.skipUnless(HAS_TORCH, "PyTorch or safetensors is not installed")
    def test_pytorch_has_the_same_loss(self):
        self.train_gpt()
        self.good("export", "run", "--to", "pytorch", "-o", "out")
        with open("words", "w", encoding="utf-8") as file:
            file.write("not that: to be\nis the question")
        self.same_loss("run", "out", "words")

    def same_loss(self, run, exported, text):
        here = json.loads(self.good("eval", run, "--data", text, "--json").out)["loss"]
        there = subprocess.run([sys.executable, SCRIPT, exported, text], capture_output=True, text=True, check=True).stdout
        self.assertAlmostEqual(here, float(there), delta=1e-5)

    @unittest.skipUnless(HAS_TORCH, "PyTorch or safetensors is not installed")
    def test_pytorch_reads_the_text_as_slope_does(self):
        text = "\ufeffTo be,\r\nor caf\u00e9 or cafe\u0301\r to be.\n" * 20
        pathlib.Path("odd").write_bytes(text.encode())
        for number, flags in enumerate(([], ["--lowercase"], ["--documents", "lines"])):
            with self.subTest(flags=flags):
                run, exported = f"run{number}", f"out{number}"
                self.good("train", "char-gpt", "--text", "odd", *flags, *SMALL_GPT, "--steps", "3", "--out", run)
                self.good("export", run, "--to", "pytorch", "-o", exported)
                if flags != ["--documents", "lines"]:
                    self.same_loss(run, exported, "odd")
                else:
                    self.script_refuses(exported, "odd", "the run's documents are lines")

    def script_refuses(self, exported, text, says):
        refused = subprocess.run([sys.executable, SCRIPT, exported, text], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(refused.stderr.count("\n"), 1, refused.stderr)
        self.assertIn(says, refused.stderr)

    @unittest.skipUnless(HAS_TORCH, "PyTorch or safetensors is not installed")
    def test_the_script_refuses_what_it_cannot_read(self):
        self.good("train", "lm", "--text", "train.en", "--tokenizer", "words", *SMALL_GPT, "--steps", "1", "--out", "words")
        self.good("export", "words", "--to", "pytorch", "-o", "words.out")
        self.script_refuses("words.out", "text", "the run's tokens are words")
        self.good("train", "lm", "--model", "microgpt", "--text", "train.en", "--steps", "1", "--out", "micro")
        self.good("export", "micro", "--to", "pytorch", "-o", "micro.out")
        self.script_refuses("micro.out", "text", "the run's model is microgpt")
        self.train_gpt()
        self.good("export", "run", "--to", "pytorch", "-o", "out")
        for text, says in (("", "at least two characters"), ("t", "at least two characters"), ("to Be", "'B' is not in the run's vocabulary")):
            pathlib.Path("short").write_text(text)
            self.script_refuses("out", "short", says)


if __name__ == "__main__":
    unittest.main()
