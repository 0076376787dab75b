"""Shared by the measurements of this folder: options, data with 24 views, the order of shapes, tables and their place in
a document."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[2]
SOME_FAILED = 4  # exit code
NETWORK_VIEWS = (0, 6, 7)  # that the network reads, of a sample's
sys.path.insert(0, str(ROOT / "bench"))

from markdown_table import line, table  # noqa: E402,F401


class Tools(NamedTuple):
    """Program, model and the folder that gets everything."""

    program: Path
    model: Path
    out: Path


def tools_of(options: argparse.Namespace) -> Tools:
    return Tools(options.program.resolve(), options.model.resolve(), options.out.resolve())


def run_measured(command: List) -> "os.struct_rusage":
    """What a program used, whose output goes nowhere. Raises RuntimeError if it fails."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: ended with {process.returncode}")
    return used


def evaluate(tools: Tools, data: Path, names: Path, out: Path, *more: str, samples_may_fail: bool = False) -> Path:
    """`p2mpp eval` of a list of ids into `out`, with more options; an interrupted run is resumed. Returns `out`. Raises
    RuntimeError if the run fails, or a sample does and `samples_may_fail` is False."""
    out.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([tools.program, "eval", "--model", tools.model, "--list", names, "--images-root", data,
                           "--truth-root", data, "--out", out, "--resume", "--quiet", *more],
                          check=False, capture_output=True, text=True)
    if done.returncode != 0 and not (samples_may_fail and done.returncode == SOME_FAILED):
        raise RuntimeError(f"{out}: {done.stderr.strip()}")
    return out


def silhouette_overlaps(tools: Tools, command: str, *arguments) -> List[List[float]]:
    """The silhouettes' IoU in each view of each sample of `p2mpp predict`, or each mesh of `p2mpp render`, which draw
    overlays. Raises RuntimeError if the program fails."""
    done = subprocess.run([tools.program, command, *arguments, "--overlay", "--json", "--quiet"], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"p2mpp {command}: {done.stderr.strip()}")
    found = json.loads(done.stdout)["samples" if command == "predict" else "meshes"]
    return [[view["iou"] for view in each["silhouettes"]] for each in found]


def summary_of(run: Path) -> Dict:
    return json.loads((run / "summary.json").read_text())


def results_of(run: Path) -> List[Dict]:
    """The samples that did not fail, in the list's order."""
    lines = [json.loads(line) for line in (run / "manifest.jsonl").read_text().splitlines()[1:]]
    return sorted((line for line in lines if line["status"] == "done"), key=lambda line: line["line"])


def names_in(data: Path) -> List[str]:
    """Ids CATEGORY_MODEL_00 of a folder's list."""
    return [Path(line).stem for line in (data / "test_list.txt").read_text().split()]


def copy_samples(data: Path, folder: Path, names: List[str], *, picture: Callable[[Path, Path], object] = shutil.copy,
                 rows: Callable[[List[str], int], List[str]] = lambda rows, _: rows) -> None:
    """Copies samples, their truth and a list of them, unless they are there. `picture` writes a picture's changed copy;
    `rows` changes a sample's camera rows, and gets its place in the list, too."""
    listed = "".join(f"{name}.dat\n" for name in names)
    if (folder / "test_list.txt").exists() and (folder / "test_list.txt").read_text() == listed:
        return
    for number, name in enumerate(names):
        category, model, _ = name.split("_")
        source, target = (root / category / model / "rendering" for root in (data, folder))
        target.mkdir(parents=True, exist_ok=True)
        for file in source.glob("*.png"):
            picture(file, target / file.name)
        cameras = (source / "rendering_metadata.txt").read_text().splitlines()
        (target / "rendering_metadata.txt").write_text("\n".join(rows(cameras, number)) + "\n")
        shutil.copy(data / f"{name}_ground.xyz", folder)
    (folder / "test_list.txt").write_text(listed)


def add_tool_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "p2mpp")
    parser.add_argument("--model", type=Path, default=ROOT / "models/p2mpp-shapes")


def add_options(parser: argparse.ArgumentParser) -> None:
    add_tool_options(parser)
    parser.add_argument("--document", type=Path, help="Markdown that gets the tables between its marks")


def add_people_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--libraries", type=Path, help="unpacked by p2mpp-shards: adds objects that people "
                        "made, the ten of data/people and others of the validation library")
    parser.add_argument("--people", type=int, default=20, metavar="N", help="of the validation library (default 20)")


def generate(out: Path, *more: str) -> None:
    """Renders bundled shapes with 24 views."""
    options = json.loads((ROOT / "data" / "generation.json").read_text())["options"]
    subprocess.run([sys.executable, "-m", "p2mpp.commands.generate", "--out", out, "--seed", str(options["seed"]),
                    "--supersampling", str(options["supersampling"]), "--views", "24", *more, "--quiet"], check=True)


def generated(out: Path) -> Path:
    """All bundled shapes with 24 views and 8,000 points of their surfaces."""
    data = out / "data"
    if not (data / "test_list.txt").exists():
        generate(data, "--shapes", "3", "--points", "8000")
    return data


def draw_samples(libraries: Path, out: Path, views: int, *more: str) -> None:
    """Renders objects that people made."""
    subprocess.run([sys.executable, "-m", "p2mpp.commands.shards", "samples", "--libraries", libraries, "--out", out,
                    "--views", str(views), *more], check=True, stdout=subprocess.DEVNULL)


def people_made(out: Path, libraries: Path, validation: int) -> Path:
    """The same for objects that people made: those of data/people, and `validation` of the validation library."""
    data = out / f"people_{validation}"
    if (data / "all.txt").exists():
        return data
    names = []
    for some in ([], ["--library", "KatorLegaz", "--objects", str(validation)]):
        draw_samples(libraries, data, 24, *some)
        names += (data / "test_list.txt").read_text().split()
    (data / "test_list.txt").write_text("".join(f"{name}\n" for name in names))
    (data / "all.txt").touch()
    return data


def groups_of(options: argparse.Namespace) -> Dict[str, Path]:
    """Data by name, of which the first has none."""
    out = options.out.resolve()
    groups = {"": generated(out)}
    if options.libraries:
        groups["made by people"] = people_made(out, options.libraries, options.people)
    return groups


def each_category_in_turn(names: List[str], count: int) -> List[str]:
    """CATEGORY_MODEL_00 of a list that has several shapes a category: the first of each, then the second."""
    return sorted(names, key=lambda name: (name.split("_")[1], name))[:count]


def write_tables(document: Optional[Path], name: str, text: str) -> None:
    """Replaces the text between `<!-- name: begin -->` and `<!-- name: end -->` of a document, if there is one."""
    if document is None:
        return
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = document.read_text().split(begin)
    document.write_text(f"{before}{begin}\n{text.rstrip()}\n{end}{rest.split(end)[1]}")
