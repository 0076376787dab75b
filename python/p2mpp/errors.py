"""The exceptions whose message is for the user: one line with the file, the problem and the expected value.

They need no other package. The compiled module has its own of the same names: p2mpp.InputError.
"""

from typing import Sequence


class Error(Exception):
    """The work cannot continue."""


class InputError(Error):
    """The input is wrong. `details` are further lines, if there are several faults."""

    def __init__(self, message: str = "", details: Sequence[str] = ()):
        super().__init__(message)
        self.details = tuple(details)


class UsageError(Error):
    """The options are at fault."""


class MissingPackageError(Error):
    """A package that only some inputs need is not installed. The message says how to install it."""


def how_to_install(extra: str) -> str:
    """For messages. p2mpp is in no package index, where a stranger could take its name."""
    source_tree = "`scripts/setup.sh --photos`" if extra == "photos" else f"`pip install '.[{extra}]'`"
    return f"{source_tree} in the source tree, or `pip install 'WHEEL[{extra}]'` with p2mpp's wheel"


def first_line(error: Exception) -> str:
    """An exception's message, or the name of its type if it has no message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
