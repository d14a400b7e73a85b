#!/usr/bin/env python3
"""Trains a translation model of this folder in PyTorch with the recipe of `slope train translation --preset multi30k`, for the figures beside slope's.

  multi30k.py FOLDER MODEL SEED OUT    FOLDER holds train, val and test_2016_flickr, each as .de.gz and .en.gz; MODEL: prenorm, postnorm-gelu, scalar-norm,
                                       nn-transformer; on a GPU where there is one
Writes OUT.hyp and OUT.ref, the test's words, for `sacrebleu OUT.ref -i OUT.hyp --tokenize none --smooth-method none`, and prints the perplexities.
"""
import collections
import gzip
import pathlib
import random
import re
import sys
import time
import unicodedata
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

import lineage
import nn_transformer
import postnorm_gelu

PAD, UNK, SOS, EOS = range(4)
MAX_LEN, BATCH, POOL, EPOCHS = 100, 128, 50, 10
SIZES = dict(d_model=256, n_heads=8, n_encoder_layers=3, n_decoder_layers=3, d_feedforward=512, max_len=MAX_LEN)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def words(line):
    return re.findall(r"\w+|[^\w\s]", unicodedata.normalize("NFC", line).lower())


def read(prefix):  # [(words of the source, words of the target)]
    sides = [[words(line) for line in gzip.open(f"{prefix}.{language}.gz", "rt", encoding="utf-8", newline="\n")] for language in ("de", "en")]
    return list(zip(*sides, strict=True))


def vocabulary(sentences):  # of the words that occur twice; commoner ones first
    count = collections.Counter(word for sentence in sentences for word in sentence)
    return {word: k + 4 for k, word in enumerate(sorted((w for w in count if count[w] > 1), key=lambda w: (-count[w], w)))}


def ids(sentence, table):
    return [SOS, *(table.get(word, UNK) for word in sentence[: MAX_LEN - 2]), EOS]


def padded(sentences):
    return nn.utils.rnn.pad_sequence([torch.tensor(s, device="cpu") for s in sentences], batch_first=True, padding_value=PAD).to(DEVICE)


def batches(pairs, shuffle=None):  # shuffled, pools of batches sorted by length, the batches of a pool shuffled again
    order = pairs[:]
    if shuffle:
        shuffle.shuffle(order)
    for k in range(0, len(order), POOL * BATCH):
        pool = sorted(order[k : k + POOL * BATCH], key=lambda p: (max(len(p[0]), len(p[1])), len(p[0]) - len(p[1])))
        cut = [pool[j : j + BATCH] for j in range(0, len(pool), BATCH)]
        if shuffle:
            shuffle.shuffle(cut)
        yield from ((padded([s for s, _ in batch]), padded([t for _, t in batch])) for batch in cut)


def loss(model, source, target, reduction):
    return F.cross_entropy(model(source, target[:, :-1]).flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, reduction=reduction)


@torch.no_grad()
def evaluate(model, pairs):  # mean loss a token
    model.eval()
    total = sum(loss(model, s, t, "sum").item() for s, t in batches(pairs))
    model.train()
    return total / sum(len(t) - 1 for _, t in pairs)


@torch.no_grad()
def greedy(model, sources):
    model.eval()
    out = []
    for k in range(0, len(sources), BATCH):
        source = padded(sources[k : k + BATCH])
        target = torch.full((len(source), 1), SOS)
        while target.shape[1] < MAX_LEN and not (target == EOS).any(1).all():
            target = torch.cat([target, model(source, target)[:, -1:].argmax(-1)], 1)
        out += [row[1 : row.index(EOS)] if EOS in row else row[1:] for row in target.tolist()]
    return out


def make(name, source_vocab, target_vocab):
    models = {"prenorm": partial(lineage.Transformer, False), "scalar-norm": partial(lineage.Transformer, True),
              "postnorm-gelu": postnorm_gelu.Transformer, "nn-transformer": nn_transformer.TransformerModel}
    model = models[name](source_vocab, target_vocab, **SIZES)
    if name != "postnorm-gelu":  # it keeps PyTorch's own initial values
        for p in model.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
    if name == "scalar-norm":
        for embed in (model.src_embed, model.tgt_embed):
            nn.init.normal_(embed.embedding.weight)
    return model


def main(folder, name, seed, out):
    text = {part: read(pathlib.Path(folder) / part) for part in ("train", "val", "test_2016_flickr")}
    de, en = (vocabulary(pair[side] for pair in text["train"]) for side in (0, 1))
    assert (len(de) + 4, len(en) + 4) == (7882, 5898)
    train, valid, test = ([(ids(s, de), ids(t, en)) for s, t in part] for part in text.values())
    torch.set_default_device(DEVICE)
    torch.manual_seed(int(seed))
    shuffle = random.Random(int(seed))
    model = make(name, len(de) + 4, len(en) + 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    best, step, start = (float("inf"), 0, None), 0, time.time()
    for epoch in range(EPOCHS):
        for source, target in batches(train, shuffle):
            optimizer.zero_grad()
            loss(model, source, target, "mean").backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
        value = evaluate(model, valid)
        if value < best[0]:
            best = value, step, {k: v.clone() for k, v in model.state_dict().items()}
        print(f"{name} seed {seed} epoch {epoch + 1} step {step}: validation perplexity {torch.tensor(value).exp():.3f}, {time.time() - start:.0f} s", flush=True)
    model.load_state_dict(best[2])
    print(f"{name} seed {seed} best step {best[1]}: perplexity of validation {torch.tensor(best[0]).exp():.3f}, of test "
          f"{torch.tensor(evaluate(model, test)).exp():.3f}; {sum(p.numel() for p in model.parameters())} parameters", flush=True)
    spelled = {k: word for word, k in en.items()} | {UNK: "<unk>", PAD: "<pad>", SOS: "<sos>"}
    lines = {"hyp": [[spelled[k] for k in row] for row in greedy(model, [s for s, _ in test])], "ref": [t for _, t in text["test_2016_flickr"]]}
    for side, sentences in lines.items():
        pathlib.Path(f"{out}.{side}").write_text("".join(" ".join(s) + "\n" for s in sentences), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
