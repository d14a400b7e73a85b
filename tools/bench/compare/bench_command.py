"""What the commands of this folder share: the same flags, and a one-line message for every error."""
import argparse
import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(sys.argv[0]).name


class Parser(argparse.ArgumentParser):
    def __init__(self, doc):
        super().__init__(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument("--slope", default="build/slope", help="the slope command (default %(default)s)")
        self.add_argument("--threads", type=above_zero(int), default=2)

    def error(self, message):
        self.exit(2, f"{PROGRAM}: {message}; see --help\n")


def above_zero(kind):
    def number(text):
        value = kind(text)
        if not 0 < value < 1e9:
            raise ValueError
        return value
    number.__name__ = f"positive {kind.__name__}"
    return number


def run(main):
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(failure.returncode if failure.returncode > 0 else f"{PROGRAM}: {failure}")  # above 0: the process has said why
    except OSError as failure:
        sys.exit(f"{PROGRAM}: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
