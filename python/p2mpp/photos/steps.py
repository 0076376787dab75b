"""The steps' results on the disk: OUT/work/STEP.json says of what it was made, so that a second run takes what is there."""

import hashlib
import json
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, Optional

from p2mpp.errors import Error, InputError
from p2mpp.photos.output import WORK, Batch, OutputFolder

VERSION = 7  # of all steps: a change of what one computes counts it up


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


def files_key(paths: Iterable[Path]) -> list:
    """What tells a file from another: name, size, time of the last change."""
    return [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in paths]


class Recording:
    """What a step makes. new: its files in OUT. result: what a later run is told."""

    def __init__(self, new: Batch):
        self.new = new
        self.result: Dict[str, Any] = {}


class Steps:
    """The results of a run in an opened folder. say(line) prints one line."""

    def __init__(self, output: OutputFolder, say):
        self.output, self.say = output, say
        self.records: Dict[str, Dict[str, Any]] = {}
        self.current = "start"

    def finished(self, step: str, inputs: Any) -> Optional[Dict[str, Any]]:
        """The result of an earlier run, if it was made of the same inputs and its files are there."""
        self.current = step
        try:
            record = json.loads(self.output.work(f"{step}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(record, dict) or record.get("inputs") != self.key(step, inputs):
            return None
        if not all(self.output.at(name).exists() for name in record["files"]):
            return None
        self.records[step] = {**record, "reused": True}
        self.say(f"{step}: as in the earlier run ({record['seconds']:.0f} s then)")
        return record["result"]

    @contextmanager
    def recording(self, step: str, inputs: Any) -> Iterator[Recording]:
        """The step's files get their names at its end, with the record of them. An exception leaves what was there."""
        self.current, begin = step, time.monotonic()
        with self.output.writing() as new:
            recording = Recording(new)
            yield recording
            record = {"step": step, "inputs": self.key(step, inputs), "files": new.files(), "result": recording.result,
                      "seconds": round(time.monotonic() - begin, 2)}
            new.file(f"{WORK}/{step}.json").write_text(json.dumps(record, indent=1), encoding="utf-8")
        self.records[step] = record

    def key(self, step: str, inputs: Any) -> str:
        return hashlib.sha256(json.dumps([VERSION, step, inputs], sort_keys=True, default=str).encode()).hexdigest()

    def key_of(self, step: str) -> str:
        """Of a step that has finished: an input of those that follow."""
        return self.records[step]["inputs"]
