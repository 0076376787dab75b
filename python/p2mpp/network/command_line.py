"""What the scripts' command lines share."""

import argparse

EXIT_USAGE = 2


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the command line in one line."""

    def error(self, message: str):
        self.exit(EXIT_USAGE, f"{self.prog}: error: {message}; see {self.prog} --help\n")


def natural(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)
