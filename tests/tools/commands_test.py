"""The output of each command on good input: help, zoo, inspect, graph, gradcheck, eval, translate, generate."""
import json, os, re, shutil, signal, struct, unittest, unittest.mock, xml.etree.ElementTree
from slope_runner import ENVIRONMENT, Case, SMALL, TEXT

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SVG = "{http://www.w3.org/2000/svg}"


def svg(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == SVG + "svg", root.tag
    return root


def texts(root):
    return ["".join(element.itertext()) for element in root.iter(SVG + "text")]


class WithoutRun(Case):
    def test_version(self):
        self.assertRegex(self.good("--version").out, r"\Aslope \d+\.\d+\.\d+\nkernels: .+\nmatrix products: .+\nbf16 products: .+\nthreads: \d+\n\Z")

    def test_no_library_is_taken_from_the_current_folder(self):
        for name in ("libz.so.1", "libfmt.so.9", "libutf8proc.so.2", "libsentencepiece.so.0", "libgomp.so.1", "libm.so.6", "libstdc++.so.6"):
            with open(name, "w") as file:
                file.write("not a library")
        self.assertEqual(self.slope("--version").code, 0)

    def test_every_help_shows_an_example(self):
        pages, seen = [[]], []
        while pages:
            path = pages.pop()
            with self.subTest(path=path):
                help = self.good(*path, "--help").out
                self.assertRegex(help, r"(?m)^Example: .*slope ")
                self.assertEqual(self.good(*path, "-h").out, help)
                subcommands = re.search(r"^Subcommands:\n((?:  .*\n?)+)", help, re.M)
                pages += [[*path, name] for name in re.findall(r"^  (\S+) ", subcommands.group(1), re.M)] if subcommands else []
                seen.append(" ".join(path))
        for name in ("train translation", "train lm", "train points", "train char-gpt", "translate", "generate", "eval", "gradcheck", "inspect", "graph", "explore", "zoo", "bench node"):
            self.assertIn(name, seen)

    def test_help_names_every_setting(self):
        self.good("train", "translation", *TEXT, *SMALL, "--steps", "1", "--out", "run")
        with open("run/last/config.json") as file:
            keys = json.load(file)
        help = self.good("train", "translation", "--help").out
        for key in keys:
            self.assertIn("--" + key.replace("_", "-") + " ", help)

    def test_examples_of_the_help_are_accepted(self):
        self.good("zoo")
        self.good("gradcheck", "softmax", "layer_norm")
        self.good("graph", "mlp", "-o", "mlp.svg")

    def test_zoo(self):
        models, presets = self.good("zoo").out.split("\n\n")
        rows = [line.split(None, 4) for line in models.splitlines()][1:]
        counts = {row[0]: row[2] for row in rows}
        self.assertEqual((counts["postnorm"], counts["char-gpt"], counts["mlp"]), ("9038341", "804096", "337"))
        for name, kind, _, file, about in rows:
            self.assertIn(kind, ("translation", "lm", "points"))
            self.assertTrue(os.path.exists(os.path.join(SOURCE, file)), file)
            self.assertGreater(len(about), 10)
        self.assertEqual([line.split()[0] for line in presets.splitlines()[1:4]], ["quickstart", "multi30k", "multi30k-best"])
        as_json = json.loads(self.good("zoo", "--json").out)
        self.assertEqual([m["model"] for m in as_json["models"]], [row[0] for row in rows])

    def test_the_layers_of_every_model(self):
        for model in json.loads(self.good("zoo", "--json").out)["models"]:
            with self.subTest(model=model["model"]):
                one = json.loads(self.good("zoo", model["model"], "--json").out)
                self.assertEqual(sum(layer["parameters"] for layer in one["layers"]), model["parameters"])
                self.assertEqual([layer["name"] for layer in one["layers"]].count(""), 1)
                self.assertTrue(one["layers"][0]["output"])
        # 1 x 64 tokens: attention has 2 T C multiply-adds a token
        layers = {layer["name"]: layer for layer in json.loads(self.good("zoo", "char-gpt", "--json").out)["layers"]}
        self.assertEqual(layers["transformer.h.0.mlp.c_fc"]["multiply_adds"], 64 * 4 * 128 ** 2)
        self.assertEqual(layers["transformer.h.0.attn"]["multiply_adds"], 2 * 64 * 64 * 128)
        self.assertEqual(layers["lm_head"]["output"], [1, 64, 65])
        text = self.good("zoo", "mlp").out
        self.assertRegex(text, r"\ALayer \(type \(name\): depth-index\) +Output shape +Param # +Mult-adds +Output bytes\n=+\n")
        self.assertIn("Total params: 337\n", text)
        self.refused(2, "zoo", "postnrom", says=["postnrom", "did you mean postnorm?"])

    def test_the_parameters_of_the_zoo_are_those_of_the_models(self):
        for ending, words in (("de", 7853 - 4), ("en", 5893 - 4)):
            with open(f"big.{ending}", "w") as file:
                file.write("".join(f"word{i % words} word{i % words}\n" for i in range(7853 - 4)))
        short = ["--steps", "1", "--batch-size", "2", "--out"]
        self.assertIn("7853 de and 5893 en words; 9038341 parameters", self.good("train", "translation", "--train", "big", "--valid", "valid", "--preset", "multi30k", *short, "words").out)
        with open("text", "w") as file:
            file.write("".join(chr(48 + i) for i in range(65)) * 3)
        self.assertIn("65 different ones; 804096 parameters", self.good("train", "char-gpt", "--text", "text", *short, "characters").out)
        self.assertIn("337 derivatives", self.good("gradcheck", "--model", "mlp").out)

    def test_the_size_of_a_text_says_how_it_is_learned(self):
        """60 pairs: 8500 sqrt(60 / 29000) = 386 steps; a third of the steps is the warm-up."""
        small = ["--d-model", "8", "--n-heads", "2", "--d-feedforward", "8", "--max-len", "99", "--threads", "1", "--validate-every", "1000"]
        def settings(*arguments):
            training = self.start("train", "translation", *TEXT, *small, *arguments, "--log-every", "1", "--out", "run")
            self.assertIn(self.stop_at(training, 1, signal.SIGINT).code, (0, 130, -signal.SIGINT))  # all is known at the first step; a run of one step may end before
            with open("run/last/config.json") as file:
                config = json.load(file)
            shutil.rmtree("run")
            return [config[key] for key in ("steps", "warmup", "n_encoder_layers", "d_model", "batch_size", "lr", "schedule", "shared_vocabulary", "tie_embeddings", "attention_dropout", "activation_dropout", "subword_dropout")]
        learned = ["inverse_sqrt", True, True, 0, 0, 0.1]
        self.assertEqual(settings(), [386, 128, 4, 8, 256, 0.003, *learned])
        self.assertEqual(settings("--steps", "6", "--lr", "0.001"), [6, 2, 4, 8, 256, 0.001, *learned])
        self.assertEqual(settings("--epochs", "3", "--batch-size", "20"), [0, 3, 4, 8, 20, 0.003, *learned])
        self.assertEqual(settings("--steps", "1", "--subword-kind", "unigram")[-5:], [True, True, 0, 0, 0])
        self.assertEqual(settings("--steps", "1", "--tokenizer", "words")[-5:], [False, False, 0, 0, 0])
        self.assertEqual(settings("--steps", "1", "--preset", "multi30k")[2:7], [3, 8, 128, 0.0005, "constant"])

    def test_graph(self):
        for model in [m["model"] for m in json.loads(self.good("zoo", "--json").out)["models"]]:
            with self.subTest(model=model):
                for ending in ("svg", "dot", "json"):
                    self.assertEqual(self.good("graph", model, "-o", f"g.{ending}").out, "")
                drawn = texts(svg("g.svg"))
                with open("g.json") as file:
                    graph = json.load(file)
                with open("g.dot") as file:
                    dot = file.read()
                self.assertTrue(any("loss" in text for text in drawn))
                self.assertRegex(dot, r"\A(strict )?digraph ")
                self.assertEqual(dot.count("{"), dot.count("}"))
                self.assertGreater(len(json.dumps(graph)), 500)
                leaves = [node["name"] for node in graph["nodes"] if node["kind"] == "leaf"]
                self.assertGreater(len(leaves), 3)
                for leaf in leaves:
                    self.assertIn(leaf.rsplit(".", 1)[-1], dot)
                self.assertEqual(sorted(os.listdir("."))[:3], ["g.dot", "g.json", "g.svg"])
        self.good("graph", "postnorm", "--depth", "2", "-o", "small.svg")
        self.assertLess(len(texts(svg("small.svg"))), len(drawn))

    def test_trace(self):
        text = self.good("graph", "mlp", "--trace").out
        self.assertRegex(text, r"(?m)^1\. loss = sum\(v6, dims = \(0, 1\)\) = ")
        self.assertIn("y = tanh x        dx = g (1 - y^2)", text)
        self.assertIn("fc3.bias.grad += ", text)
        self.assertEqual(self.good("graph", "mlp", "--trace").out, text)
        self.assertLess(len(self.good("graph", "mlp", "--trace", "--module", "fc2").out), len(text))
        self.good("graph", "mlp", "--trace", "-o", "trace.json")
        with open("trace.json", encoding="utf-8") as file:
            trace = json.load(file)
        self.assertEqual({event["event"] for event in trace["events"]} & {"operation", "leaf"}, {"operation", "leaf"})
        self.train("run", "--steps", "1", "--n-encoder-layers", "4", "--n-decoder-layers", "6")
        self.refused(3, "graph", "run", "--trace", says=["operations"])

    def test_gradcheck(self):
        result = self.good("gradcheck", "softmax", "exp", "matmul")
        self.assertEqual(len(re.findall(r"^(?:softmax|exp|matmul) +ok  \d+ cases, \d+ derivatives$", result.out, re.M)), 3)
        composites = self.good("gradcheck", "mse_loss", "einsum", "split_heads", "attend")
        self.assertEqual(len(re.findall(r"^(?:mse_loss|einsum|split_heads|attend) +ok  \d+ cases, \d+ derivatives$", composites.out, re.M)), 4)
        report = json.loads(self.good("gradcheck", "tanh", "cumsum", "--json", "--seed", "5").out)
        self.assertRegex(report["summary"], r"^ok: 2 functions, \d+ derivatives$")
        self.assertEqual([function["name"] for function in report["functions"]], ["tanh", "cumsum"])
        outcomes = [outcome for function in report["functions"] for outcome in function["outcomes"]]
        for outcome in outcomes:
            self.assertEqual(set(outcome), {"case", "check", "layout", "report"})
            self.assertTrue(outcome["report"]["ok"])
            self.assertEqual(outcome["report"]["failures"], [])
        self.assertEqual({outcome["case"] for outcome in outcomes} & {"3 x 7000", "far from 0"}, {"3 x 7000", "far from 0"})
        self.assertGreater(sum(outcome["report"]["checked"] for outcome in outcomes), 100)
        model = json.loads(self.good("gradcheck", "--model", "mlp", "--json").out)
        self.assertEqual((model["model"], model["report"]["ok"], model["report"]["checked"]), ("mlp", True, 337))
        self.assertEqual(sum(leaf["derivatives"] for leaf in model["report"]["leaves"]), 337)

    def test_gradcheck_of_whole_models(self):
        self.assertRegex(self.good("gradcheck", "--model", "char-gpt", "--fast").out, r"\Achar-gpt: ok: \d+ derivatives agree along directions")
        sampled = json.loads(self.good("gradcheck", "--model", "mlp", "--sample", "5", "--seed", "3", "--json").out)["report"]
        self.assertTrue(all(leaf["derivatives"] <= 5 for leaf in sampled["leaves"]))

    def test_gradcheck_explains_derivatives_and_compares_with_pytorch(self):
        text = self.good("gradcheck", "tanh", "matmul", "--explain").out
        self.assertRegex(text, r"dx +as written +g \(1 - y\^2\) = \[")
        self.assertIn("not evaluated: in words or with indices", text)
        self.refused(2, "gradcheck", "mse_loss", "--explain", says="not an operation with its own rule")
        self.refused(2, "gradcheck", "exp", "--against", "numpy", says="pytorch")
        with unittest.mock.patch.dict(ENVIRONMENT, SLOPE_PYTHON="exit 77;"):  # as without torch
            self.assertIn("skipped: this Python has no torch", self.good("gradcheck", "exp", "--against", "pytorch").out)
        for program, says in (("exit 1;", "Python ended with code 1; set"), ("echo no; exit 1;", "Python ended with code 1: no; set")):
            with unittest.mock.patch.dict(ENVIRONMENT, SLOPE_PYTHON=program):
                self.refused(4, "gradcheck", "exp", "--against", "pytorch", says=says)

    def test_gradcheck_names_a_missing_folder_for_temporary_files(self):
        with unittest.mock.patch.dict(ENVIRONMENT, TMPDIR="/nonexistent"):
            self.refused(4, "gradcheck", "exp", "--against", "pytorch", says=["TMPDIR is /nonexistent", "set TMPDIR to a folder"])

    def test_gradcheck_takes_one_kind_of_question(self):
        for arguments in (["exp", "--all"], ["exp", "--model", "mlp"], ["--all", "--model", "mlp"]):
            self.refused(2, "gradcheck", *arguments, says="--all")
        self.refused(2, "gradcheck", "exp", "--fast", says="--model")
        self.refused(2, "gradcheck", "--model", "mlp", "--stop-on-failure", says="for functions")
        self.refused(2, "gradcheck", "--model", "mlp", "--fast", "--sample", "3", says="--sample")

    def test_gradcheck_shows_the_name_of_a_run_on_one_line(self):
        self.gpt("a\x1b[31m\nb", "--steps", "1")
        self.assertTrue(self.good("gradcheck", "--model", "a\x1b[31m\nb", "--fast").out.startswith(r"a\x1b[31m\x0ab: ok"))

    def test_a_picture_does_not_replace_what_standard_input_reads(self):
        self.train("run", "--steps", "1")
        with open("p.svg", "w") as file:
            file.write("der Mann sieht\n")
        for command in (["translate", "run", "--attention", "p.svg"], ["graph", "mlp", "-o", "p.svg"]):
            with open("p.svg") as text:
                result = self.slope(*command, stdin=text)
            self.check_refusal(result, 2, "p.svg: would replace what standard input reads")
        with open("p.svg") as file:
            self.assertEqual(file.read(), "der Mann sieht\n")

    def test_the_bundled_corpus_is_found(self):
        out = self.good("train", "translation", *SMALL, "--tokenizer", "subwords", "--max-len", "40", "--steps", "1", "--out", "run").out
        self.assertRegex(out, r"\A\d{4,} training pairs, \d+ validation pairs; \d{3,} de and \d{3,} en subwords; \d+ parameters\nper sentence: de [\d.]+ tokens \(longest \d+\), en [\d.]+ tokens \(longest \d+\)\n")


class WithRun(Case):
    def setUp(self):
        super().setUp()
        self.train("run", "--steps", "40", "--lr", "0.02", "--d-model", "16", "--dropout", "0", "--n-decoder-layers", "2")
        self.gpt("gpt", "--steps", "10")

    def test_a_run_holds_what_it_should(self):
        self.assertEqual(sorted(os.listdir("run/last/")), ["config.json", "model.safetensors", "source.spacing", "source.vocab", "state.json", "state.safetensors", "target.spacing", "target.vocab"])
        self.assertTrue({"best", "last", "log.jsonl", "loss.svg"} <= set(os.listdir("run")))
        self.assertIn("training", texts(svg("run/loss.svg")))
        with open("run/last/source.vocab", encoding="utf-8") as file:
            words = file.read().splitlines()
        self.assertEqual(words[:4], ["<pad>", "<unk>", "<sos>", "<eos>"])
        self.assertIn("hört", words)

    def test_inspect(self):
        for target in ("run", "run/best", "run/last", "gpt"):
            text = self.good("inspect", target).out
            report = json.loads(self.good("inspect", target, "--json").out)
            self.assertEqual(report["config"]["model"], "char-gpt" if target == "gpt" else "postnorm")
            self.assertEqual(report["step"], 10 if target == "gpt" else 40)
            for tensor in report["model"]["tensors"]:
                self.assertIn(tensor["name"], text)
        file = json.loads(self.good("inspect", "run/best/model.safetensors", "--json").out)
        self.assertEqual(file["elements"], sum(t["bytes"] for t in file["tensors"]) // 4)
        names = {t["name"]: t for t in file["tensors"]}
        self.assertEqual(names["embed_tgt.embed_pos.weight"]["shape"], [12, 16])
        self.assertEqual(names["embed_tgt.embed_pos.weight"]["dtype"], "F32")
        self.assertIn("tensors", self.good("inspect", "run/last/state.safetensors").out)

    def test_inspect_shows_control_characters_and_does_not_print_them(self):
        for text, seen in (("a\x1b[2Jb\nc", r"a\x1b[2Jb\x0ac"), ("a\x9bb", r"a\x9bb"), ("a\x7f", r"a\x7f")):
            header = json.dumps({"__metadata__": {text: text}, text: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}).encode()
            with open("names.safetensors", "wb") as file:
                file.write(struct.pack("<Q", len(header)) + header)
            shown = self.good("inspect", "names.safetensors").out
            self.assertEqual(shown.count(seen), 3)
            self.assertTrue(shown.isprintable() or shown.replace("\n", "").isprintable(), repr(shown))
            shown = self.good("inspect", "names.safetensors", "--json").out
            self.assertTrue(shown.replace("\n", "").isprintable(), repr(shown))
            self.assertEqual(json.loads(shown)["metadata"], {text: text})
            os.remove("names.safetensors")

    def test_inspect_prints_settings_and_little_else(self):
        wrong = {"[" + "1," * 1_000_000 + "1]": "config.json", "[1]": "expected a JSON object of settings", "7": "expected a JSON object", '{"a":[1,2]}': "a: expected the value of a setting, got a list",
                 '{"model":{}}': "got an object", '{"a":"' + "x" * 100_000 + '"}': "config.json"}
        for text, says in wrong.items():
            shutil.copytree("gpt", "other", symlinks=True)
            with open("other/last/config.json", "w") as file:
                file.write(text)
            for more in ([], ["--json"]):
                result = self.refused(3, "inspect", "other", *more, says=says)
                self.assertLess(len(result.out + result.err), 400)
            shutil.rmtree("other")
        header = json.dumps({"__metadata__": {"k": "v" * 1_000_000}}).encode()
        with open("long.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
        self.assertLess(len(self.good("inspect", "long.safetensors").out), 1000)
        os.remove("long.safetensors")

    def test_eval(self):
        figures = json.loads(self.good("eval", "run", "--data", "valid", "--json").out)
        self.assertTrue({"tokens", "loss", "ppl", "bleu", "sacrebleu", "sacrebleu_cased", "chrf", "chrf_cased"} <= set(figures))
        self.assertEqual(figures["tokens"], 12 * 7)  # six words and <eos>
        self.assertGreater(figures["ppl"], 1)
        with open("run/log.jsonl") as file:
            logged = [json.loads(line) for line in file][-1]["validation_loss"]
        self.assertAlmostEqual(figures["loss"], logged, delta=1e-6)
        beam = json.loads(self.good("eval", "run", "--data", "valid", "--beam", "3", "--json").out)
        self.assertEqual(beam["loss"], figures["loss"])
        text = self.good("eval", "run", "--data", "valid").out
        self.assertIn(f"{figures['ppl']:.4f}", text)
        self.assertRegex(text, rf"(?m)^BLEU\|nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:2.6.0 = {figures['sacrebleu_cased']:.2f} ")
        self.assertRegex(text, rf"(?m)^chrF2\|nrefs:1\|case:lc\|eff:yes\|nc:6\|nw:0\|space:no\|version:2.6.0 = {figures['chrf']:.2f}$")
        gpt = json.loads(self.good("eval", "gpt", "--data", "valid.en", "--json").out)
        self.assertEqual((gpt["bleu"], gpt["sacrebleu"], gpt["tokens"]), (None, None, os.path.getsize("valid.en") - 1))

    def test_translate(self):
        greedy = self.good("translate", "run", "valid.de").out
        self.assertEqual(greedy.count("\n"), 12)
        self.assertEqual(self.good("translate", "run", "valid.de", "--uncached").out, greedy)
        self.assertEqual(self.good("translate", "run", "valid.de", "--beam", "1").out, greedy)
        self.assertEqual(self.good("translate", "run", "valid.de", "--threads", "3").out, greedy)
        beam = self.good("translate", "run", "valid.de", "--beam", "4").out
        self.assertEqual(beam.count("\n"), 12)
        self.assertEqual(self.good("translate", "run", "valid.de", "--beam", "4", "--uncached").out, beam)

    def test_n_best_scores_and_prefix(self):
        best = self.good("translate", "run", "valid.de", "--beam", "4").out.splitlines()
        rows = [line.split("\t") for line in self.good("translate", "run", "valid.de", "--beam", "4", "--n-best", "3", "--scores").out.splitlines()]
        self.assertEqual([row[0] for row in rows], [str(i) for i in range(1, 13) for _ in range(3)])
        self.assertEqual([row[3] for row in rows[::3]], best)
        self.assertEqual([row[3] for row in map(lambda line: line.split("\t"), self.good("translate", "run", "valid.de", "--beam", "4", "--n-best", "2", "--scores").out.splitlines())][::2], best)
        for first, second in zip(rows[::3], rows[1::3]):
            self.assertGreaterEqual(float(first[1]), float(second[1]))
        with open("best.en", "w") as file:
            file.write("".join(line + "\n" for line in best))
        scored = [line.split("\t") for line in self.good("translate", "run", "valid.de", "--score", "best.en").out.splitlines()]
        for row, score in zip(rows[::3], scored):
            if len(row[3].split()) < 9:  # finished, and cut again as it was written
                self.assertAlmostEqual(float(row[1]), float(score[0]), 3)
                self.assertAlmostEqual(float(row[2]), float(score[1]), 3)
        self.assertEqual(len(scored), 12)
        for line in self.good("translate", "run", "valid.de", "--prefix", "the dog").out.splitlines():
            self.assertTrue(line.startswith("the dog"), line)
        for how in ("copy", "ban"):
            self.assertNotIn("<unk>", self.good("translate", "run", "--unk", how, stdin="Der Xaver ruft .\n").out)
        for how in ("write", "copy", "ban"):
            self.refused(2, "translate", "run", "valid.de", "--prefix", "the Zzz dog", "--unk", how, says=["--prefix: 'zzz'", "choose other words"])
        self.refused(2, "translate", "run", "valid.de", "--prefix", "A\udcff", says="--prefix: is not valid UTF-8")
        self.refused(2, "translate", "run", "valid.de", "--length-penalty", "-1000", says=["--length-penalty", "from -10 to 10"])
        for command in (["translate", "run", "valid.de"], ["eval", "run", "--data", "valid"]):
            self.refused(2, *command, "--length-penalty", "0.5", says="--length-penalty 0.5: needs a --beam above 1")
        self.good("translate", "run", "valid.de", "--length-penalty", "0.5", "--scores")
        self.refused(2, "translate", "run", "valid.de", "--n-best", "2", says=["--n-best 2", "--beam"])
        self.refused(2, "translate", "run", "valid.de", "--unk", "drop", says="--unk drop: choose write, ban or copy")
        self.refused(2, "translate", "run", "valid.de", "--prefix", "the " * 20, says=["20 tokens"])
        self.refused(2, "translate", "run", "--score", "-", says=["--score -"])
        self.refused(3, "translate", "run", "valid.de", "--score", "train.en", says=["60 translations for 12 lines"])

    def test_attention(self):
        plain = self.good("translate", "run", stdin="Das Hund sieht unbekanntes .\n").out
        for kind, layer in (("cross", "-1"), ("cross", "0"), ("encoder", "0"), ("decoder", "1")):
            out = self.good("translate", "run", "--attention", "a.svg", "--kind", kind, "--layer", layer, stdin="Das Hund sieht unbekanntes .\n").out
            self.assertEqual(out, plain)
            words = texts(svg("a.svg"))
            if kind != "decoder":
                self.assertTrue(all(word in words for word in ("das", "hund", "unbekanntes", "<sos>")), words)
        self.good("translate", "run", "--attention", "a.svg", "--beam", "3", stdin="\nDas Hund\n")
        shown = self.good("translate", "run", "--show-attention", stdin="Das Hund sieht unbekanntes .\n").out
        self.assertTrue(shown.startswith(plain))
        self.assertIn("head 2", shown)
        self.assertNotIn("\x1b", shown)  # no colours where there is no terminal

    def test_eight_panels(self):
        """The figure of the slides: eight heads of the last decoder layer's cross-attention, for a sentence of Multi30k."""
        sentence = "Ein älterer , übergewichtiger Mann wendet einen Pfannkuchen , während er Frühstück macht ."
        with open("pan.de", "w") as de, open("pan.en", "w") as en:
            de.write((sentence + "\n") * 8), en.write("an older , overweight man flips a pancake while making breakfast .\n" * 8)
        self.good("train", "translation", "--model", "nn-transformer", "--train", "pan", "--valid", "pan", *SMALL, "--d-model", "16", "--n-heads", "8", "--max-len", "20", "--lr", "0.01", "--steps", "80", "--out", "pan")
        out = self.good("translate", "pan", "--attention", "a.svg", stdin=sentence + "\n").out
        self.assertEqual(out, "an older , overweight man flips a pancake while making breakfast .\n")
        words = texts(svg("a.svg"))
        self.assertEqual([word for word in words if word.startswith("head ")], [f"head {h}" for h in range(1, 9)])
        self.assertIn("Cross-attention, layer 1 of 1", words)
        for word in (*sentence.lower().split(), *out.split(), "<eos>"):
            self.assertIn(word, words)

    def test_generate(self):
        def text(*arguments):
            return self.good("generate", "gpt", "--tokens", "60", *arguments).out
        self.assertEqual(len(text()), 61)
        self.assertEqual(text("--seed", "3"), text("--seed", "3"))
        self.assertEqual(text("--seed", "3"), text("--seed", "3", "--threads", "2"))
        self.assertNotEqual(text("--seed", "3"), text("--seed", "4"))
        self.assertTrue(text("--prompt", "the dog").startswith("the dog"))
        self.assertEqual(text("--temperature", "0"), text("--temperature", "0", "--seed", "9"))
        self.assertEqual(text("--top-k", "1"), text("--temperature", "0"))
        self.assertEqual(text("--top-p", "0.0001"), text("--temperature", "0"))
        self.assertEqual(text("--min-p", "1"), text("--temperature", "0"))
        self.assertNotEqual(text("--temperature", "0", "--repetition-penalty", "5"), text("--temperature", "0"))
        whole = text("--seed", "3")
        self.assertEqual(text("--seed", "3", "--stop", whole[20:24]), whole[:whole.index(whole[20:24])] + "\n")
        samples = text("--seed", "3", "--samples", "2").split("---\n")
        self.assertEqual(samples[0], whole)
        self.assertNotEqual(samples[1], whole)
        self.refused(2, "generate", "gpt", "--top-p", "2", says="--top-p")
        self.assertEqual(self.good("generate", "gpt", "--tokens", "0", "--prompt", "the").out, "the\n")

    def test_a_config_of_a_run_trains_another(self):
        self.good("train", "translation", "--config", "run/last/config.json", "--out", "twin")
        for name in ("model.safetensors", "config.json", "source.vocab"):
            with open(f"run/last/{name}", "rb") as one, open(f"twin/last/{name}", "rb") as other:
                self.assertEqual(one.read(), other.read())


if __name__ == "__main__":
    unittest.main()
