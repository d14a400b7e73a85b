"""Writes a file of batches (protocol.md) from parallel text, without slope: lower case, words \\w+|[^\\w\\s], min_freq 2, buckets of equal length.

    python multi30k_batches.py PREFIX FILE       reads PREFIX.de.gz and PREFIX.en.gz (or without .gz)
"""
import collections
import gzip
import pathlib
import random
import re
import sys

import torch
from safetensors.torch import save_file

SPECIALS = ["<pad>", "<unk>", "<sos>", "<eos>"]


def lines(path):
    data = gzip.open(f"{path}.gz").read() if pathlib.Path(f"{path}.gz").exists() else pathlib.Path(path).read_bytes()
    return [re.findall(r"\w+|[^\w\s]", line.lower()) for line in data.decode("utf-8").splitlines()]


def vocabulary(sentences, min_freq=2):
    counts = collections.Counter(word for sentence in sentences for word in sentence)
    words = SPECIALS + sorted(w for w, c in counts.items() if c >= min_freq)
    return {w: k for k, w in enumerate(words)}


def encode(sentence, vocab):
    return [2, *(vocab.get(w, 1) for w in sentence), 3]


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def make(prefix, batch_size=128, number=200, seed=0):
    sides = [lines(f"{prefix}.{language}") for language in ("de", "en")]
    vocabs = [vocabulary(side) for side in sides]
    pairs = [tuple(encode(s, v) for s, v in zip(pair, vocabs)) for pair in zip(*sides)]
    shuffle = random.Random(seed)
    shuffle.shuffle(pairs)
    pairs.sort(key=lambda pair: (len(pair[0]), len(pair[1])))  # stable: random within a length
    batches = [pairs[k:k + batch_size] for k in range(0, len(pairs), batch_size)]
    shuffle.shuffle(batches)
    tensors = {}
    for k, batch in enumerate(batches[:number]):
        tensors[f"source.{k:03}"], tensors[f"target.{k:03}"] = padded([p[0] for p in batch]), padded([p[1] for p in batch])
    return tensors, {"source_vocab": str(len(vocabs[0])), "target_vocab": str(len(vocabs[1]))}


if __name__ == "__main__":
    tensors, facts = make(sys.argv[1])
    save_file(tensors, sys.argv[2], facts)
    print(f"{len(tensors) // 2} batches, vocabularies {facts['source_vocab']} and {facts['target_vocab']}")
