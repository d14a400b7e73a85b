"""PyTorch's side of the protocol (protocol.md), at PyTorch's best: fused optimizers, foreach clipping, gradients set to None, eager.

    python pytorch_side.py CASE [--batches FILE] [--threads 2]

The defaults are the fastest that were found. Also tried, on the batches of the case real, in processor time of one thread:
--attention fused   F.scaled_dot_product_attention instead of matmul, softmax, dropout, matmul: within 7 % either way (dropout keeps it off the flash kernel)
--compile           torch.compile of model and loss, with dynamic shapes: 1.4 times as long, and 36 s to compile
Without dropout, as in the character GPT, the flash kernel can be used; it is, unless --attention explicit is given.
"""
import argparse
import sys

try:
    import torch  # part of the start-up, as `import torch` is in anybody's script

    import pytorch_cases
except ImportError as missing:
    sys.exit(f"pytorch_side: {missing}; against_pytorch --python names a Python that has it")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case")
    parser.add_argument("--batches", help="the batches of the case real")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--attention", choices=["explicit", "fused"])
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--precision", choices=["f32", "bf16"], default="f32", help="bf16: training under autocast")
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(options.threads)
    print("ready", flush=True)
    workload = None
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "load":
            workload = pytorch_cases.make(options)
            print("loaded", workload.parameters, len(workload.batches), flush=True)
        elif word == "run" and workload:
            milliseconds, loss = workload.run(int(rest[0]))
            print(rest[0], f"{milliseconds:.4f}", f"{loss:.6f}", flush=True)
        elif word == "quit":
            break
        else:
            sys.exit(f"pytorch_side: unknown line: {line.strip()}")


if __name__ == "__main__":
    main()
