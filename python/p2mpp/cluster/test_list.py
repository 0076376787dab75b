"""The usable lines of a test list. `p2mpp merge --list` names what is wrong with the others."""

import re
from pathlib import Path
from typing import List, NamedTuple

from p2mpp.errors import InputError

BLANKS = " \t\r\v\f"
USABLE = re.compile(r"[0-9A-Za-z._-]{1,204}")  # a superset of what p2mpp takes, without what JSON cannot carry


class Entry(NamedTuple):
    """A line of a test list."""

    line: int  # from 1
    text: str  # CATEGORY_MODEL_00.dat

    @property
    def id(self) -> str:
        return self.text.removesuffix(".dat")


def read_entries(path: Path) -> List[Entry]:
    """The lines that could name a sample, each id once, in the list's order. Raises InputError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; expected a test list") from None
    text = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    entries = {}
    for number, line in enumerate(text.split("\n"), 1):
        entry = Entry(number, line.strip(BLANKS))
        if USABLE.fullmatch(entry.text):
            entries.setdefault(entry.id, entry)
    return list(entries.values())
