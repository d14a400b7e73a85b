"""tools/mutate: what an earlier call left in its folder does not hide the tree's files (a script stands for the compiler); no reason outlives its mutant."""
import json, os, pathlib, re, sys, tempfile, unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/mutate"))
import objects, plant

COMPILER = '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nfor last; do :; done\necho "$last" >> "$2"\n'  # adds the source's name to the object
FILE = "autograd/x.cpp"


class Objects(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root, self.build, self.work = (pathlib.Path(self.folder.name, name) for name in ("root", "build", "work"))
        self.put(self.root / "core/a.h", "")
        self.put(self.root / FILE, "#include <slope/core/a.h>\n")
        self.put(self.work / "mutant.h", "")
        for name, text in (("slope", "#!/bin/sh\necho kernels: v3\n"), ("compiler", COMPILER)):
            self.put(self.build / name, text)
            os.chmod(self.build / name, 0o755)
        command = f"{self.build}/compiler -I{self.root} -o CMakeFiles/slope.dir/{FILE}.o -c {self.root / FILE}"
        self.put(self.build / "compile_commands.json", json.dumps([{"directory": str(self.build), "file": str(self.root / FILE), "command": command}]))

    @staticmethod
    def put(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1e9, 1e9))  # older than what is compiled of it

    def compiled(self, keeps):
        """The sources of which x.cpp's object was made, one after the other."""
        tree = objects.Objects(self.root, self.build, self.work)
        tree.keep(keeps)
        (target, code, said), = tree.compile(FILE, self.work / "mutant.h")
        self.assertEqual((code, said), (0, ""))
        return target.read_text().split()

    def test_a_copy_that_is_not_wanted_now_goes_with_its_object(self):
        copy = self.work / "include/slope" / FILE
        self.put(copy, "changed")
        self.assertEqual(self.compiled([FILE]), [str(copy)])
        self.assertEqual(self.compiled([FILE]), [str(copy)])  # not again
        self.assertEqual(self.compiled([]), [str(self.root / FILE)])
        self.assertFalse(copy.exists())

    def test_so_does_a_header_with_the_objects_of_its_users(self):
        self.put(self.work / "include/slope/core/a.h", "changed")
        self.assertEqual(len(self.compiled(["core/a.h"])), 1)
        (self.work / "objects/CMakeFiles/slope.dir" / (FILE + ".o")).write_text("old\n")
        self.assertEqual(self.compiled([]), [str(self.root / FILE)])

    def test_a_header_of_the_tree_that_was_changed_is_noticed(self):
        self.assertEqual(len(self.compiled([])), 1)
        os.utime(self.root / "core/a.h", (4e9, 4e9))
        self.assertEqual(len(self.compiled([])), 2)


class Reasons(unittest.TestCase):
    def test_each_is_of_a_mutant_that_the_tree_has(self):
        root = pathlib.Path(plant.__file__).resolve().parents[2]
        named = {*json.loads((root / "tools/mutate/reasons.json").read_text()), *re.findall(r"^- `(\w+)` ", (root / "docs/mutation-score.md").read_text(encoding="utf-8"), re.M)}
        self.assertGreater(len(named), 9)
        self.assertEqual(named - {mutant.id for mutant in plant.mutants(root)}, set(), "remove them from tools/mutate/reasons.json and docs/mutation-score.md")


if __name__ == "__main__":
    unittest.main()
