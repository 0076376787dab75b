"""OUT/manifest.jsonl as `p2mpp eval` writes it: what of a run is done, a line a sample."""

import errno
import fcntl
import hashlib
import json
import os
import re
import stat
from pathlib import Path
from typing import Dict, Iterable, Set

FORMAT = {"format": "p2mpp-run", "version": 1}


class RunError(Exception):
    """One line that names the file, what is wrong and what was expected."""


class InputError(RunError):
    """What was given is at fault."""


class UsageError(RunError):
    """The options are at fault."""


PAGE_BYTES = 4096


def whole_lines(content: bytes) -> bytes:
    """What a crash may leave behind them is left out. As src/base/append_log.h."""
    written = content.partition(b"\0")[0]
    return written[:written.rfind(b"\n") + 1]


def may_begin_a_manifest(torn: bytes) -> bool:
    """Of a page that a crash kept from being written, NULs are there instead."""
    if not torn[:PAGE_BYTES].strip(b"\0"):
        return True
    beginning, text = b'{"format":"p2mpp-run"', torn.partition(b"\0")[0].replace(b" ", b"")
    return text.startswith(beginning) or beginning.startswith(text)


def differences(recorded: dict, wanted: dict) -> str:
    """Empty where the identities agree."""
    names = {**recorded, **wanted}
    return "; ".join(f"{name} was {json.dumps(recorded.get(name))}, is {json.dumps(wanted.get(name))}"
                     for name in names if recorded.get(name) != wanted.get(name))


def problem_of(result: dict, identity: dict) -> str:
    """Why a run of this identity cannot have recorded the result; empty where it can. As src/pipeline/run_manifest.cc."""
    status, name, files = result["status"], result["id"], result["sha256"]
    if not (isinstance(status, str) and isinstance(name, str) and isinstance(files, dict)
            and type(result["line"]) is int and result["line"] > 0):
        return "it is not one that p2mpp writes"
    if status not in ("done", "not_scored", "failed"):
        return "it is not one that p2mpp writes"
    if status == "failed":
        return "it failed, and has files or scores" if files or "scores" in result else ""
    if not name or "/" in name or "\0" in name:
        return "its id cannot name files"
    formats = identity.get("formats")
    if not (isinstance(formats, list) and formats):
        return "its run names no formats"
    written = [f"{name}_predict.{each}" for each in formats]
    for file in written:
        if not (isinstance(files.get(file), str) and re.fullmatch("[0-9a-f]{64}", files[file])):
            return f"it has no hash of {file!r}"
    if len(files) != len(written):
        return "it has files that its run does not write"
    is_scored = bool(identity.get("truth_root"))
    if ("scores" in result) != (is_scored and status == "done") or (status == "not_scored" and not is_scored):
        return f"it is {status}, and has {'' if 'scores' in result else 'no '}scores"
    return ""


class RunManifest:
    """Holds the folder's lock for as long as it is open."""

    def __init__(self, folder: Path, resume: bool, overwrite: bool = False):
        self._folder = folder
        self._path = folder / "manifest.jsonl"
        self._identity = None
        self._results: Dict[str, dict] = {}
        self._file = self._open()
        try:
            self._lock()
            recorded = self._read(with_results=resume)
            if recorded and not resume and not overwrite:
                raise UsageError(f"{folder}: holds a run with {recorded} recorded samples; expected --resume to "
                                 "continue it, --overwrite to replace it, or another --out")
            if not resume:
                self._file.truncate(0)
                self._identity = None
        except RunError:
            self._file.close()
            raise

    def begin(self, identity: dict, description: dict) -> Set[str]:
        """Writes both, or holds the identity against the one that is there; gives the ids that are finished."""
        if self._identity is None:
            self._append([{**FORMAT, "identity": identity, "description": description}])
            self._identity = identity
        elif text := differences(self._identity, identity):
            raise InputError(f"{self._path}: of another run: {text}; expected the same options, or another --out")
        return {name for name, result in self._results.items() if self._is_finished(result)}

    def record(self, results: Iterable[dict]) -> None:
        """Survives a crash once it returns."""
        self._append(results)

    def remove_unfinished_files(self) -> None:
        """Those that a killed worker was about to write; for when none is at work."""
        for path in self._folder.glob(".p2mpp-*.tmp"):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        self._file.close()

    def _open(self):
        """Follows no symbolic link, because what it leads to is not ours."""
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            file = os.fdopen(os.open(self._path, flags, 0o666), "a+b")
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise RunError(f"{self._path}: is a symbolic link; expected a regular file") from None
            raise
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise RunError(f"{self._path}: is a device or a pipe; expected a regular file")
        return file

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"{self._path}: is in use by another run; expected one at a time") from None

    def _append(self, documents: Iterable[dict]) -> None:
        self._file.write("".join(json.dumps(document) + "\n" for document in documents).encode())
        self._file.flush()
        os.fdatasync(self._file.fileno())

    def _read(self, with_results: bool) -> int:
        """Returns the number of recorded results. Changes the file only if it is a run's manifest."""
        self._file.seek(0)
        content = self._file.read()
        whole = len(whole_lines(content))
        lines = content[:whole].splitlines()
        if not lines and not may_begin_a_manifest(content):
            self._refuse_foreign()
        for number, line in enumerate(lines if with_results else lines[:1], 1):
            try:
                self._take(json.loads(line), number)
            except (ValueError, KeyError, TypeError):
                if number == 1:
                    self._refuse_foreign()
                raise InputError(f"{self._path}:{number}: is damaged; expected a line of `p2mpp eval`") from None
        self._file.truncate(whole)  # a crash may have torn the last line
        return max(len(lines) - 1, 0)

    def _refuse_foreign(self) -> None:
        raise InputError(f"{self._path}: is not the manifest of a run of p2mpp; expected another --out, or none of that "
                         "name") from None

    def _take(self, document: dict, number: int) -> None:
        if number > 1:
            if problem := problem_of(document, self._identity):
                raise InputError(f"{self._path}:{number}: is damaged: {problem}; expected a line of `p2mpp eval`")
            if document["status"] == "done":
                self._results[document["id"]] = document
        elif {key: document[key] for key in FORMAT} != FORMAT:
            raise InputError(f"{self._path}: has another format; expected {FORMAT['format']}, "
                             f"version {FORMAT['version']}")
        elif not isinstance(document["identity"], dict):
            raise InputError(f"{self._path}:{number}: is damaged: its identity is not an object; expected a line of "
                             "`p2mpp eval`")
        else:
            self._identity = document["identity"]

    def _is_finished(self, result: dict) -> bool:
        try:
            return all(hashlib.sha256((self._folder / name).read_bytes()).hexdigest() == sha256
                       for name, sha256 in result["sha256"].items())
        except OSError:
            return False


def failed_result(line: int, sample_id: str, reason: str) -> dict:
    """What is recorded of a sample that no worker lives to answer."""
    return {"id": sample_id, "line": line, "category": sample_id.partition("_")[0], "status": "failed",
            "reason": reason, "milliseconds": [0.0] * 10, "compute_ms": 0.0, "sha256": {}}
