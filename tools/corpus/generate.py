#!/usr/bin/env python3
"""Writes, or verifies, the German-English corpus that comes with the project (models/data/corpus).

    tools/corpus/generate.py             writes the corpus anew: the same bytes each time
    tools/corpus/generate.py --verify    derives it again, compares, checks counts, held-out pairs, nearest neighbours; exit code 1 on failure
    tools/corpus/generate.py --sample N  shows N training pairs of each phenomenon

lexicon.py has the words, clause.py agreement and word order on both sides, draw.py what may be combined, grammar.py the rules. A *bond*
is the pair of words that carries a clause: verb and object, verb and place, verb and subject, noun and adjective or number. The bonds are
dealt out to train, valid and test along the diagonals of a square: every bond of a held-out pair is new, every word of it frequent in training.
"""

import argparse
import collections
import itertools
import pathlib
import random
import re
import sys

from clause import NounPhrase
from draw import Barred
from grammar import PHENOMENA, draw_pair
from lexicon import ADJECTIVE_LIST, NOUN_LIST, VERB_LIST

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "models" / "data" / "corpus"
SEED = 20
PARTS = {"train": 17000, "valid": 480, "test": 800}  # pairs drawn; train then loses those with rare words
RARE = 25                                            # every word occurs in at least this many training pairs
LONGEST = 14                                         # tokens a side


def tokens(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


Pair = collections.namedtuple("Pair", "german english phenomenon bonds")


# ---------------------------------------------------------------- drawing


def pairs_of(part, seen, known=None):
    """Draws pairs, the phenomena in turn. No German sentence occurs twice; in held-out parts no English one either. known: the only words that those may use."""
    rng = random.Random(f"{SEED} {part}")
    pairs = []
    twice = ["subordinate"] if part == "train" else []  # two clauses, twice the practice
    for phenomenon in itertools.cycle([*PHENOMENA, *twice]):
        if len(pairs) == PARTS[part]:
            return pairs
        while True:
            try:
                german, english, bonds = draw_pair(rng, part, phenomenon)
            except Barred:
                continue
            words = tokens(german), tokens(english)
            foreign = known and (english in seen or any(set(w) - k for w, k in zip(words, known)))
            if german not in seen and not foreign and max(map(len, words)) <= LONGEST:
                break
        seen |= {german, english}
        pairs.append(Pair(german, english, phenomenon, bonds))


def word_counts(pairs):
    counts = collections.Counter(), collections.Counter()
    for pair in pairs:
        for side, text in zip(counts, pair[:2]):
            side.update(set(tokens(text)))
    return counts


def without_rare_words(pairs):
    while True:
        counts = word_counts(pairs)
        kept = [p for p in pairs if all(side[w] >= RARE for side, text in zip(counts, p[:2]) for w in tokens(text))]
        if len(kept) == len(pairs):
            return kept
        pairs = kept


def corpus():
    seen = set()
    parts = {"train": without_rare_words(pairs_of("train", seen))}
    known = [set(side) for side in word_counts(parts["train"])]
    return parts | {part: pairs_of(part, seen, known) for part in ("valid", "test")}


def files(parts):
    for part, pairs in parts.items():
        for suffix, column in (("de", 0), ("en", 1), ("phenomena", 2)):
            yield f"{part}.{suffix}", "".join(pair[column] + "\n" for pair in pairs)


# ---------------------------------------------------------------- checks


def derivable():
    """A lower bound on the number of sentences that the grammar derives, from one rule alone: subject, verb in the present, accusative object.

    It counts the distinct strings of the slots, for verbs whose objects are never subjects. No word of a noun phrase is a finite verb,
    so the verb marks where the slots end; finite verb and prefix identify the verb. So distinct slots make distinct sentences."""

    def phrases(tags, case):
        return {NounPhrase(noun, determiner, adjective, plural).german(case) for noun in NOUN_LIST if noun.tag in tags
                for determiner in ("der", "dieser") for adjective in [None, *(a for a in ADJECTIVE_LIST if noun.tag in a.tags)]
                for plural in (False, True)}

    total, finite, words = 0, [], set()
    for verb in VERB_LIST:
        if verb.frame == "object" and verb.case == "acc" and not verb.preposition and not set(verb.objects) & set(verb.subjects):
            subjects, objects = phrases(verb.subjects, "nom"), phrases(verb.objects, "acc")
            finite += [(verb.present(person), verb.prefix) for person in ("er", "sie")]
            words |= {word for phrase in subjects | objects for word in phrase.split()}
            total += len(subjects) * len(objects)
    assert len(set(finite)) == len(finite) and not words & {form for form, _ in finite}
    return total


def edits(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def nearest_neighbours(train, held):
    """Yields for each held-out pair the English of the training pairs whose German is nearest by shared words (Dice) and by word edits.

    edits(a, b) >= max(|a|, |b|) - |shared words|, so candidates are taken in order of that bound until it reaches the best distance."""
    sides = [collections.Counter(tokens(p.german)) for p in train]
    sequences = [tokens(p.german) for p in train]
    index = collections.defaultdict(list)
    for i, bag in enumerate(sides):
        for word, n in bag.items():
            index[word].append((i, n))
    for pair in held:
        words = tokens(pair.german)
        shared = [0] * len(train)
        for word, n in collections.Counter(words).items():
            for i, m in index[word]:
                shared[i] += min(n, m)
        by_overlap = max(range(len(train)), key=lambda i: 2 * shared[i] / (len(words) + len(sequences[i])))
        bound = [max(len(words), len(s)) - k for s, k in zip(sequences, shared)]
        best, by_edits = len(words) + LONGEST, None
        for i in sorted(range(len(train)), key=bound.__getitem__):
            if bound[i] >= best:
                break
            distance = edits(words, sequences[i])
            if distance < best:
                best, by_edits = distance, i
        yield pair, train[by_overlap].english, train[by_edits].english, best


def check(parts):
    """Prints which properties hold and which fail; returns a list of those that fail."""
    failures = []

    def must(holds, what):
        print(("ok    " if holds else "FAIL  ") + what)
        if not holds:
            failures.append(what)

    counts = word_counts(parts["train"])
    sizes = {part: len(pairs) for part, pairs in parts.items()}
    must(sizes["train"] >= 8000 and sizes["valid"] >= 400 and sizes["test"] >= 800, f"pairs: {sizes}")
    must(derivable() > 10**7, f"the grammar derives more than {derivable():,} sentences")
    must(min(map(len, counts)) >= 300, f"training words: {len(counts[0])} German, {len(counts[1])} English")
    must(min(min(side.values()) for side in counts) >= RARE, f"each of them in at least {RARE} pairs")
    longest = max(len(tokens(text)) for pair in itertools.chain(*parts.values()) for text in pair[:2])
    must(longest <= LONGEST, f"at most {longest} tokens a side")
    translations = collections.defaultdict(set)
    for pair in itertools.chain(*parts.values()):
        translations[" ".join(tokens(pair.german))].add(pair.english)
    must(len(translations) == sum(sizes.values()), "no German sentence twice, in any part")
    must(all(len(english) == 1 for english in translations.values()), "one English sentence for each")
    trained = {bond for pair in parts["train"] for bond in pair.bonds}
    for part in ("valid", "test"):
        per = collections.Counter(pair.phenomenon for pair in parts[part])
        must(per == dict.fromkeys(PHENOMENA, sizes[part] // len(PHENOMENA)), f"{part}: {dict(per)}")
        known = all(set(tokens(text)) <= set(side) for pair in parts[part] for side, text in zip(counts, pair[:2]))
        must(known, f"{part}: every word was trained")
        must(not any(bond in trained for pair in parts[part] for bond in pair.bonds), f"{part}: no bond was trained")
        elsewhere = {pair.english for other in parts if other != part for pair in parts[other]}
        must(not any(pair.english in elsewhere for pair in parts[part]), f"{part}: no English sentence is in another part")
    by_overlap = by_edits = distances = 0
    for pair, overlap, edit, distance in nearest_neighbours(parts["train"], parts["test"]):
        by_overlap += overlap == pair.english
        by_edits += edit == pair.english
        distances += distance
    n = sizes["test"]
    must(max(by_overlap, by_edits) == 0, f"nearest neighbour: {100 * by_overlap / n:.1f} % right by shared words, "
         f"{100 * by_edits / n:.1f} % by edits (mean distance {distances / n:.2f} words)")
    return failures


def stated(parts, readme):
    """Yields (document, text it must contain)"""
    train, valid, test = (len(parts[part]) for part in PARTS)
    german, english = map(len, word_counts(parts["train"]))
    yield readme, f"{train:,} train, {valid} valid, {test} test"
    document = ROOT / "docs" / "corpus.md"
    yield document, f"{train:,} pairs"
    for n in (valid, test):
        yield document, f"{n} pairs, {n // len(PHENOMENA)} for each"
    for both in (readme, document):
        yield both, f"{german} German, {english} English, each in at least {RARE}"
        yield both, f"at most {LONGEST} tokens"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=FOLDER, help="the corpus folder")
    parser.add_argument("--verify", action="store_true", help="change nothing; compare and check")
    parser.add_argument("--sample", type=int, metavar="N", help="print N training pairs of each phenomenon")
    arguments = parser.parse_args()
    parts = corpus()
    if arguments.sample:
        for phenomenon in PHENOMENA:
            print("\n".join(f"{phenomenon:12} {p.german}  |  {p.english}"
                            for p in [p for p in parts["train"] if p.phenomenon == phenomenon][:arguments.sample]))
        return 0
    failures = check(parts)
    for document, text in stated(parts, arguments.out / "README.md") if arguments.verify else ():
        if text not in document.read_text(encoding="utf-8"):
            failures.append(f"{document} does not say {text}")
            print("FAIL  " + failures[-1])
    for name, text in files(parts):
        path = arguments.out / name
        if not arguments.verify:
            path.write_bytes(text.encode())
        elif not path.exists() or path.read_bytes() != text.encode():
            failures.append(f"{path} is not what the grammar gives: run tools/corpus/generate.py")
            print("FAIL  " + failures[-1])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
