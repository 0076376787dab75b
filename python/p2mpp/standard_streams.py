"""Keeps files apart from the standard streams if a program is started with one of them closed."""

import os
import sys


def open_missing() -> None:
    """Opens /dev/null for each closed descriptor of 0, 1 and 2. No file that is opened later can then get
    such a number and receive the output for stdout or stderr. Reading stdin and writing stdout still fail;
    the log is dropped. As src/cli/main.cc. Call it before anything else is imported."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free number is this one, because those below are in use.
            way = os.O_WRONLY if descriptor == 0 else os.O_RDONLY
            if os.open(os.devnull, way) != descriptor:
                os._exit(1)
            os.set_inheritable(descriptor, True)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, "r", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:  # print() would write to stdout
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
