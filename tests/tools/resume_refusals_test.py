"""What a resume may change, what it says of it, and what it refuses by name."""
import json, os, shutil, unittest
from slope_runner import Case, SMALL, TEXT, HANGS, json_of, log_of, trained


class Refusals(Case):
    def setUp(self):
        super().setUp()
        self.train("run", "--steps", "4")

    def resume(self, *arguments):
        return ["train", "translation", "--resume", "--steps", "8", *arguments, "--out", "run"]

    def test_a_folder_that_holds_a_run(self):
        self.refused(2, "train", "translation", *TEXT, *SMALL, "--steps", "8", "--out", "run", says=["run holds a run already", "--resume"])
        self.refused(2, "train", "char-gpt", "--text", "train.en", "--out", "run", says=["run holds a run already", "--resume"])

    def test_other_settings_are_named(self):
        for flag, value, says in [("clip", "2", "clip was 1.0, is 2.0"), ("d-model", "16", "d_model was 8, is 16"), ("seed", "3", "seed was 1, is 3"), ("batch-size", "4", "batch_size was 8, is 4"),
                                  ("optimizer", "sgd", 'optimizer was "adam", is "sgd"'), ("dropout", "0", "dropout was 0.1, is 0.0"), ("min-freq", "1", "min_freq was 2, is 1"),
                                  ("validation-size", "5", "validation_size was 200000, is 5"), ("from", "other", 'from was "", is "other"')]:
            with self.subTest(flag=flag):
                self.refused(2, *self.resume(f"--{flag}", value), says=["--resume", "run", says])
        self.refused(2, *self.resume("--beta1", "0.5", "--clip", "2"), says=["beta1 was", "clip was"])
        with open("config.json", "w") as file:
            file.write('{"weight_decay": 0.5}')
        self.refused(2, *self.resume("--preset", "quickstart"), says=["d_model was 8, is 128", "n_heads was "])
        self.refused(2, *self.resume("--config", "config.json"), says="weight_decay was 0.0, is 0.5")

    def test_another_tokenizer_is_named_before_a_vocabulary_is_read(self):
        self.gpt("gpt", "--steps", "1")
        lm, was = ["train", "char-gpt", "--resume", "--steps", "2", "--out", "gpt"], ["--resume: gpt was started with other settings", 'tokenizer was "characters", is "words"']
        self.refused(2, *lm, "--tokenizer", "words", says=was)
        with open("config.json", "w") as file:
            file.write('{"tokenizer": "words"}')
        self.refused(2, *lm, "--config", "config.json", says=was)
        self.refused(2, *self.resume("--tokenizer", "characters"), says=["--resume: run was", 'tokenizer was "words", is "characters"'])
        self.refused(2, *self.resume("--shared-vocabulary"), says=["--resume: run was", "shared_vocabulary was false, is true"])
        self.edit_config(shared_vocabulary=True)
        self.refused(2, *self.resume(), says=["--resume: run was", "shared_vocabulary was false, is true"])

    def test_a_vocabulary_that_was_cut_off_is_named_rather_than_the_text(self):
        self.gpt("gpt", "--steps", "1")
        vocabulary = os.path.realpath("gpt/last/source.vocab")
        os.truncate(vocabulary, os.path.getsize(vocabulary) // 2)
        self.refused(3, "train", "char-gpt", "--resume", "--steps", "2", "--out", "gpt", says=["gpt/last/source.vocab has ", "tokens, the weights were saved with "])

    def test_another_text_is_named_rather_than_what_the_vocabulary_lacks(self):
        with open("other.txt", "w", encoding="utf-8") as file:
            file.write("ÄÖÜ " * 200)
        for documents in ("whole", "lines"):
            run = f"gpt.{documents}"
            self.gpt(run, "--documents", documents, "--steps", "1")
            self.refused(2, "train", "char-gpt", "--resume", "--steps", "2", "--text", "other.txt", "--out", run, says=[f"--resume: the text is not what {run} was started with; name the same files"])

    def test_a_rate_that_the_optimizer_read_only_once(self):
        self.good("train", "points", "--optimizer", "rprop", "--steps", "2", "--out", "moons")
        self.refused(2, "train", "points", "--resume", "--steps", "4", "--lr", "5", "--out", "moons", says="lr was 0.01, is 5.0; these must not change")
        self.good("train", "points", "--resume", "--steps", "4", "--out", "moons")

    def test_where_nothing_is_left_to_do_the_old_values_stay(self):
        done = self.resume("--steps", "4", "--lr", "0.5")
        self.assertIn("\nno step is left up to step 4: the run is at step 4; lr stays 0.0005\n", self.good(*done).out)
        self.assertNotIn("resumed with", self.good(*done).out)
        self.good(*self.resume())
        self.assertEqual(json_of("run/last/config.json")["lr"], 0.0005)

    def test_what_may_change_is_printed_with_both_values(self):
        result = self.good(*self.resume("--lr", "0.1", "--schedule", "linear", "--warmup", "2"))
        self.assertIn("resumed with other settings: steps was 4, is 8; lr was 0.0005, is 0.1; schedule was \"constant\", is \"linear\"; warmup was 0, is 2\n", result.out)
        self.assertEqual(json_of("run/last/config.json")["lr"], 0.1)
        lines = [line["lr"] for line in log_of("run") if "lr" in line]
        self.assertEqual(lines[:4], [0.0005] * 4)
        self.assertTrue(all(lr > 0.001 for lr in lines[4:-1]), lines)

    def edit_config(self, **values):
        config = {**json_of("run/last/config.json"), **values}
        with open("run/last/config.json", "w") as file:
            json.dump(config, file)

    def test_an_edited_config_counts(self):
        self.edit_config(lr=0.25)
        self.assertIn("lr was 0.0005, is 0.25", self.good(*self.resume()).out)
        self.assertEqual(log_of("run")[-2]["lr"], 0.25)
        self.edit_config(clip=3)
        self.refused(2, *self.resume(), says="clip was 1.0, is 3.0")
        self.edit_config(clip="x")
        self.refused(3, *self.resume(), says=["run/last/config.json", "clip"])

    def test_other_data_are_named(self):
        self.refused(2, *self.resume("--valid", "train"), says=["--resume", "the validation text"])
        with open("train.de", "a") as de, open("train.en", "a") as en:
            de.write("Das Hund .\n"), en.write("the dog .\n")
        self.refused(2, *self.resume(), says=["--resume", "the training text"])
        self.refused(2, *self.resume("--valid", "train"), says=["--resume", "training and validation text"])
        os.remove("train.de")
        self.refused(4, *self.resume(), says="train.de")

    def test_another_model(self):
        self.refused(2, "train", "char-gpt", "--resume", "--out", "run", says=["postnorm", "char-gpt"])
        self.refused(2, "train", "translation", "--model", "prenorm", "--resume", "--out", "run", says=["run holds a run of postnorm", "--model prenorm"])

    def test_the_same_text_under_another_name_goes_on(self):
        for ending in ("de", "en"):
            os.rename(f"train.{ending}", f"moved.{ending}")
        self.good(*self.resume("--train", "moved"))
        self.assertEqual(log_of("run")[-1]["step"], 8)

    def test_a_text_with_a_character_that_the_model_has_not_learned(self):
        self.gpt("letters", "--steps", "1")
        with open("odd", "w", encoding="utf-8") as file:
            file.write("\u00d6" * 50)
        self.refused(3, "train", "char-gpt", "--text", "odd", "--from", "letters", "--steps", "2", "--out", "new", says=["odd", "'\u00d6'"])

    def test_subwords_of_a_file_that_is_gone_are_those_of_the_run(self):
        self.gpt("first", "--tokenizer", "subwords", "--steps", "1")
        shutil.copy("first/last/source.model", "own.model")
        self.gpt("whole", "--tokenizer", "subwords", "--subword-model", "own.model", "--steps", "4")
        self.gpt("half", "--tokenizer", "subwords", "--subword-model", "own.model", "--steps", "2")
        os.remove("own.model")
        self.good("train", "char-gpt", "--resume", "--steps", "4", "--threads", "1", "--out", "half")
        self.assertEqual(trained("half")["model"], trained("whole")["model"])

    def test_subwords_named_again_must_be_the_same(self):
        self.gpt("first", "--tokenizer", "subwords", "--steps", "1")
        self.gpt("others", "--tokenizer", "subwords", "--subword-kind", "unigram", "--steps", "1")
        shutil.copy("first/last/source.model", "own.model")
        self.gpt("half", "--tokenizer", "subwords", "--subword-model", "own.model", "--steps", "1")
        resume = ["train", "char-gpt", "--resume", "--threads", "1", "--out", "half", "--steps"]
        os.rename("own.model", "moved.model")
        self.good(*resume, "2", "--subword-model", "moved.model")  # the same subwords
        shutil.copy("others/last/source.model", "moved.model")
        self.good(*resume, "3")  # not named: the run has its own
        for named in ("moved.model", "others/last/source.model"):
            self.refused(2, *resume, "4", "--subword-model", named, says=f"--subword-model {named}: holds other subwords than half was started with; leave it out")
        self.refused(4, *resume, "4", "--subword-model", "gone.model", says="gone.model")

    def test_the_log_of_another_run_is_named_before_the_first_step(self):
        with open("run/log.jsonl") as file:
            text = file.read()
        with open("run/log.jsonl", "w") as file:  # longer lines: the saved length ends inside one
            file.write(text.replace('"time"', '"other": 1234567, "time"'))
        self.refused(3, *self.resume(), says="run/log.jsonl: is the log of another run")

    def test_two_processes_in_one_folder(self):
        process = self.start("train", "translation", *TEXT, *SMALL, "--steps", "1000000", "--out", "other")
        for line in process.stdout:
            if line.startswith(b"step 2/"):
                break
        try:
            for more in ([], ["--resume"]):
                result = self.slope("train", "translation", *TEXT, *SMALL, "--steps", "5", *more, "--out", "other")
                self.check_refusal(result, 2, ["other", "holds a run" if not more and os.path.getsize("other/log.jsonl") else str(process.pid)])
        finally:
            process.terminate()
            process.communicate(timeout=HANGS)
        self.assertEqual(process.returncode, 143)
        self.good("translate", "other", "valid.de")


if __name__ == "__main__":
    unittest.main()
