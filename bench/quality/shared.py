"""What the measurements of this folder share: options, data with 24 views, the order of shapes, tables and their place
in a document."""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from markdown_table import line, table  # noqa: E402,F401


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "p2mpp")
    parser.add_argument("--model", type=Path, default=ROOT / "models/p2mpp-shapes")
    parser.add_argument("--document", type=Path, help="Markdown that gets the tables between its marks")


def add_people_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--libraries", type=Path, help="unpacked by p2mpp-shards: adds objects that people "
                        "made, the ten of data/people and others of the validation library")
    parser.add_argument("--people", type=int, default=20, metavar="N", help="of the validation library (default 20)")


def generated(out: Path) -> Path:
    """The bundled shapes with 24 views and 8,000 points of their surfaces."""
    options = json.loads((ROOT / "data" / "generation.json").read_text())["options"]
    data = out / "data"
    if not (data / "test_list.txt").exists():
        subprocess.run([sys.executable, "-m", "p2mpp.commands.generate", "--out", data, "--shapes", "3", "--seed",
                        str(options["seed"]), "--supersampling", str(options["supersampling"]), "--views", "24",
                        "--points", "8000", "--quiet"], check=True)
    return data


def people_made(out: Path, libraries: Path, validation: int) -> Path:
    """The same of objects that people made: those of data/people, and so many of the validation library."""
    data = out / f"people_{validation}"
    if (data / "all.txt").exists():
        return data
    names = []
    for some in ([], ["--validate", str(validation)]):
        subprocess.run([sys.executable, "-m", "p2mpp.commands.shards", "samples", "--libraries", libraries,
                        "--out", data, "--views", "24", *some], check=True, stdout=subprocess.DEVNULL)
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


def write_tables(document: Path, name: str, text: str) -> None:
    """Replaces what is between `<!-- name: begin -->` and `<!-- name: end -->`."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = document.read_text().split(begin)
    document.write_text(f"{before}{begin}\n{text.rstrip()}\n{end}{rest.split(end)[1]}")
