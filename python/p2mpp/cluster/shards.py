"""The folders OUT/shards/K-of-N of an evaluation's shards."""

import json
import re
import shutil
from pathlib import Path
from typing import List, Optional

from p2mpp.errors import UsageError

RESULT_FILES = ("results.csv", "categories.csv", "summary.json", "report.html")
DONE = b'"status":"done"'  # in a line of a manifest


class Shard:
    """A part of the list."""

    def __init__(self, out: Path, number: int, count: int):
        self.name = f"{number}/{count}"
        self.folder = out / "shards" / f"{number}-of-{count}"
        self.identity: Optional[dict] = None  # what the bytes of its results depend on
        self.done = 0  # samples that look() has seen
        self.done_before = 0  # the try that runs
        self.vain_tries = 0  # in sequence, that finished no sample
        self.pause = 0  # seconds before the next try
        self._read = 0  # bytes of the manifest

    @property
    def manifest(self) -> Path:
        return self.folder / "manifest.jsonl"

    def look(self) -> None:
        """Reads what the program has added to its manifest since the last call. It alone judges whether that is valid."""
        if not self.manifest.exists():
            return
        with open(self.manifest, "rb") as lines:
            lines.seek(self._read)
            for line in lines:
                if not line.endswith(b"\n"):
                    return
                if self._read == 0:
                    self.identity = _identity_in(line)
                self._read += len(line)
                self.done += DONE in line


def _identity_in(header: bytes) -> Optional[dict]:
    try:
        return json.loads(header)["identity"]
    except (ValueError, TypeError, LookupError):
        return None


def open_shards(out: Path, count: int, default: int, resume: bool, overwrite: bool) -> List[Shard]:
    """The shards of a run in OUT. If `count` is 0, they are as many as the run has that is there, or `default`. Throws
    UsageError if OUT holds a run that may be neither continued nor replaced."""
    if (out / "manifest.jsonl").exists():
        raise UsageError(f"{out}: holds a run of `p2mpp eval`; expected another --out")
    folders = [folder for folder in (out / "shards").glob("*") if re.fullmatch("[0-9]+-of-[0-9]+", folder.name)]
    if folders and not (resume or overwrite):
        raise UsageError(f"{out}: holds a run; expected --resume to continue it, --overwrite to replace it, or another --out")
    if overwrite:
        for folder in folders:
            shutil.rmtree(folder)
        for name in RESULT_FILES:
            (out / name).unlink(missing_ok=True)
    elif counts := {int(folder.name.rpartition("-")[2]) for folder in folders}:
        if len(counts) > 1 or count not in (0, *counts):
            raise UsageError(f"{out}: holds a run of {' and of '.join(map(str, sorted(counts)))} shards; expected that "
                             "number of --shards, or another --out")
        count = counts.pop()
    count = count or default
    return [Shard(out, number, count) for number in range(1, count + 1)]
