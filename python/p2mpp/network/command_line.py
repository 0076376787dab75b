"""Parsing and errors, for the command lines of all scripts."""

import argparse
import sys

EXIT_USAGE = 2


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the command line in one line."""

    def error(self, message: str):
        self.exit(EXIT_USAGE, f"{self.prog}: error: {printable(message)}; see {self.prog} --help\n")


def printable(text: object) -> str:
    """On one line, with what controls a terminal escaped."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(text))


def print_error(program: str, error: object) -> None:
    """Prints an error in one line on stderr; an InputError's details follow, a line each."""
    lines = [f"{program}: error: {printable(error)}"]
    lines += [f"  {printable(detail)}" for detail in getattr(error, "details", ())]
    print("\n".join(lines), file=sys.stderr)


def natural(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)
