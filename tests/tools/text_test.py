"""Text that cannot be used: exit 3 (its content) or 4 (it cannot be read), naming the file and the byte or line."""
import gzip, json, os, select, struct, subprocess, unittest, unittest.mock
from slope_runner import ENVIRONMENT, Case, SLOPE, SMALL, SMALL_GPT, HANGS, decode, read_tensors, write_pairs, write_tensors


def put(path, content):
    with open(path, "wb") as file:
        file.write(content)


def get(path):
    with open(path, "rb") as file:
        return file.read()


class Corpus(Case):
    def test_it_is_where_the_environment_says(self):
        lm = ["train", "lm", *SMALL_GPT, "--steps", "2"]
        self.gpt("gpt", "--steps", "2")
        with unittest.mock.patch.dict(ENVIRONMENT, SLOPE_CORPUS="."):
            self.good(*lm, "--out", "run")
        self.assertEqual(get("run/last/model.safetensors"), get("gpt/last/model.safetensors"))
        with unittest.mock.patch.dict(ENVIRONMENT, SLOPE_CORPUS="nowhere"):
            self.refused(4, *lm, "--out", "new", says="SLOPE_CORPUS=nowhere: holds no train.de")


class NulCharacters(Case):
    def test_they_are_printed(self):
        put("text", b"\0\0\0a" * 100)
        self.good("train", "char-gpt", "--text", "text", *SMALL_GPT, "--steps", "200", "--lr", "0.02", "--out", "gpt")
        out = self.good("generate", "gpt", "--tokens", "40", "--temperature", "0").out
        self.assertEqual((len(out), set(out)), (41, set("\0a\n")))
        for ending in ("de", "en"):
            put(f"nul.{ending}", b"a \0 \0\n" * 40)
        self.good("train", "translation", "--train", "nul", "--valid", "nul", *SMALL, "--steps", "150", "--lr", "0.02", "--out", "run")
        self.assertEqual(self.good("translate", "run", stdin="a \0 \0\n").out.count("\0"), 2)


class Decomposed(Case):
    def test_a_perfect_translation_scores_100(self):
        for ending in ("de", "en"):
            put(f"two.{ending}", "cafe\u0301\n".encode() * 40)  # é as two characters
        self.good("train", "translation", "--train", "two", "--valid", "two", *SMALL, "--tokenizer", "characters", "--steps", "150", "--lr", "0.02", "--out", "run")
        for text in ("cafe\u0301\n", "caf\u00e9\n"):
            self.assertEqual(self.good("translate", "run", stdin=text).out, "caf\u00e9\n")
        for ending in ("de", "en"):
            put(f"one.{ending}", "caf\u00e9\n".encode() * 40)
        scores = [json.loads(self.good("eval", "run", "--data", name, "--json").out) for name in ("two", "one")]
        self.assertEqual((scores[0]["chrf"], scores[0]["chrf_cased"]), (100, 100))
        self.assertEqual(scores[0], scores[1])


class Overflow(Case):
    def test_a_loss_that_is_not_finite_is_no_result(self):
        self.gpt("gpt", "--steps", "1")
        self.train("run", "--steps", "1")
        self.good("train", "points", "--steps", "1", "--out", "moons")
        put("points", b"0.5,0.5,0\n")
        for run, data in (("gpt", "valid.en"), ("run", "valid"), ("moons", "points")):
            file = f"{run}/last/model.safetensors"
            header, weights = read_tensors(file)
            write_tensors(file, header, struct.pack("<f", 3e38) * (len(weights) // 4))
            for more in ([], ["--json"]):
                self.assertEqual(self.refused(5, "eval", run, "--data", data, *more).out, "")
        put("points", b"1e300,0.5,1\n")
        self.refused(3, "eval", "moons", "--data", "points", says="points: line 1")


class Memory(Case):
    def peak(self, *arguments):
        """The peak memory of slope, in bytes."""
        process = self.start(*arguments, "--quiet")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((process.returncode, process.stderr.read()), (0, b""))
        process.stdout.close(), process.stderr.close()
        return usage.ru_maxrss * 1024

    def test_a_character_takes_few_bytes(self):
        self.skip_sanitized()
        n = 4_000_000
        put("little", b"abcdefgh\n" * 100), put("much", (b"abcdefgh\n" * (n // 9)))
        little, much = (self.peak("train", "char-gpt", "--text", name, *SMALL_GPT, "--validation-share", "0.0001" if name == "much" else "0.1", "--steps", "1", "--out", f"run-{name}")
                        for name in ("little", "much"))
        self.assertLess((much - little) / n, 30)  # its number takes 8


class TrainingText(Case):
    def refuse(self, code, says, train="train", valid="valid", more=()):
        return self.refused(code, "train", "translation", "--train", train, "--valid", valid, *SMALL, *more, "--steps", "3", "--out", "run", says=says)

    def refuse_text(self, code, says, text):
        return self.refused(code, "train", "char-gpt", "--text", text, *SMALL_GPT, "--steps", "3", "--out", "run", says=says)

    def test_files_that_cannot_be_read(self):
        self.refuse(4, ["missing.de", "missing.de.gz"], "missing")
        self.refuse(4, "missing.de", valid="missing")
        self.refuse_text(4, "missing", "missing")
        os.mkdir("folder.de"), os.mkdir("folder.en")
        self.refuse(4, ["folder.de", "is a folder"], "folder")
        self.refuse_text(4, ["folder.de", "is a folder"], "folder.de")
        self.refuse_text(4, "/dev/zero", "/dev/zero")
        os.symlink("loop", "loop")
        self.refuse_text(4, "loop", "loop")
        os.remove("valid.en")
        self.refuse(4, "valid.en")
        if os.getuid() != 0:  # root reads all
            os.chmod("train.de", 0)
            self.refuse(4, "train.de")

    def test_text_that_is_empty_or_too_short(self):
        for content in (b"", b"\n\n\n", b" \n\t\n", b"\xef\xbb\xbf"):
            with self.subTest(content=content):
                put("empty.de", content), put("empty.en", content)
                self.refuse(3, "empty.de", "empty")
                self.refuse(3, "empty.de", valid="empty")
                self.refuse_text(3, "empty.de: contains no text", "empty.de")
        put("short", b"abcdefgh")
        self.refuse_text(3, ["short", "block_size 8"], "short")

    def test_sides_of_different_length(self):
        lines = get("train.de").splitlines(True)
        put("train.de", b"".join(lines[:30] + lines[31:]))
        self.refuse(3, ["train.de has 59 lines", "train.en has 60", "near line"])

    def test_invalid_utf8_is_named_with_its_byte(self):
        for bad, at in [(b"\xff", 0), (b"\xc0\xaf", 0), (b"\xed\xa0\x80", 0), (b"\xf4\x90\x80\x80", 0), (b"ab\xe4\xb8", 2), (b"\x80", 0), (b"x\xc3(", 1)]:
            with self.subTest(bad=bad):
                write_pairs("train", 60)
                start = len(get("train.de"))
                put("train.de", get("train.de") + bad + b"\n"), put("train.en", get("train.en") + b"x\n")
                self.refuse(3, ["train.de", f"byte {start + at} ", "line 61"])
                self.refuse_text(3, ["train.de", f"byte {start + at} "], "train.de")

    def test_words_that_are_not_learned_are_counted(self):
        arguments = ["train", "translation", "--train", "rare", "--valid", "valid", *SMALL, "--steps", "1", "--out", "run"]
        put("rare.de", b"das seltene Wort\n"), put("rare.en", b"the rare word\n")
        self.refused(3, *arguments, "--tokenizer", "words", says=["slope: rare.de: words: none of the text's 3 words occurs 2 times", "--min-freq 1"])
        put("rare.de", b"das seltene Wort\ndas\n"), put("rare.en", b"the word\nthe word\n")
        out = self.good(*arguments, "--tokenizer", "words").out
        self.assertIn("50 % of them <unk>, en 2.0 tokens (longest 2)\nmany de tokens are <unk>", out)
        self.assertNotIn("many en tokens", out)

    def test_unknown_words_are_counted_where_a_loss_is_measured(self):
        for ending in ("de", "en"):
            put(f"known.{ending}", b"the dog\n" * 40), put(f"other.{ending}", b"a cat\n" * 3 + b"the dog\n")
        out = self.good("train", "translation", "--train", "known", "--valid", "other", *SMALL, "--tokenizer", "words", "--steps", "1", "--out", "run").out
        for language in ("de", "en"):
            self.assertIn(f"75 % of the {language} validation tokens are <unk>: loss and perplexity say nothing", out)
        with open("run/log.jsonl") as file:
            first = json.loads(file.readline())
        self.assertEqual((first["unknown/de"], first["validation_unknown/de"], first["validation_unknown/en"]), (0, 0.75, 0.75))
        self.good("train", "char-gpt", "--text", "known.en", *SMALL_GPT, "--tokenizer", "words", "--steps", "1", "--out", "gpt")
        for run, data, source in (("run", "other", 0.75), ("gpt", "other.en", None)):
            figures = json.loads(self.good("eval", run, "--data", data, "--json").out)
            self.assertEqual(figures["unknown_source"], source)
            self.assertGreater(figures["unknown"], 0.4)
            self.assertRegex(self.good("eval", run, "--data", data).out, r"(?m)^unknown     [\d.]+ % of the .*tokens are <unk>: loss and perplexity say nothing")
        self.assertNotIn("unknown", self.good("eval", "run", "--data", "known").out)

    def test_damaged_gzip(self):
        packed = gzip.compress(get("train.de"))
        for damaged in (packed[:-1], packed[:30], packed + b"x", packed[:-8] + b"\0" * 8, packed[:40] + b"\xff\xff\xff" + packed[43:], b"no gzip"):
            put("train.de.gz", damaged)
            os.path.exists("train.de") and os.remove("train.de")
            self.refuse(3, "train.de.gz")

    def test_gzip_crlf_and_a_byte_order_mark_change_nothing(self):
        self.train("plain", "--steps", "3")
        put("packed.de.gz", gzip.compress(b"\xef\xbb\xbf" + get("train.de").replace(b"\n", b"\r\n")[:-2]))
        put("packed.en", get("train.en"))
        self.good("train", "translation", "--train", "packed", "--valid", "valid", *SMALL, "--steps", "3", "--out", "packed")
        self.assertEqual(get("plain/last/model.safetensors"), get("packed/last/model.safetensors"))

    def test_pairs_that_are_too_long_or_empty_are_skipped_and_counted(self):
        self.refuse(3, ["train.de", "5 positions"], more=["--max-len", "5"])
        put("train.de", get("train.de") + b"das " * 40 + b"\n\nDas\n" + b"das " * 11 + b"\n")
        put("train.en", get("train.en") + b"the\nthe\n\nthe\n")
        result = self.train("run", "--steps", "1")
        self.assertIn("60 training pairs", result.out)
        self.assertIn("2 empty", result.out)
        self.assertIn("2 too long", result.out)


class TextToUse(Case):
    def setUp(self):
        super().setUp()
        self.train("run", "--steps", "2")

    def test_lines_stay_lines(self):
        result = self.good("translate", "run", stdin="Das Mann sieht das Hund .\n\n   \nxyzzy plugh\nDas Kind .")
        lines = result.out.split("\n")
        self.assertEqual(len(lines), 6)
        self.assertEqual([lines[1], lines[2], lines[5]], ["", "", ""])
        self.assertEqual(self.good("translate", "run", stdin="").out, "")
        self.assertEqual(self.good("translate", "run", stdin="\n").out, "\n")
        self.assertEqual(self.good("translate", "run", stdin="a\r\n\r\n").out.count("\n"), 2)

    def test_evaluation_counts_what_it_leaves_out(self):
        put("long.de", b"das " * 40 + b"\ndas\n")
        put("long.en", b"the\n" + b"the " * 40 + b"\n")
        self.refused(3, "eval", "run", "--data", "long", says=["0 are empty", "2 are longer"])

    def test_a_file_and_standard_input_give_the_same(self):
        self.assertEqual(self.good("translate", "run", "valid.de").out, self.good("translate", "run", stdin=get("valid.de")).out)

    def test_lines_that_cannot_be_translated(self):
        self.assertEqual(self.refused(3, "translate", "run", stdin="a b\n" + "a " * 11 + "\n", says=["standard input", "line 2", "13 tokens", "12 positions"]).out, "")
        put("long", b"a " * 11)
        self.refused(3, "translate", "run", "long", says=["long", "line 1"])
        self.refused(3, "translate", "run", stdin=b"ab\n\xc3(\n", says=["standard input", "byte 3 "])
        self.refused(4, "translate", "run", "missing", says="missing")
        self.refused(4, "translate", "run", ".", says="folder")
        self.refused(3, "translate", "run", "--attention", "a.svg", stdin="\n\n", says="no sentence")
        self.refused(3, "translate", "run", "--attention", "a.svg", stdin="\n\n" + "a " * 11, says=["standard input: line 3", "13 tokens", "shorten or split it"])

    def test_long_lines_are_cropped_or_skipped_and_counted(self):
        text = "das Kind\n" + "das " * 11 + "\n\n" + "das " * 30 + "\n"
        plain = self.good("translate", "run", stdin="das Kind\n\n\n" + "das " * 10).out.split("\n")
        for way, line, word in (("crop", plain[3], "cropped"), ("skip", "", "skipped")):
            result = self.slope("translate", "run", "--long-lines", way, stdin=text)
            self.assertEqual((result.code, result.err), (0, f"slope: standard input: {word} 2 lines longer than the model's 12 positions\n"))
            self.assertEqual(result.out.split("\n"), [plain[0], line, "", line, ""])
        self.refused(2, "translate", "run", "--long-lines", "shorten", says="--long-lines shorten: choose refuse, crop or skip")
        self.refused(3, "translate", "run", stdin="das " * 30, says="give --long-lines crop or --long-lines skip")
        self.refused(2, "translate", "run", "--long-lines", "crop", "--score", "valid.en", says=["--long-lines", "--score"])
        self.refused(2, "translate", "run", "--prefix", "a\nb", says="--prefix: begins a line", stdin="das Kind\n")
        scored = self.slope("translate", "run", "--long-lines", "skip", "--scores", stdin="das " * 11 + "\n\ndas Kind\n").out.splitlines()
        self.assertEqual(scored[:2], ["nan\tnan\t", "nan\tnan\t"])
        self.assertLess(float(scored[2].split("\t")[0]), 0)
        result = self.slope("translate", "run", "--long-lines", "skip", "--attention", "a.svg", stdin="das " * 11 + "\ndas Kind\n")
        self.assertEqual((result.code, result.out), (0, "\n" + plain[0] + "\n"))

    def test_lines_are_answered_when_they_come(self):
        process = subprocess.Popen([SLOPE, "translate", "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)
        for _ in range(2):
            process.stdin.write(b"das Kind .\n")
            process.stdin.flush()
            self.assertTrue(select.select([process.stdout], [], [], 60)[0])
            self.assertEqual(decode(os.read(process.stdout.fileno(), 4096)), self.good("translate", "run", stdin="das Kind .\n").out)
        process.stdin.write(b"das Mann")  # a line ends at the end of the text too
        process.stdin.close()
        self.assertEqual(decode(process.stdout.read()), self.good("translate", "run", stdin="das Mann\n").out)
        process.stdout.close()
        self.assertEqual(process.wait(timeout=HANGS), 0)

    def test_a_writer_that_never_pauses_is_answered(self):
        process = subprocess.Popen(["yes", "das Kind ."], stdout=subprocess.PIPE)
        answers = subprocess.Popen([SLOPE, "translate", "run"], stdin=process.stdout, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        self.assertTrue(select.select([answers.stdout], [], [], 120)[0])
        for child in (process, answers):
            child.kill()
            child.communicate()

    def test_a_line_without_end_is_refused(self):
        for before, line in (("", 1), ("das Kind .\n", 2)):
            result = self.slope("translate", "run", "--long-lines", "crop", stdin=before + "das Kind " * (8 << 20))
            self.assertEqual(result.code, 3)
            self.assertEqual(result.err, f"slope: standard input: line {line}: longer than 67108864 bytes; break it into lines\n")

    def test_pipes_and_standard_input_have_names(self):
        expected = self.good("translate", "run", "valid.de").out
        put("valid.de.gz", gzip.compress(get("valid.de")))
        self.assertEqual(self.good("translate", "run", "-", stdin=get("valid.de")).out, expected)
        self.assertEqual(self.good("translate", "run", "/dev/stdin", stdin=get("valid.de")).out, expected)
        self.assertEqual(self.good("translate", "run", stdin=get("valid.de.gz")).out, expected)
        script = '"$SLOPE" translate run <(gzip -dc valid.de.gz)'
        done = subprocess.run(["bash", "-c", script], capture_output=True, env={**ENVIRONMENT, "SLOPE": SLOPE}, timeout=HANGS)
        self.assertEqual((decode(done.stdout), decode(done.stderr)), (expected, ""))
        self.gpt("gpt", "--steps", "2")
        for name in ("-", "/dev/stdin"):
            self.good("train", "char-gpt", "--text", name, *SMALL_GPT, "--steps", "2", "--out", f"gpt{len(name)}", stdin=get("train.en"))
            self.assertEqual(get(f"gpt{len(name)}/last/model.safetensors"), get("gpt/last/model.safetensors"))
            self.assertEqual(self.good("eval", "gpt", "--data", name, "--json", stdin=get("valid.en")).out, self.good("eval", "gpt", "--data", "valid.en", "--json").out)

    def test_carriage_returns_alone_are_named(self):
        put("mac.de", get("valid.de").replace(b"\n", b"\r")), put("mac.en", get("valid.en").replace(b"\n", b"\r"))
        self.refused(3, "translate", "run", "mac.de", says=["mac.de", "line ends are 12 with CR alone and ", "sed 's/\\r*$//' | tr '\\r' '\\n'"])
        self.refused(3, "eval", "run", "--data", "mac", says=["mac.de", "CR alone"])
        self.refused(3, "train", "translation", "--train", "mac", "--valid", "mac", *SMALL, "--steps", "1", "--out", "other", says=["mac.de", "CR alone"])

    def test_ten_positions_are_enough_for_ten_words(self):
        self.good("translate", "run", stdin="a " * 10)

    def test_evaluation(self):
        self.refused(4, "eval", "run", "--data", "missing", says="missing.de")
        put("empty.de", b""), put("empty.en", b"")
        self.refused(3, "eval", "run", "--data", "empty", says="empty.de")
        put("valid.de", get("valid.de") + b"x\n")
        self.refused(3, "eval", "run", "--data", "valid", says=["valid.de has 13 lines", "valid.en has 12"])

    def test_a_name_of_a_run_is_escaped_where_it_is_printed(self):
        odd = "odd\x1b[31m\u202e"
        self.assertIn("in odd\\x1b[31m\\u202e\n", self.gpt(odd, "--steps", "1").out)
        self.good("plot", odd, "-o", "curves.svg")
        self.assertIn(b"odd\\x1b[31m\\u202e", get("curves.svg"))

    def test_evaluation_of_nothing(self):
        put("names", b"anna\nbert\ncarla\n")
        self.good("train", "lm", "--preset", "names", "--text", "names", "--steps", "1", "--out", "documents")
        self.good("train", "points", "--steps", "1", "--out", "points")
        self.gpt("gpt", "--steps", "1")
        for run in ("documents", "points", "gpt"):
            for content in (b"", b"\n" if run == "gpt" else b"\n\n"):
                put("nothing", content)
                with self.subTest(run=run, content=content):
                    self.assertEqual(self.refused(3, "eval", run, "--data", "nothing", says="nothing").out, "")

    def test_a_nul_character_does_not_cut_a_message(self):
        self.gpt("gpt", "--steps", "1")
        self.refused(3, "eval", "gpt", "--data", "-", stdin="\0the man", says=r"'\x00' (U+0000) is not one of the")
        for config in ('{"a\\u0000b": 1}', '{"a\\u0000b": 1, "a\\u0000b": 2}'):
            with open("config.json", "w") as file:
                file.write(config)
            self.refused(3, "train", "points", "--config", "config.json", "--out", "moons", says=r'key "a\x00b"')

    def test_characters_that_a_model_does_not_know(self):
        self.gpt("gpt", "--steps", "1")
        self.assertEqual(self.refused(3, "generate", "gpt", "--prompt", "Ü", says=["prompt", "Ü"]).out, "")
        for flag in ("--prompt", "--stop"):
            self.refused(2, "generate", "gpt", flag, b"a\xff", says=f"{flag}: not valid UTF-8 at byte 1")
        put("other", "the ü".encode())
        self.refused(3, "eval", "gpt", "--data", "other", says=["other", "ü"])
        self.refused(3, "generate", "gpt", "--prompt", "Ü", says="--unknown-characters skip")
        result = self.slope("generate", "gpt", "--prompt", "tÜhÄÄ", "--tokens", "0", "--unknown-characters", "skip")
        self.assertEqual((result.code, result.out, result.err), (0, "th\n", "slope: the prompt: skipped 3 unknown characters\n"))
        result = self.slope("generate", "gpt", "--prompt", "tÜh", "--tokens", "0", "--unknown-characters", "skip")
        self.assertEqual(result.err, "slope: the prompt: skipped 1 unknown character\n")
        put("known", b"the ")
        figures = [json.loads(self.good("eval", "gpt", "--data", name, "--unknown-characters", "skip", "--json").out) for name in ("other", "known")]
        self.assertEqual([f.pop("skipped") for f in figures], [1, 0])
        self.assertEqual(figures[0], figures[1])
        self.assertIn("skipped     1 character that", self.good("eval", "gpt", "--data", "other", "--unknown-characters", "skip").out)
        with open("foreign", "w", encoding="utf-8") as file:
            file.write("ÜÄ")
        self.refused(3, "eval", "gpt", "--data", "foreign", "--unknown-characters", "skip", says=["foreign", "the run's vocabulary has no character of the text"])
        self.refused(2, "eval", "run", "--data", "valid", "--unknown-characters", "skip", says="language models")
        self.refused(2, "generate", "gpt", "--unknown-characters", "drop", says="refuse or skip")
        self.good("train", "lm", "--text", "train.en", "--tokenizer", "words", *SMALL_GPT, "--steps", "1", "--out", "words")
        self.assertEqual(self.slope("generate", "words", "--prompt", "the Ü", "--tokens", "0").err, "slope: the prompt: 1 of 2 tokens are <unk>\n")
        put("one", b"t")
        self.refused(3, "eval", "gpt", "--data", "one", says="one")
        self.refused(4, "eval", "gpt", "--data", "missing", says="missing")


if __name__ == "__main__":
    unittest.main()
