#!/usr/bin/env python3
"""CTranslate2's side of decode1 and decode64: greedy decoding with random weights in the shape of the case translation's model. Speaks protocol.md."""
import argparse
import sys
import tempfile
import time

try:
    import ctranslate2
    import numpy
except ImportError as missing:
    sys.exit(f"ctranslate2_side: {missing}; against_ctranslate2 --python names a Python that has it")

WIDTH, HEADS, LAYERS, HIDDEN = 256, 8, 3, 512
SOURCE_VOCAB, TARGET_VOCAB, SOURCE_TOKENS, NEW_TOKENS = 8000, 6000, 24, 64


def random_model(folder):
    """Random weights as large as a projection's initial ones; norms have gain 1."""
    draw = numpy.random.default_rng(1)

    def matrix(*shape):
        return (draw.standard_normal(shape) / shape[-1] ** 0.5).astype(numpy.float32)

    def linear(spec, rows, columns):
        spec.weight, spec.bias = matrix(rows, columns), numpy.zeros(rows, numpy.float32)

    def norm(spec):
        spec.gamma, spec.beta = numpy.ones(WIDTH, numpy.float32), numpy.zeros(WIDTH, numpy.float32)

    def attention(spec, is_self):
        for projection, rows in zip(spec.linear, [3 * WIDTH, WIDTH] if is_self else [WIDTH, 2 * WIDTH, WIDTH]):
            linear(projection, rows, WIDTH)
        norm(spec.layer_norm)

    def stack(spec, vocabulary, embeddings):
        embeddings.weight = matrix(vocabulary, WIDTH)
        spec.position_encodings.encodings = matrix(SOURCE_TOKENS + NEW_TOKENS, WIDTH)
        for layer in spec.layer:
            attention(layer.self_attention, True)
            if hasattr(layer, "attention"):
                attention(layer.attention, False)
            linear(layer.ffn.linear_0, HIDDEN, WIDTH)
            linear(layer.ffn.linear_1, WIDTH, HIDDEN)
            norm(layer.ffn.layer_norm)

    spec = ctranslate2.specs.TransformerSpec.from_config((LAYERS, LAYERS), HEADS, pre_norm=False)
    stack(spec.encoder, SOURCE_VOCAB, spec.encoder.embeddings[0])
    stack(spec.decoder, TARGET_VOCAB, spec.decoder.embeddings)
    linear(spec.decoder.projection, TARGET_VOCAB, WIDTH)
    for register, size in (spec.register_source_vocabulary, SOURCE_VOCAB), (spec.register_target_vocabulary, TARGET_VOCAB):
        register(["<unk>", "<s>", "</s>"] + [f"t{k}" for k in range(size - 3)])
    spec.validate()
    spec.save(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=["decode1", "decode64"])
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print("ready", flush=True)
    draw = numpy.random.default_rng(2)
    sources = [[f"t{k}" for k in draw.integers(0, SOURCE_VOCAB - 3, SOURCE_TOKENS)] for _ in range(1 if options.case == "decode1" else 64)]
    translator = None
    for line in sys.stdin:
        what, *steps = line.split()
        if what == "load":
            with tempfile.TemporaryDirectory() as folder:
                random_model(folder)
                translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32", intra_threads=options.threads)
            print("loaded 0 0", flush=True)
        elif what == "run":
            start = time.perf_counter()
            for _ in range(int(steps[0])):
                found = translator.translate_batch(sources, beam_size=1, min_decoding_length=NEW_TOKENS, max_decoding_length=NEW_TOKENS)
                if any(len(sentence.hypotheses[0]) != NEW_TOKENS for sentence in found):
                    sys.exit("ctranslate2_side: a sentence does not have the length asked for")
            print(steps[0], 1e3 * (time.perf_counter() - start), 0, flush=True)
        else:
            return


if __name__ == "__main__":
    main()
