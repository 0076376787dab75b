"""The output folder: the only place where p2mpp-photos replaces or removes files, and only those that it wrote."""

import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Dict, Iterable, Iterator, List

from p2mpp.errors import InputError

LIST = "p2mpp-photos.json"  # of the files that were written
WORK = "work"  # all of it belongs to the command
PRIVATE = ".p2mpp-photos-"  # folders in WORK with this prefix hold what is not finished
NEW = PRIVATE + "new-"
MADE_OF = "made_of.json"  # in a private folder that stays
BLOCK = 1 << 20  # bytes


@dataclass(frozen=True)
class Written:
    """A file as it was written."""

    size: int
    mtime_ns: int
    sha256: str


class Batch:
    """Files that get their names in OUT together, when all are complete."""

    def __init__(self, place: Path):
        self.place, self.names = place, []

    def folder(self, name: str) -> Path:
        """An empty folder. Its files will replace all of OUT/name."""
        path = self.file(name)
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        return path

    def file(self, name: str) -> Path:
        """Where to write OUT/name. What is written nowhere is no longer there afterwards."""
        if name not in self.names:
            self.names.append(name)
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def files(self) -> List[str]:
        """The names in OUT of what was written so far, in the order of folder() and file()."""
        found = []
        for name in self.names:
            path = self.place / name
            found += [name] if path.is_file() else [str(each.relative_to(self.place)) for each in _files_below(path)]
        return found


class OutputFolder:
    """Lists the files that it writes in OUT/LIST, before they get their names. A file in OUT that is not listed, or that was changed,
    is never replaced or removed: it stops the run with an InputError. Links are not followed."""

    def __init__(self, path: Path):
        self.path = path
        self.listed: Dict[str, List[Written]] = {}  # two while a file is being replaced

    def at(self, *names: str) -> Path:
        return self.path.joinpath(*names)

    def work(self, *names: str) -> Path:
        return self.path.joinpath(WORK, *names)

    def private(self, name: str, of: Dict[str, str]) -> Path:
        """A folder in WORK for files that a program changes in place. It stays from run to run while that of which it was made (file to
        hash) only grows."""
        path = self.work(PRIVATE + name)
        path.mkdir(exist_ok=True)
        for each in _files_below(path):
            if not each.is_file() or each.is_symlink():
                raise InputError(f"--out: {each} is not a file that p2mpp-photos wrote; move it away")
        if any(path.iterdir()) and not _grows(path / MADE_OF, of):
            shutil.rmtree(path)
            path.mkdir()
        (path / MADE_OF).write_text(json.dumps(of), encoding="utf-8")
        return path

    def hashes(self, folder: str) -> Dict[str, str]:
        """Of the files that are listed below OUT/folder."""
        return {name: written[-1].sha256 for name, written in self.listed.items() if name.startswith(folder + "/")}

    @contextmanager
    def opened(self, names: Iterable[str]) -> Iterator[None]:
        """Locks OUT, and refuses foreign files in WORK and those of names, which the run will write."""
        self.path.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(f"--out: another p2mpp-photos is writing into {self.path}; expected one at a time") from None
            self.listed = listed_in(self.path)
            for name in names:
                self._check(name)
            self._check_below(WORK)
            self.work().mkdir(exist_ok=True)
            self._remove_unfinished()
            yield
        finally:
            os.close(lock)

    def wrote(self, path: Path) -> bool:
        """Whether a path, from wherever it comes, is one of a file that is listed or of one in WORK."""
        try:
            name = (path.parent.resolve() / path.name).relative_to(self.path.resolve())
        except ValueError:
            return False
        return name.parts[:1] == (WORK,) or str(name) in self.listed

    @contextmanager
    def writing(self) -> Iterator[Batch]:
        """At its end, the batch's files get their names. An exception leaves OUT as it was."""
        batch = Batch(Path(tempfile.mkdtemp(prefix=NEW, dir=self.work())))
        try:
            yield batch
            self._publish(batch)
        finally:
            shutil.rmtree(batch.place, ignore_errors=True)

    def _publish(self, batch: Batch) -> None:
        added = {name: _facts(batch.place / name) for name in batch.files()}
        replaced = [name for each in batch.names for name in self.listed if name == each or name.startswith(each + "/")]
        for name in batch.names:
            self._check_below(name)
        after = {name: written for name, written in self.listed.items() if name not in replaced}
        self._write_list({**self.listed, **{name: [*self.listed.get(name, []), facts] for name, facts in added.items()}})
        # A step's record is its last file: it goes first and comes last, so that it never tells of other files than those there.
        for name in reversed(replaced):
            if name not in added or name.startswith(WORK + "/"):
                self._remove(name)
        for name in added:
            self.at(name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(batch.place / name, self.at(name))
        self._write_list({**after, **{name: [facts] for name, facts in added.items()}})

    def _remove(self, name: str) -> None:
        path = self.at(name)
        if not os.path.lexists(path) or not self._is_ours(name, by_content=True):
            return
        path.unlink()
        for folder in path.relative_to(self.path).parents:
            if folder.parts[1:]:  # below WORK
                try:
                    self.path.joinpath(folder).rmdir()
                except OSError:
                    break  # not empty

    def _is_ours(self, name: str, by_content: bool = False) -> bool:
        """Whether it is as it was written. A changed time alone, as a copy's, does not matter."""
        path = self.at(name)
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            return False
        same = [each for each in self.listed.get(name, []) if each.size == info.st_size]
        if not by_content and any(each.mtime_ns == info.st_mtime_ns for each in same):
            return True
        return bool(same) and _hash(path) in {each.sha256 for each in same}

    def _check(self, name: str) -> None:
        """Refuses a file that is not ours, and anything but a folder above it."""
        for part in [*reversed(Path(name).parents), Path(name)][1:]:
            path = self.path / part
            if not os.path.lexists(path):
                return
            if str(part) != name and (path.is_symlink() or not path.is_dir()):
                raise InputError(f"--out: {path} is not a folder; move it away")
        if name not in self.listed:
            raise InputError(f"--out: {path} is not in {self.at(LIST)}, the list of what p2mpp-photos wrote; move it away, or give "
                             "another folder")
        if not self._is_ours(name):
            hint = " (for masks of your own, give their folder with --masks)" if name.startswith(f"{WORK}/masks/") else ""
            raise InputError(f"--out: {path} was changed after p2mpp-photos wrote it; move it away{hint}")

    def _check_below(self, name: str) -> None:
        """A file, or all files of a folder."""
        path = self.at(name)
        if path.is_symlink() or not path.is_dir():
            self._check(name + "/any" if name == WORK else name)
            return
        for each in _files_below(path, apart=PRIVATE):
            self._check(str(each.relative_to(self.path)))

    def _remove_unfinished(self) -> None:
        """What runs left that were killed."""
        for path in self.work().glob(NEW + "*"):
            shutil.rmtree(path, ignore_errors=True)  # it takes no link for a folder

    def _write_list(self, listed: Dict[str, List[Written]]) -> None:
        entries = [{"path": name, **asdict(each)} for name, written in sorted(listed.items()) for each in written]
        with tempfile.TemporaryDirectory(prefix=NEW, dir=self.work()) as folder:
            new = Path(folder) / LIST
            new.write_text(json.dumps({"files": entries}, indent=0) + "\n", encoding="utf-8")
            os.replace(new, self.at(LIST))
        self.listed = listed


def listed_in(folder: Path) -> Dict[str, List[Written]]:
    """What p2mpp-photos wrote into a folder, by the list there; nothing if there is none."""
    path = folder / LIST
    if not os.path.lexists(path):
        return {}
    found: Dict[str, List[Written]] = {}
    try:
        for entry in json.loads(path.read_text(encoding="utf-8"))["files"]:
            name = entry.pop("path")
            if not _is_name(name):
                raise ValueError(name)
            found.setdefault(name, []).append(Written(**entry))
        return found
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is not a list of what p2mpp-photos wrote; move it away") from error


def _grows(made_of: Path, of: Dict[str, str]) -> bool:
    try:
        return json.loads(made_of.read_text(encoding="utf-8")).items() <= of.items()
    except (OSError, ValueError, AttributeError):
        return False  # the command was killed before it was whole


def _is_name(name: str) -> bool:
    """Of a file in OUT or below WORK."""
    parts = name.split("/")
    return not {"", ".", ".."} & {*parts} and "\0" not in name and (len(parts) == 1 or parts[0] == WORK)


def _files_below(folder: Path, apart: str = "") -> List[Path]:
    """All that is no folder, links included. apart: folders at the top whose names begin so are left out."""
    found = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if not entry.is_dir(follow_symlinks=False):
            found.append(Path(entry.path))
        elif not apart or not entry.name.startswith(apart):
            found += _files_below(Path(entry.path))
    return found


def _hash(path: Path) -> str:
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            found.update(block)
    return found.hexdigest()


def _facts(path: Path) -> Written:
    info = os.lstat(path)
    return Written(info.st_size, info.st_mtime_ns, _hash(path))
