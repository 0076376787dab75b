"""The steps' results on the disk: FOLDER/STEP.json says of what it was made, so that a second run takes what is there."""

import hashlib
import json
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterable, Optional

from p2mpp.errors import Error, InputError

VERSION = 1  # of all steps: a change of what one computes counts it up


def step_message(step: str, message: str, look_at: Optional[Path]) -> str:
    return f"{step}: {message}" + (f"; look at {look_at}" if look_at else "")


class StepError(InputError):
    """A step cannot do its work with this input. Its message names the step and what to look at; the command adds how to go on."""

    def __init__(self, step: str, message: str, look_at: Optional[Path] = None):
        super().__init__(step_message(step, message, look_at))


class StepFailure(Error):
    """The same, but the input is not at fault: the disk is full, or a program fails."""

    def __init__(self, step: str, message: str, look_at: Optional[Path] = None):
        super().__init__(step_message(step, message, look_at))


def write_atomically(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def files_key(paths: Iterable[Path]) -> list:
    """What tells a file from another: name, size, time of the last change."""
    return [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in paths]


class Steps:
    """The results of a run in a folder. say(line) prints one line."""

    def __init__(self, folder: Path, say):
        self.folder, self.say = folder, say
        self.records: Dict[str, Dict[str, Any]] = {}
        self.current = "start"

    def path(self, *parts: str) -> Path:
        return self.folder.joinpath(*parts)

    def finished(self, step: str, inputs: Any) -> Optional[Dict[str, Any]]:
        """The result of an earlier run, if it was made of the same inputs and its files are there."""
        self.current = step
        try:
            record = json.loads(self.path(f"{step}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(record, dict) or record.get("inputs") != self.key(step, inputs):
            return None
        if not all(self.path(name).exists() for name in record.get("files", [])):
            return None
        self.records[step] = {**record, "reused": True}
        self.say(f"{step}: as in the earlier run ({record['seconds']:.0f} s then)")
        return record["result"]

    @contextmanager
    def recording(self, step: str, inputs: Any):
        """Within it, set ["result"] and ["files"], which are relative to the folder. An exception records nothing."""
        self.current, begin = step, time.monotonic()
        record: Dict[str, Any] = {"step": step, "inputs": self.key(step, inputs), "files": [], "result": {}}
        yield record
        record["seconds"] = round(time.monotonic() - begin, 2)
        self.records[step] = record
        write_atomically(self.path(f"{step}.json"), json.dumps(record, indent=1).encode())

    def key(self, step: str, inputs: Any) -> str:
        return hashlib.sha256(json.dumps([VERSION, step, inputs], sort_keys=True, default=str).encode()).hexdigest()

    def key_of(self, step: str) -> str:
        """Of a step that has finished: an input of those that follow."""
        return self.records[step]["inputs"]
