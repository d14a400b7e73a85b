"""Compiles changed copies of some files of a build, and links the build's programs with these objects first; the build itself stays as it is."""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess


class Objects:
    def __init__(self, root, build, work):
        self.root, self.build, self.work = root, build, work
        self.overlay = work / "include" / "slope"  # files here are found before the tree's
        version = subprocess.run([str(build / "slope"), "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
        isa = re.search(r"kernels: (\w+)", version).group(1)  # of this processor: the other variants stay as they are
        self.newest_header = max(path.stat().st_mtime for folder in ("core", "autograd", "nn") for path in (root / folder).rglob("*.h"))
        self.commands, united = {}, None
        for entry in json.loads((build / "compile_commands.json").read_text()):
            if re.search(rf"-o CMakeFiles/slope(?:_kernels_(?:{isa}|bf16))?\.dir/", entry["command"]):
                file = os.path.relpath(entry["file"], root)
                self.commands.setdefault(file, []).append(entry)
                united = entry if "/Unity/" in file else united
        # the build compiles some files together with others; here each is compiled alone
        for file in self.sources() if united else ():
            words = shlex.split(united["command"])
            words[words.index("-o") + 1] = f"CMakeFiles/slope.dir/{file}.o"
            words[words.index("-c") + 1] = str(root / file)
            self.commands.setdefault(file, [{"directory": united["directory"], "command": shlex.join(words)}])

    def sources(self):
        for folder in ("core", "autograd"):
            for path in sorted((self.root / folder).rglob("*.cpp")):
                file = path.relative_to(self.root).as_posix()
                if not file.startswith("core/kernels/"):
                    yield file

    def write(self, file, text):
        copy = self.overlay / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)
        return copy

    def keep(self, files):
        """Removes the copies of other files that an earlier call left, and what was compiled with them: they would hide the tree's files."""
        gone = {path.relative_to(self.overlay).as_posix() for path in self.overlay.rglob("*.*")} - set(files)
        for file in gone:
            (self.overlay / file).unlink()
        for file in gone | self.including({file for file in gone if file.endswith(".h")}):
            for made in (self.work / "objects").glob(f"**/{file}.o"):
                made.unlink()

    def including(self, headers):
        """Sources of the library that include one of the headers, directly or not."""
        if not headers:
            return set()
        users = {}
        for folder in ("core", "autograd", "nn"):
            for path in (self.root / folder).rglob("*.[ch]*"):
                for header in re.findall(r"#include <slope/([\w/.]+)>", path.read_text()):
                    users.setdefault(header, set()).add(path.relative_to(self.root).as_posix())
        found, left = set(), list(headers)
        while left:
            new = users.get(left.pop(), set()) - found
            found |= new
            left += new
        return {file for file in found if file in self.commands}

    def compile(self, file, header):
        """(object, exit code, output) for each variant of a source, or of its copy if there is one."""
        copy = self.overlay / file
        done = []
        for entry in self.commands.get(file, ()):
            words = shlex.split(entry["command"])
            target = self.work / "objects" / words[words.index("-o") + 1]
            target.parent.mkdir(parents=True, exist_ok=True)
            words[words.index("-o") + 1] = str(target)
            words[words.index("-c") + 1] = str(copy if copy.exists() else self.root / file)
            at = next(i for i, w in enumerate(words) if w.startswith("-I"))
            words[at:at] = ["-I", str(self.work / "include")]
            words[-2:-2] = ["-include", str(header), "-w", "-Wno-error", "-O1"]  # -O1: all mutants together are many times as much code
            used = [copy if copy.exists() else self.root / file, header, *self.overlay.rglob("*.h")]
            newest = max(self.newest_header, *(path.stat().st_mtime for path in used))
            if target.exists() and target.stat().st_mtime > newest:
                done.append((target, 0, ""))
                continue
            ran = subprocess.run(words, cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            done.append((target, ran.returncode, ran.stdout.decode(errors="replace")))
        return done

    def compile_all(self, files, header, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return dict(zip(files, pool.map(lambda f: self.compile(f, header), files)))

    def link(self, target, program, objects):
        """Links the build's program with the objects before its own libraries: where both define a name, the linker takes it from the objects."""
        line = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", target], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[-1]
        words = shlex.split(line.split("&&")[1] if line.startswith(":") else line)
        words[words.index("-o") + 1] = str(program)
        at = words.index("-o") + 2
        words[at:at] = ["-Wl,--allow-multiple-definition", *map(str, objects)]  # the first one counts
        subprocess.run(words, cwd=self.build, check=True)
