"""A run whose folder lost its links is refused with the command that repairs it, or is resumed, which restores them."""
import os, shutil, signal, subprocess, tempfile, unittest
from slope_runner import Case, RICH, SMALL, TEXT, sha256, snapshot, trained


class LostLinks(Case):
    """A run's folder after a copy (links dropped, dangling, or turned into folders), or after a kill between the renames of one save."""
    ARGUMENTS = [*RICH, "--save-every", "50", "--validate-every", "100", "--steps", "300"]

    kept = None  # both runs are trained once, and copied for each test

    def setUp(self):
        super().setUp()
        if LostLinks.kept is None:
            self.train("straight", *self.ARGUMENTS)
            self.stop_at(self.start(*self.command("--resume")), 105, signal.SIGTERM)
            LostLinks.kept = tempfile.mkdtemp()
            self.addClassCleanup(shutil.rmtree, LostLinks.kept)
            shutil.copytree(".", LostLinks.kept, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copytree(LostLinks.kept, ".", symlinks=True, dirs_exist_ok=True)
        self.last, self.best = os.readlink("run/last"), os.readlink("run/best")
        self.assertNotEqual(self.last, self.best)

    def command(self, *more):
        return ["train", "translation", *TEXT, *self.ARGUMENTS, *more, "--out", "run"]

    def goes_on(self):
        """To the same bits; nothing was lost."""
        self.good("train", "translation", "--resume", "--out", "run")
        self.assertEqual(trained("run"), trained("straight"))
        for link in ("last", "best"):
            self.assertEqual(os.readlink(f"run/{link}"), os.readlink(f"straight/{link}"))

    def refused_until(self, says):
        """Refused with the command that repairs it, and that command works."""
        self.refused(2, *self.command(), says=["run holds a run already", "--resume"])
        for arguments in (["train", "translation", "--resume", "--out", "run"], self.command("--resume")):
            said = self.refused(3, *arguments, says=says).err
        subprocess.run(["sh", "-ec", said.strip().rsplit(": ", 1)[1]], check=True)
        self.goes_on()

    def test_links_that_a_copy_dropped(self):
        os.remove("run/last"), os.remove("run/best")
        self.refused_until([f"run holds {self.best} and {self.last}, but no `last`: ln -sfn {self.last} run/last"])

    def test_last_alone_is_lost(self):
        os.remove("run/last")
        self.refused_until(f"ln -sfn {self.last} run/last")

    def test_best_without_last_and_one_checkpoint(self):
        shutil.rmtree(f"run/{self.best}"), os.remove("run/last")
        self.refused(3, "train", "translation", "--resume", "--out", "run", says=f"run holds {self.last}, but no `last`")

    def test_links_that_lead_nowhere(self):
        for link in ("last", "best"):
            os.remove(f"run/{link}"), os.symlink("gone", f"run/{link}")
        self.refused_until(f"a broken link `last`: ln -sfn {self.last} run/last")

    def test_a_checkpoint_that_was_being_replaced(self):
        """Where names cannot be exchanged: a kill between moving the old one aside and giving its name to the new one."""
        for n in (0, 1):
            shutil.copytree(f"run/{self.last}", f"run/{self.last}.77-{n}.tmp")
        shutil.rmtree(f"run/{self.last}")
        command = f"mv run/{self.last}.77-0.tmp run/{self.last}"
        shutil.copytree("run", "other", symlinks=True)
        os.remove("other/best")
        self.refused(3, "translate", "other", says=["other/last: leads to no checkpoint", command.replace("run/", "other/")])
        self.refused_until(f"run holds a broken link `last`, because its checkpoint was being replaced: {command}")
        self.assertEqual([name for name in os.listdir("run") if name.endswith(".tmp")], [])

    def test_links_without_any_checkpoint(self):
        shutil.rmtree(f"run/{self.best}"), shutil.rmtree(f"run/{self.last}")
        for arguments in (["train", "translation", "--resume", "--out", "run"], self.command("--resume")):
            said = self.refused(3, *arguments, says=["run holds a broken link `last`, and no checkpoint"]).err
        subprocess.run(["sh", "-ec", said.strip().rsplit(": ", 1)[1]], check=True)
        self.good(*self.command("--resume"))
        self.assertEqual(trained("run"), trained("straight"))

    def test_the_only_checkpoint_without_links_goes_on_by_itself(self):
        os.remove("run/last"), os.remove("run/best")
        self.refused(3, "translate", "run", says=f"run: neither best nor last leads to a checkpoint; name run/{self.last}")
        shutil.rmtree(f"run/{self.best}")
        self.refused(2, *self.command(), says="run holds a run already")
        self.good("train", "translation", "--resume", "--out", "run")
        self.assertEqual(trained("run")["log"], trained("straight")["log"])

    def test_a_copy_that_followed_the_links(self):
        subprocess.run(["cp", "-rL", "run", "copy"], check=True)
        shutil.rmtree("run"), os.rename("copy", "run")
        self.refused_until(["run/last, run/best: must be a link", f"rm -r run/last && ln -s {self.last} run/last && rm -r run/best && ln -s {self.best} run/best"])

    def test_folders_in_the_links_place(self):
        for link in ("last", "best"):
            name = os.readlink(f"run/{link}")
            os.remove(f"run/{link}"), os.rename(f"run/{name}", f"run/{link}")
        self.refused_until(f"mv run/last run/{self.last} && ln -s {self.last} run/last && mv run/best")

    def test_folders_of_one_step_in_the_links_place(self):
        self.train("one", "--steps", "4")
        os.remove("one/last"), os.remove("one/best"), shutil.copytree("one/step-4", "one/best"), os.rename("one/step-4", "one/last")
        before = snapshot("one/last")
        said = self.refused(3, "train", "translation", "--resume", "--out", "one", says="mv one/last one/step-4").err
        subprocess.run(["sh", "-ec", said.strip().rsplit(": ", 1)[1]], check=True)
        self.good("train", "translation", "--resume", "--out", "one")
        self.assertEqual(list(snapshot("one/last/").values()), list(before.values()))
        self.assertEqual((os.readlink("one/last"), os.readlink("one/best")), ("step-4", "step-4"))

    def test_a_complete_folder_is_not_given_up_for_a_copy_that_was_cut_off(self):
        """rsync -rL copies best and last before the checkpoints that they lead to."""
        self.train("one", "--steps", "2")
        shutil.copytree("one", "copy")  # follows the links
        model = "copy/step-2/model.safetensors"
        resume = ["train", "translation", "--resume", "--out", "copy"]
        for cut in (lambda: os.truncate(model, os.path.getsize(model) - 1), lambda: os.remove(model)):
            cut()
            self.refused(3, *resume, says=["copy/step-2: differs from copy/last", "move the incomplete one away"])
        shutil.rmtree("copy/step-2")
        os.rename("copy/last/model.safetensors", "kept")
        self.refused(3, *resume, says="copy/last: differs from copy/best")
        os.rename("kept", "copy/last/model.safetensors")
        said = self.refused(3, *resume, says="mv copy/last copy/step-2").err
        subprocess.run(["sh", "-ec", said.strip().rsplit(": ", 1)[1]], check=True)
        self.good(*resume)
        for name in ("model", "state"):
            self.assertEqual(sha256(f"copy/last/{name}.safetensors"), sha256(f"one/last/{name}.safetensors"))

    def test_the_command_that_is_said_takes_any_name(self):
        name = "-a 'run'; of $mine"
        self.train("one", "--steps", "2")
        shutil.copytree("one", name)
        said = self.refused(3, "train", "translation", "--resume", f"--out={name}", says="rm -r ./'-a ").err
        subprocess.run(["sh", "-ec", said.strip().split("(a copy made with cp -L?): ", 1)[1]], check=True)
        self.good("train", "translation", "--resume", f"--out={name}")
        self.assertEqual((os.readlink(f"{name}/last"), os.readlink(f"{name}/best")), ("step-2", "step-2"))
        os.remove(f"{name}/last"), shutil.copytree(f"{name}/step-2", f"{name}/step-1")
        said = self.refused(3, "train", "translation", "--resume", f"--out={name}", says="ln -sfn step-2 ./'-a ").err
        subprocess.run(["sh", "-ec", said[said.index("ln -sfn"):]], check=True)
        self.good("train", "translation", "--resume", f"--out={name}")

    def test_something_else_in_a_links_place(self):
        os.remove("run/best")
        with open("run/best", "w"):
            pass
        self.refused(3, "train", "translation", "--resume", "--out", "run", says="run/best: is no link to a checkpoint")

    def test_links_of_another_spelling(self):
        for link in ("last", "best"):
            name = os.readlink(f"run/{link}")
            os.remove(f"run/{link}"), os.symlink(os.path.abspath(f"run/{name}") + "/", f"run/{link}")
        self.good("train", "translation", "--resume", "--steps", "105", "--out", "run")  # nothing to do: tidies only
        self.goes_on()

    def test_best_is_what_the_state_says(self):
        for target in (self.last, "gone", None):
            with self.subTest(target=target):
                os.remove("run/best")
                if target:
                    os.symlink(target, "run/best")
                self.good("train", "translation", "--resume", "--steps", "105", "--out", "run")
                self.assertEqual(os.readlink("run/best"), self.best)
                self.good("inspect", "run/best")

    def test_starting_anew_is_said(self):
        fresh = ["train", "translation", *TEXT, *SMALL, "--steps", "2", "--resume"]
        self.assertEqual(self.slope(*fresh, "--out", "fresh").err, "slope: note: fresh holds no run to go on with: a new one starts\n")
        self.assertNotIn("anew", self.good(*fresh, "--out", "fresh").out)
        self.assertEqual(self.good(*fresh, "--quiet", "--out", "quiet").out, "")
        with open("fresh/log.jsonl", "w"):
            pass
        os.remove("fresh/last"), os.remove("fresh/best")
        self.refused(2, "train", "translation", *TEXT, *SMALL, "--steps", "2", "--out", "fresh", says="fresh holds a run already")


if __name__ == "__main__":
    unittest.main()
