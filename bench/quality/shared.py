"""What the measurements of this folder share: options, the order of shapes, and the tables' place in a document."""

import argparse
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parents[2]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "p2mpp")
    parser.add_argument("--model", type=Path, default=ROOT / "models/p2mpp-shapes")
    parser.add_argument("--document", type=Path, help="Markdown that gets the tables between its marks")


def each_category_in_turn(names: List[str], count: int) -> List[str]:
    """CATEGORY_MODEL_00 of a list that has several shapes a category: the first of each, then the second."""
    return sorted(names, key=lambda name: (name.split("_")[1], name))[:count]


def write_tables(document: Path, name: str, text: str) -> None:
    """Replaces what is between `<!-- name: begin -->` and `<!-- name: end -->`."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = document.read_text().split(begin)
    document.write_text(f"{before}{begin}\n{text.rstrip()}\n{end}{rest.split(end)[1]}")
