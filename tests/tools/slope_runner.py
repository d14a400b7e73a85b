"""Shared by the tests of the command: running it, tiny texts and runs, reading what it wrote. Standard library only.

The path of `slope` is in SLOPE_COMMAND. Each test works in a folder of its own that disappears after it.
"""
import hashlib, json, os, re, resource, shutil, signal, struct, subprocess, sys, tempfile, time, unittest

SANITIZED = bool(os.environ.get("SLOPE_SANITIZED"))
SLOPE = os.path.abspath(os.environ.get("SLOPE_COMMAND", "build/slope"))
ENVIRONMENT = {**os.environ, "NO_PROGRESS": "1"}
HANGS = 600  # seconds after which a command is said to hang; no test measures time, and a shared machine can be very slow

SMALL = ["--d-model", "8", "--n-heads", "2", "--n-encoder-layers", "1", "--n-decoder-layers", "1", "--d-feedforward", "8",
         "--max-len", "12", "--tokenizer", "words", "--lowercase", "true", "--batch-size", "8", "--dropout", "0.1", "--label-smoothing", "0", "--average", "0", "--lr", "0.0005",
         "--schedule", "constant", "--warmup", "0", "--threads", "1", "--log-every", "1"]
SMALL_GPT = ["--n-layer", "1", "--n-head", "2", "--n-embd", "8", "--block-size", "8", "--batch-size", "4", "--threads", "1", "--log-every", "1"]
TEXT = ["--train", "train", "--valid", "valid"]
# Everything that a step may depend on: dropout, accumulation, a schedule, an average of weights, checkpoints apart from validations, log lines in between.
RICH = [*SMALL, "--dropout", "0.2", "--accumulate", "3", "--schedule", "cosine", "--warmup", "5", "--lr", "0.01", "--average", "0.9", "--optimizer", "adamw", "--weight-decay", "0.1",
        "--save-every", "7", "--validate-every", "10", "--label-smoothing", "0.1"]


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit {self.code}\nstdout: {self.out[:600]}\nstderr: {self.err[:600]}"


def decode(data):
    return data.decode("utf-8", "surrogateescape")


def write_pairs(prefix, n, first=0):
    """Sentences of 5 tokens from 11 words per side; numbers 0 to 239 give different ones."""
    sides = (("Das", "das", ["Mann", "Frau", "Kind", "Hund"], ["sieht", "liebt", "sucht", "ruft", "hört"]),
             ("the", "the", ["man", "woman", "child", "dog"], ["sees", "loves", "seeks", "calls", "hears"]))
    for ending, (begin, article, nouns, verbs) in zip(("de", "en"), sides):
        with open(f"{prefix}.{ending}", "w", encoding="utf-8") as file:
            for i in range(first, first + n):
                k = i * 7 % 80
                file.write(f"{begin} {nouns[k % 4]} {verbs[k // 4 % 5]} {article} {nouns[k // 20]} .\n")


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.mkdtemp(prefix="slope-test-")
        os.chdir(self.folder)
        write_pairs("train", 60)
        write_pairs("valid", 12, 60)

    def tearDown(self):
        os.chdir(self.before)
        shutil.rmtree(self.folder, ignore_errors=True)

    def slope(self, *arguments, stdin="", timeout=HANGS, **options):
        if isinstance(stdin, str):
            stdin = stdin.encode("utf-8", "surrogateescape")
        source = {"stdin": stdin} if hasattr(stdin, "fileno") else {"input": stdin}
        done = subprocess.run([SLOPE, *arguments], **source, capture_output=True, timeout=timeout, env=ENVIRONMENT, **options)
        return Result(done.returncode, decode(done.stdout), decode(done.stderr))

    def good(self, *arguments, **options):
        result = self.slope(*arguments, **options)
        self.assertEqual(result.code, 0, f"{arguments}\n{result}")
        self.assertEqual(without_note(result.err), "", f"{arguments}")
        return result

    def refused(self, code, *arguments, says=(), **options):
        """Exit `code`, one line on stderr that contains each of `says`, nothing on stdout but a summary of the text, and no file made or changed."""
        before = snapshot(".")
        result = self.slope(*arguments, **options)
        self.check_refusal(result, code, says, arguments)
        self.assertEqual(snapshot("."), before, f"{arguments}: files were changed")
        return result

    def check_refusal(self, result, code, says, what=""):
        self.assertEqual(result.code, code, f"{what}\n{result}")
        self.assertRegex(result.err, r"\Aslope: [^\n]+\n\Z", f"{what}: one line is expected")
        self.assertNotRegex(result.err, r"\.exception\.|std::|what\(\)", f"{what}: a library's words")
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, result.err, f"{what}")

    def skip_sanitized(self):
        """For tests that count memory: a build with a sanitizer reserves terabytes of addresses and keeps freed memory."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        try:
            usable = self.slope("zoo", preexec_fn=limit).code == 0
        except subprocess.SubprocessError:
            usable = False
        if not usable:
            self.skipTest("this build reserves more than 1 GB of address space")

    def as_user(self):
        """Options of a process that permissions hold for: root becomes another user."""
        if os.getuid() != 0:
            return {}
        os.chmod(self.folder, 0o777)
        options = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            usable = self.slope("zoo", **options).code == 0
        except (OSError, subprocess.SubprocessError):
            usable = False
        if not usable:
            self.skipTest("root cannot run slope as another user here")
        return options

    def skip_slow(self, why):
        """For a test that trains for long and makes no kind of memory access that other tests lack."""
        if SANITIZED:
            self.skipTest(f"a sanitizer's build: {why}")

    def train(self, out, *arguments, **options):
        return self.good("train", "translation", *TEXT, *SMALL, *arguments, "--out", out, **options)

    def gpt(self, out, *arguments, **options):
        return self.good("train", "char-gpt", "--text", "train.en", *SMALL_GPT, *arguments, "--out", out, **options)

    def start(self, *arguments, **options):
        return subprocess.Popen([SLOPE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, **options)

    def stop_at(self, process, step, number):
        """Sends a signal when the line of `step` has been printed; the process's Result."""
        seen = b""
        for line in process.stdout:
            seen += line
            if line.startswith(b"step %d/" % step):
                break
        else:
            self.fail(f"ended before step {step}: {decode(seen)} {decode(process.stderr.read())}")
        process.send_signal(number)
        out, err = process.communicate(timeout=HANGS)
        return Result(process.returncode, decode(seen + out), decode(err))


def without_note(err):
    """What a command says on stderr besides that a --resume found no run."""
    return re.sub(r"\Aslope: note: [^\n]+ holds no run to go on with: a new one starts\n", "", err)


def snapshot(folder):
    """Names and contents of all files below `folder`. The lock contains the number of the last process, so its content is left out."""
    found = {}
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(base, name)
            if os.path.islink(path):
                found[path] = "-> " + os.readlink(path)
            elif os.path.isfile(path) and name != "lock":
                with open(path, "rb") as file:
                    found[path] = file.read()
            else:
                found[path] = "there"
    return found


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def log_of(run):
    with open(f"{run}/log.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def json_of(path):
    with open(path) as file:
        return json.load(file)


def trained(run):
    """All that must be the same bit for bit however the run came about: weights, optimizer, counters, losses."""
    with open(f"{run}/last/state.json", encoding="utf-8") as file:
        state = json.load(file)
    for key in ("crc32c", "log_bytes", "settings"):
        state.pop(key)
    log = [{k: v for k, v in line.items() if k not in ("tokens_per_second", "time")} for line in log_of(run)]
    return {"model": sha256(f"{run}/last/model.safetensors"), "state": sha256(f"{run}/last/state.safetensors"),
            "best": sha256(f"{run}/best/model.safetensors"), "counters": state, "log": log}


def read_tensors(path):
    """A safetensors file as (header, data)."""
    with open(path, "rb") as file:
        content = file.read()
    length, = struct.unpack("<Q", content[:8])
    return json.loads(content[8:8 + length]), content[8 + length:]


def write_tensors(path, header, data):
    """Without the checksums, which no longer fit."""
    header = dict(header)
    metadata = {k: v for k, v in header.pop("__metadata__", {}).items() if not k.startswith("crc32c")}
    text = json.dumps({**({"__metadata__": metadata} if metadata else {}), **header}).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def stride_for(count, seconds):
    """1 if `count` runs of slope take less than `seconds` of a core; more in slow builds (sanitizers)."""
    start = sum(os.times()[2:4])
    for _ in range(10):
        subprocess.run([SLOPE, "zoo"], env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    return max(1, round(count * (sum(os.times()[2:4]) - start) / 10 / seconds))


if not os.access(SLOPE, os.X_OK):
    sys.exit(f"{SLOPE}: no such command; name it in SLOPE_COMMAND")
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell inherit it ignored
