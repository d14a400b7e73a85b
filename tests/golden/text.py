#!/usr/bin/env python3
"""Writes text.json: what Python 3.11 (Unicode 14) says about every assigned code point, and tokenizations by `re`.

  python3 tests/golden/text.py            # writes text.json next to this script
  python3 tests/golden/text.py FILE.gz…   # prints the FNV-1a hash of a file's tokens, as tests/models/tokenize_test.cpp asserts them
"""
import gzip, json, pathlib, re, sys, unicodedata

MARKS = "".join(chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) in ("Mn", "Mc", "Me", "Cf") or 0x1F3FB <= c <= 0x1F3FF)
WORD = rf"[{MARKS}]*\w(?:[\w{MARKS}]|(?<=[lL])·(?=[lL]))*"
SYMBOL = rf"(?:[\U0001F1E6-\U0001F1FF]{{2}}|[^\w\s{MARKS}])(?:[{MARKS}]|(?<=\u200d)[^\w\s{MARKS}])*"
WORDS = re.compile(rf"{WORD}|{SYMBOL}|[{MARKS}]+")


def words(line):
    return WORDS.findall(unicodedata.normalize("NFC", unicodedata.normalize("NFC", line).lower()))


def fnv1a(lines):
    h = 0xCBF29CE484222325
    for line in lines:
        for byte in ("\x1f".join(words(line)) + "\n").encode():
            h = (h ^ byte) * 0x100000001B3 % 2**64
    return h


for name in sys.argv[1:]:
    with gzip.open(name, "rt", encoding="utf-8", newline="\n") as file:
        print(name, f"0x{fnv1a(line.rstrip(chr(10)) for line in file):016x}")
if sys.argv[1:]:
    sys.exit()

assigned = [c for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]


def ranges(test):  # [first, last] of runs over all code points; unassigned ones are in no run
    runs = []
    for c in assigned:
        if not test(chr(c)):
            continue
        if runs and runs[-1][1] == c - 1:
            runs[-1][1] = c
        else:
            runs.append([c, c])
    return runs


lower = {c: chr(c).lower() for c in assigned if chr(c).lower() != chr(c)}
lines = [
    "", " ", "A man.", "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche.", "It's 3.14, isn't it?", "don’t „quote“ «me»…",
    "ÄÖÜ ẞ straße İstanbul IĞDIR", "ΟΔΥΣΣΕΥΣ Σ ΑΣ. ΑΣΑ ΑΣ'Α Σ́ ΑΣ́", "snake_case __x__ a_1", "tab\there\u00a0nbsp\u2003em\u3000ideographic",
    "e\u0301 combining, x\u0308\u0301", "日本語のテキスト、です。", "हिन्दी में", "١٢٣ ½ ² Ⅷ ⅷ ① Ⓐ", "😀👍🏽 e-mail: a.b@c.de", "a\u2028b\u2029c\x0bd\x1ce\x85f",
    "zero\u200bwidth\u200djoiner\ufeffbom", "-- ... !!! ?!", "\\ \" ' ` ´ < > & %", "ﬁ ﬂ Ǆ ǅ ǆ K Å Ω", "ªº 1ª 2º", "T-Shirt & Jeans-Shorts", "\x00nul\x7fdel",
    "می‌خواهم", "Cafe\u0301 A\u030a q\u0307\u0323", "so\u00adfort col·legi L·L a·b l·", "👩‍💻 👍🏽👍 🇩🇪🇫🇷🇩 1️⃣2 ❤️‍🔥x ❤️a", "\ufeffmark \u202eright .\u200e \u0301a \u0301. \u200b", "বাংলা தமிழ் မြန်မာ ภาษาไทย עִבְרִית اَلْعَرَبِيَّةُ",
    "a\u200d😀b 😀\u200da 😀\u200d.\u0301. 🇩\u0301🇪🇫", "ŀl ﬁn\u0307", "ΟΔΥ\u0301Σ Ǆ\u030c",
]
sigma = ["Σ", "aΣ", "aΣa", "aΣ a", "a\u0301Σ", "aΣ\u0301", "aΣ\u0301b", "a.Σ", "aΣ.b", "aΣ:", "ªΣ", "ⅧΣ", "ⒶΣ", "aΣⓐ", "1Σ", "aΣ1", "aΣ\u00ad", "aΣ\u00adΣ", "ʰΣ", "aΣʰ", "aΣʰb", "ΑΣΣ", "🄰Σ", "🅰Σ", "あΣ", "aΣ'", "aΣ’s"]
golden = {
    "unicode": unicodedata.unidata_version,
    "assigned": ranges(lambda c: True),
    "word": ranges(lambda c: re.fullmatch(r"\w", c) is not None),
    "space": ranges(lambda c: re.fullmatch(r"\s", c) is not None),
    # Which neighbours make a sigma final, as far as lower() shows it.
    "cased": ranges(lambda c: (c + "Σ").lower()[-1] == "ς"),
    "ignorable": ranges(lambda c: ("a" + c + "Σ").lower()[-1] == "ς" and (c + "Σ").lower()[-1] != "ς"),
    "lower": [[c, text] for c, text in lower.items()],
    "sigma": [[text, text.lower()] for text in sigma],
    "words": [[text, words(text)] for text in lines],
    "spaces": [[text, text.split()] for text in lines],
}
path = pathlib.Path(__file__).with_name("text.json")
rows = [f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in golden.items()]
path.write_text("{\n" + ",\n".join(rows) + "\n}\n")
