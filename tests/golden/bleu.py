#!/usr/bin/env python3
"""Writes bleu.json with sacreBLEU (2.6.0): tokens of 13a, BLEU and chrF2 of corpora lower-cased and not, and BLEU of tokens without smoothing."""
import json, pathlib, random

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
random.seed(13)
references = [
    "A man in an orange hat starring at something.", "A Boston Terrier is running on lush green grass in front of a white fence.",
    "A girl in karate uniform breaking a stick with a front kick.", "Five people wearing winter jackets and helmets stand in the snow, with snowmobiles in the background.",
    "People are fixing the roof of a house.", "A man in light colored clothing photographs a group of men wearing dark suits and hats standing around a woman dressed in a strapless gown.",
    "It costs $1,234.56 (approx.), i.e. 3-4 times as much!", "Die Straße, die größte: „Ja“, sagte er – 5 %.", "İstanbul'da ΟΔΥΣΣΕΥΣ & Söhne", "e-mail: a.b@c.de; http://x.y/z?q=1&r=2#s",
]
adversarial = references + [
    "", " ", ".", ",", "...", ".,.,", "1.", ".1", "1.5", "1,000,000.00", "a.b,c", "1.a", "a.1", "3-4", "3-", "-3", "a-b", "word-\nbreak", "end-\n", "end- \n", "two\nlines\n", "x<skipped>y",
    "&quot;q&quot; &amp;lt; &lt;b&gt; &amp;amp; &nbsp;", "&QUOT;", "''quotes'' `tick` \"double\" „low“ ‚x‘", "{}[]()<>|~^_\\/", "!\"#$%&'()*+,-./:;<=>?@", "a\u00a0b\u2009c\u3000d\u200be", "tab\tvt\x0bff\x0c",
    "日本語。テキスト、です.", "é.é,é", "é1.é2,é", "😀.😀", "1２.３", "٣.٤", "trailing   ", "\u00a0lead", "a..b...c....d", "1..2...3", "9-.-9", "5,-5.-,", "x\r\ny", "\x1cfs",
]
words = "a b c d e , . man dog runs 3 Der hund ist grün".split()
while len(adversarial) < 90:
    adversarial.append("".join(random.choice([" ", " ", "", "-", ".", ",", "1"]) + random.choice(words) for _ in range(random.randint(1, 12))))


def noisy(line, rate):
    tokens = [t for t in line.split() if random.random() > rate / 2]
    for i in range(len(tokens)):
        if random.random() < rate:
            tokens[i] = random.choice([tokens[i].upper(), "the", tokens[-1], tokens[i] + "s", tokens[i] + "."])
    return " ".join(tokens)


corpora = [([noisy(r, rate) for r in references], references) for rate in (0, 0.1, 0.3, 0.6, 0.9)]
corpora += [
    (adversarial, adversarial), (adversarial[::-1], adversarial), ([noisy(a, 0.3) for a in adversarial], adversarial),
    (["the the the the the the the"], ["the cat is on the mat"]), (["a b"], ["a b"]), (["a b c d"], ["a b c d"]), (["a b c x"], ["a b c d"]), (["a x b y c"], ["a b c"]),
    (["a"], ["b"]), ([""], ["a b"]), (["a b"], [""]), ([""], [""]), (["A B C D E"], ["a b c d e"]), (["a b c d e f g h"], ["a b c d"]), (["a b c d"], ["a b c d e f g h"]),
    (["x", "a b c d", ""], ["y", "a b c d", "z"]),
]


def figures(bleu, hypotheses, refs):
    s = bleu.corpus_score(hypotheses, [refs])
    return {"score": s.score, "precisions": s.precisions, "matches": s.counts, "totals": s.totals, "bp": s.bp, "lengths": [s.sys_len, s.ref_len]}


rows = []
for hypotheses, refs in corpora:
    lower, mixed = BLEU(lowercase=True), BLEU()
    row = {"hypotheses": hypotheses, "references": refs, "lower": figures(lower, hypotheses, refs), "mixed": figures(mixed, hypotheses, refs)}
    row["tokens"] = figures(BLEU(tokenize="none", smooth_method="none", force=True), hypotheses, refs)  # of str.split()
    row["lines"] = [lower.corpus_score(hypotheses, [refs]).format(width=2, signature=str(lower.get_signature())), mixed.corpus_score(hypotheses, [refs]).format(width=2, signature=str(mixed.get_signature()))]
    chrf = [CHRF(lowercase=True), CHRF()]
    row["chrf"] = [c.corpus_score(hypotheses, [refs]).score for c in chrf]
    chrf_signatures = [str(c.get_signature()) for c in chrf]
    signatures = [str(lower.get_signature()), str(mixed.get_signature())]
    rows.append(row)
split = Tokenizer13a()
golden = {
    "signatures": json.dumps(signatures),
    "chrf_signatures": json.dumps(chrf_signatures),
    "tokens": json.dumps([[line, split(line.rstrip()).split()] for line in adversarial]),
    "corpora": "[\n" + ",\n".join(json.dumps(row) for row in rows) + "]",
}
path = pathlib.Path(__file__).with_name("bleu.json")
path.write_text("{" + ",\n".join(f'"{key}": {value}' for key, value in golden.items()) + "}\n")
