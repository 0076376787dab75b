"""A machine that crashes during `p2mpp eval`, simulated: what the program does to its files is recorded (tests/faults),
and played back up to a moment as a file system may have it on the disk then. What was synced is there; of the rest,
each name and each write is there or not, in any combination, and a file may be longer than what was written of it, with
NULs instead. In each such state a mesh, a table or a page that has its final name is whole, the manifest is empty or begins
with a whole line, and --resume gives the undisturbed bytes.

P2MPP_CRASHES says how many states are tried (12 where it is unset). P2MPP_FAULT_REPORT names a file that gets a line with
their number.
"""

import os
import random
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

from runs import ProgramTest, categories, meshes, problems_of_all, report_tries, results, run_command

LIBRARY = os.environ.get("P2MPP_FAULT_LIBRARY")
STATES = int(os.environ.get("P2MPP_CRASHES", "12"))
SAMPLES = 5


class Log:
    """Operations in their order, of which the first `durable` are on the disk."""

    def __init__(self):
        self.operations: list = []
        self.durable = 0

    def add(self, *operation) -> None:
        self.operations.append(operation)

    def sync(self) -> None:
        self.durable = len(self.operations)


class File(Log):

    def __init__(self):
        super().__init__()
        self.size = 0  # as the program sees it

    def content(self, draw: random.Random) -> bytes:
        content = bytearray()
        pending = draw.choice(("none", "all", "prefix", "any", "nuls"))
        cut = draw.randint(self.durable, len(self.operations))
        for number, (kind, *arguments) in enumerate(self.operations):
            is_durable = number < self.durable
            if not is_durable and (pending == "none" or (pending == "prefix" and number >= cut)):
                break
            if kind == "truncate":
                del content[arguments[0]:]
                content.extend(bytes(arguments[0] - len(content)))
                continue
            offset, data = arguments
            if not is_durable:
                # Whole pages of it may be missing, and with them what would be the file's end.
                data = b"".join(data[at:at + 512] if pending in ("all", "prefix") or (pending == "any" and draw.random() < 0.5)
                                else bytes(len(data[at:at + 512])) for at in range(0, len(data), 512))
                if draw.random() < 0.3:
                    data = data[:draw.randint(0, len(data))]
            content.extend(bytes(max(0, offset - len(content))))
            content[offset:offset + len(data)] = data
        return bytes(content)


class Folder(Log):

    def entries(self, draw: random.Random) -> Dict[str, Union["Folder", File]]:
        found: Dict[str, Union[Folder, File]] = {}
        share = draw.choice((0.0, 0.5, 1.0))
        for number, (kind, name, *arguments) in enumerate(self.operations):
            if number >= self.durable and draw.random() >= share:
                continue
            if kind == "add":
                found[name] = arguments[0]
            elif kind == "remove":
                found.pop(name, None)
            else:
                found.pop(arguments[0], None)
                found[name] = arguments[1]
        return found


class Disk:
    """The state of the files, up to a moment of a program's run."""

    def __init__(self):
        self.root = Folder()
        self.folders: Dict[str, Folder] = {"": self.root}
        self.files: Dict[str, File] = {}  # by their present path
        self.open: Dict[int, Union[Folder, File]] = {}
        self.all: List[Log] = [self.root]

    def place(self, path: str) -> Optional[Tuple[Folder, str]]:
        folder, _, name = os.path.normpath(path).rpartition("/")
        return (self.folders[folder], name) if folder in self.folders else None

    def play(self, line: str) -> None:
        kind, _, rest = line.partition(" ")
        getattr(self, f"play_{kind}")(rest)

    def play_mkdir(self, path: str) -> None:
        if place := self.place(path):
            made = Folder()
            self.all.append(made)
            self.folders[os.path.normpath(path)] = made
            place[0].add("add", place[1], made)

    def play_open(self, rest: str) -> None:
        number, flags, path = rest.split(" ", 2)
        path = os.path.normpath(path)
        if int(flags) & os.O_DIRECTORY:
            if path in (".", *self.folders):
                self.open[int(number)] = self.folders["" if path == "." else path]
            return
        place = self.place(path)
        if place is None:
            return
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = File()
            self.all.append(file)
            place[0].add("add", place[1], file)
        if int(flags) & os.O_TRUNC:
            file.add("truncate", 0)
            file.size = 0
        self.open[int(number)] = file

    def play_close(self, number: str) -> None:
        self.open.pop(int(number), None)

    def play_write(self, rest: str) -> None:
        number, _, digits = rest.partition(" ")
        if int(number) in self.open:
            file = self.open[int(number)]  # all are written from front to back
            file.add("write", file.size, bytes.fromhex(digits))
            file.size += len(digits) // 2

    def play_truncate(self, rest: str) -> None:
        number, size = map(int, rest.split())
        file = self.open[number]
        file.add("truncate", size)
        file.size = size

    def play_fsync(self, number: str) -> None:
        if int(number) in self.open:
            self.open[int(number)].sync()

    def play_syncfs(self, _number: str) -> None:
        for log in self.all:
            log.sync()

    def play_rename(self, rest: str) -> None:
        before, after = map(os.path.normpath, rest.split("\t"))
        place = self.place(after)
        if place is not None:
            file = self.files[after] = self.files.pop(before)
            place[0].add("rename", place[1], before.rpartition("/")[2], file)

    def play_unlink(self, path: str) -> None:
        if os.path.normpath(path) in self.files:
            del self.files[os.path.normpath(path)]
            folder, name = self.place(path)
            folder.add("remove", name)

    def write(self, place: Path, draw: random.Random) -> None:
        """A state that it may be found in."""
        def write(folder: Folder, at: Path) -> None:
            at.mkdir(parents=True)
            for name, entry in folder.entries(draw).items():
                if isinstance(entry, Folder):
                    write(entry, at / name)
                else:
                    (at / name).write_bytes(entry.content(draw))
        write(self.root, place)


class Record(NamedTuple):
    """A run's operations on its files, and its remaining files."""

    lines: List[str]
    files: Dict[str, bytes]


def is_whole(path: Path, written: bytes) -> bool:
    """Of a manifest, later lines may be missing or torn."""
    content = path.read_bytes()
    if path.name != "manifest.jsonl" or not content:
        return content == written or path.name == "manifest.jsonl"
    whole = content.partition(b"\0")[0]
    whole = whole[:whole.rfind(b"\n") + 1]
    return bool(whole) and written.startswith(whole)


@unittest.skipIf(not LIBRARY, "this build has no library of faults")
class CrashesTest(ProgramTest):

    def run_eval(self, folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess:
        return run_command(self.eval_command(Path("out"), *options), cwd=folder, env={**os.environ, **environment}, timeout=120)

    def record(self, batch: int) -> Record:
        folder = self.folder / f"batch-{batch}"
        folder.mkdir()
        run = self.run_eval(folder, "--batch", str(batch), LD_PRELOAD=LIBRARY, P2MPP_FAULT_RECORD=str(folder / "record"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.expected = self.outcome(folder / "out")
        files = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
        self.assertLessEqual({"manifest.jsonl", "results.csv", "categories.csv", "summary.json", "report.html"}, set(files))
        return Record((folder / "record").read_text().splitlines(), files)

    def outcome(self, out: Path) -> tuple:
        return meshes(out), results(out), categories(out)

    def crash(self, seed: int, record: List[str]) -> Path:
        """A folder as it may be found after a crash at some moment."""
        draw = random.Random(seed)
        disk = Disk()
        for line in record[:draw.randint(0, len(record))]:
            disk.play(line)
        folder = self.folder / f"crash-{seed}"
        disk.write(folder, draw)
        return folder

    def torn_files(self, folder: Path, record: Record) -> List[str]:
        return [path.name for path in folder.glob("out/[!.]*") if not is_whole(path, record.files[path.name])]

    def problem_of(self, seed: int, record: Record) -> str:
        folder = self.crash(seed, record.lines)
        try:
            if torn := self.torn_files(folder, record):
                return f"{torn[0]} is torn"
            run = self.run_eval(folder, "--resume")
            if run.returncode != 0:
                return f"exit code {run.returncode}: {run.stderr[-300:]}"
            if self.outcome(folder / "out") != self.expected:
                return "other results"
            left = list((folder / "out").glob(".p2mpp-*"))
            return f"{left[0].name} was left" if left else ""
        finally:
            shutil.rmtree(folder)

    def test_every_state_of_the_disk_can_be_resumed(self):
        self.make_list(SAMPLES)
        records = [self.record(batch) for batch in (1, 3)]  # three samples' files are synced by one call
        problems = problems_of_all(lambda seed: self.problem_of(seed, records[seed % len(records)]), range(STATES))
        # The test itself: a program that does not sync is found out.
        careless = [line for line in records[0].lines if "sync" not in line.partition(" ")[0]]
        torn = {name for seed in range(400) for name in self.torn_files(self.crash(1000 + seed, careless), records[0])}
        self.assertLessEqual({"results.csv", "summary.json", "report.html", "manifest.jsonl"}, torn)
        self.assertTrue(any(name.endswith(".obj") for name in torn))
        report_tries(f"states of the disk after a crash tried: {STATES}")
        self.assertEqual(problems, [], f"{len(problems)} of {STATES} states:\n" + "\n".join(problems))
