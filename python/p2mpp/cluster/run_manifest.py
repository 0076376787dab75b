"""OUT/manifest.jsonl as `p2mpp eval` writes it: what of a run is done, a line a sample."""

import errno
import fcntl
import hashlib
import json
import os
import secrets
import stat
from pathlib import Path
from typing import Dict, Iterable, NoReturn, Optional, Set, Tuple

from ..errors import Error, InputError, UsageError
from .records import PARTS, parse_line, problem_of

FORMAT = {"format": "p2mpp-run", "version": 2}
MOST_BYTES = 4 << 30
RESULT_FILES = ("results.csv", "categories.csv", "summary.json", "report.html")  # what is written at a run's end
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def whole_lines(content: bytes) -> bytes:
    """The whole lines, without the remains of a crash behind them. As src/base/append_log.h."""
    written = content.partition(b"\0")[0]
    return written[:written.rfind(b"\n") + 1]


def as_lines(documents: Iterable[dict]) -> bytes:
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def differences(recorded: dict, wanted: dict) -> str:
    """Empty where the identities agree."""
    def value(identity: dict, name: str) -> str:
        return json.dumps(identity[name], separators=(",", ":")) if name in identity else "nothing"

    return "; ".join(f"{name} was {value(recorded, name)}, is {value(wanted, name)}"
                     for name in {**recorded, **wanted}
                     if value(recorded, name) != value(wanted, name))


def problem_of_header(header: dict) -> str:
    """Of a document that says to be a manifest; empty where it is one."""
    if "version" not in header:
        return "it is not one that p2mpp writes"
    if isinstance(header["version"], bool) or header["version"] != FORMAT["version"]:
        return f"has another format; expected {FORMAT['format']}, version {FORMAT['version']}"
    if "identity" not in header or "description" not in header:
        return "it is not one that p2mpp writes"
    if not (isinstance(header["identity"], dict) and isinstance(header["description"], dict)):
        return "its identity is not an object"
    return ""


class RunManifest:
    """Holds the folder's lock for as long as it is open."""

    def __init__(self, folder: Path, resume: bool, overwrite: bool = False):
        self._folder = folder
        self._path = folder / "manifest.jsonl"
        self._identity: Optional[dict] = None
        self._results: Dict[Tuple[str, int], dict] = {}  # by id and line of the list
        self._overwrite = overwrite
        self._file = self._open()
        try:
            recorded = self._read(with_results=resume)
            if recorded and not resume and not overwrite:
                raise UsageError(f"{folder}: holds a run with {recorded} recorded samples; expected --resume to "
                                 "continue it, --overwrite to replace it, or another --out")
            if not resume:
                self._identity = None
        except Error:
            self._file.close()
            raise

    def begin(self, identity: dict, description: dict) -> Set[str]:
        """Writes both, or holds the identity against the one that is there; gives the ids that are finished."""
        if self._identity is None:
            if self._overwrite:  # they would contradict the new manifest
                for name in RESULT_FILES:
                    (self._folder / name).unlink(missing_ok=True)
            self._replace(as_lines([{**FORMAT, "identity": identity, "description": description}]))
            self._identity = identity
        elif text := differences(self._identity, identity):
            raise InputError(f"{self._path}: of another run: {text}; expected the same options, or another --out")
        return {name for (name, _), result in self._results.items() if self._is_finished(result)}

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
        """The lock of a file that was replaced meanwhile keeps nobody out."""
        while True:
            file = self._open_once()
            try:
                self._lock(file)
                named, held = os.lstat(self._path), os.fstat(file.fileno())
                if (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino):
                    return file
            except FileNotFoundError:
                pass
            except BaseException:
                file.close()
                raise
            file.close()

    def _open_once(self):
        """Follows no symbolic link, because what it leads to is not ours."""
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            descriptor = os.open(self._path, flags, 0o666)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise Error(f"{self._path}: is a symbolic link; expected a regular file") from None
            raise
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # before Python seeks in it
            os.close(descriptor)
            raise Error(f"{self._path}: is a device or a pipe; expected a regular file")
        return os.fdopen(descriptor, "a+b")

    def _lock(self, file) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Error(f"{self._path}: is in use by another run; expected one at a time") from None

    def _append(self, documents: Iterable[dict]) -> None:
        self._file.write(as_lines(documents))
        self._file.flush()
        os.fdatasync(self._file.fileno())

    def _replace(self, lines: bytes) -> None:
        """By a rename: at any time, the file has the old lines or the new ones. The old file stays locked until the new
        one is: who locks that first has the folder."""
        temporary = self._folder / f".p2mpp-{os.getpid():x}-{secrets.token_hex(8)}.tmp"
        try:
            with open(temporary, "xb") as file:
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(self._folder)
        with self._file:
            self._file = self._open()

    def _read(self, with_results: bool) -> int:
        """Returns the number of recorded results. Changes the file only if it is a run's manifest."""
        status = os.fstat(self._file.fileno())
        if status.st_size > MOST_BYTES:
            raise InputError(f"{self._path}: has {status.st_size} bytes; expected at most {MOST_BYTES}")
        self._file.seek(0)
        content = self._file.read()
        whole = len(whole_lines(content))
        lines = content[:whole].removeprefix(BYTE_ORDER_MARK).split(b"\n")[:-1]
        if content and not lines:  # a manifest gets its first line by a rename, so it always has that
            self._refuse_foreign()
        for number, line in enumerate(lines if with_results else lines[:1], 1):
            if number == 1:
                self._take_header(line)
            else:
                self._take_record(line, number)
        if status.st_nlink > 1:
            self._replace(content[:whole])  # no other name's lines are changed
        elif whole < len(content):  # a crash may have torn the last line
            self._file.truncate(whole)
        return max(len(lines) - 1, 0)

    def _refuse_foreign(self) -> NoReturn:
        raise InputError(f"{self._path}: is not the manifest of a run of p2mpp; expected another --out, "
                         "or none of that name")

    def _refuse_line(self, number: int, problem: object) -> NoReturn:
        raise InputError(f"{self._path}:{number}: is damaged: {problem}; expected a line of "
                         "`p2mpp eval`") from None

    def _take_header(self, line: bytes) -> None:
        try:
            header = parse_line(line)
        except InputError:
            header = None
        if not isinstance(header, dict) or header.get("format") != FORMAT["format"]:
            self._refuse_foreign()
        if problem := problem_of_header(header):
            self._refuse_line(1, problem)
        self._identity = header["identity"]

    def _take_record(self, line: bytes, number: int) -> None:
        try:
            record = parse_line(line)
        except InputError as error:
            self._refuse_line(number, error)
        if problem := problem_of(record, self._identity):
            self._refuse_line(number, problem)
        self._results[record["id"], record["line"]] = record

    def _is_finished(self, result: dict) -> bool:
        if result["status"] != "done":
            return False
        try:
            return all(hashlib.sha256((self._folder / name).read_bytes()).hexdigest() == sha256
                       for name, sha256 in result["sha256"].items())
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return False


def failed_result(line: int, sample_id: str, reason: str) -> dict:
    """The record of a sample on which its workers die."""
    return {"id": sample_id, "line": line, "category": sample_id.partition("_")[0], "status": "failed",
            "reason": reason, "milliseconds": [0.0] * PARTS, "compute_ms": 0.0, "sha256": {}}
