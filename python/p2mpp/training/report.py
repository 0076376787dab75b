"""log.csv and plot.png of a run."""

import csv
import io
import os
from pathlib import Path
from typing import Dict, List

from PIL import Image, ImageDraw

GROUPS = ("all", "people", "other", "procedural", "grey", "white", "photographs")
COLUMNS = ("stage", "step", "seconds", "learning_rate", "loss", "chamfer", "surface", "edge",
           "normal", "laplacian", "move", "facing", "fold", "spacing", "near", "sunk", "hint",
           "coarse", "fine", "error",
           "cd", "f1_tau", "f1_2tau",
           *(f"{kind}_{group}" for group in GROUPS for kind in ("f1_tau", "cd", "normals", "iou")))
PANEL_WIDTH, PANEL_HEIGHT, MARGIN = 640, 320, 60  # pixels
COLOURS = ("#1b6ca8", "#c4532d")
Row = Dict[str, float]


class Log:
    """The rows of log.csv, one for each evaluation: losses are means since the previous row, CD and
    F1 are of the held-out samples."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.rows: List[Row] = []

    def resume(self, stage: int, step: int) -> None:
        """Reads the rows up to a checkpoint; later ones will be written again."""
        file = self.folder / "log.csv"
        if file.is_file():
            with open(file, newline="") as stream:
                rows = [{name: float(value) for name, value in row.items() if value}
                        for row in csv.DictReader(stream)]
            self.rows = [row for row in rows if (row["stage"], row["step"]) <= (stage, step)]

    def add(self, row: Row) -> None:
        """Appends a row and writes both files, without columns of former versions."""
        self.rows.append(row)
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: f"{value:.6g}" for name, value in row.items()}
                         for row in self.rows)
        replace(self.folder / "log.csv", text.getvalue().encode())
        picture = io.BytesIO()
        plot(self.rows).save(picture, "PNG")
        replace(self.folder / "plot.png", picture.getvalue())


def replace(file: Path, content: bytes) -> None:
    """Writes a temporary file and renames it, so that the file is always complete."""
    partial = file.with_name(file.name + ".partial")
    partial.write_bytes(content)
    os.replace(partial, file)


def plot(rows: List[Row]) -> Image.Image:
    """Held-out F1 and CD against the hours of both stages; the second stage follows the first."""
    first = max((row["seconds"] for row in rows if row["stage"] == 1), default=0.0)
    hours = [(row["seconds"] + (first if row["stage"] == 2 else 0.0)) / 3600 for row in rows]
    picture = Image.new("RGB", (PANEL_WIDTH, 2 * PANEL_HEIGHT), "white")
    draw = ImageDraw.Draw(picture)
    panel(draw, 0, hours, [[row["f1_tau"] for row in rows], [row["f1_2tau"] for row in rows]],
          ["F1 at tau (%)", "F1 at 2 tau (%)"], 100.0)
    errors = [1000 * row["cd"] for row in rows]
    panel(draw, PANEL_HEIGHT, hours, [errors], ["CD x 1000"],
          max(1e-9, 1.1 * sorted(errors)[-1 - len(errors) // 10]))
    return picture


def panel(draw: ImageDraw.ImageDraw, top: int, x: list, curves: list, names: list,
          highest: float) -> None:
    """Curves over x in one set of axes from 0 to `highest`."""
    left, right = MARGIN, PANEL_WIDTH - 20
    high, low = top + 30, top + PANEL_HEIGHT - 40
    farthest = max(max(x), 1e-9)
    for fifth in range(6):
        y = low + (high - low) * fifth / 5
        draw.line([(left, y), (right, y)], "#dddddd")
        draw.text((left - 8, y), f"{highest * fifth / 5:.3g}", "#333333", anchor="rm")
        across = left + (right - left) * fifth / 5
        draw.text((across, low + 8), f"{farthest * fifth / 5:.3g} h", "#333333", anchor="mt")
    for number, (curve, name) in enumerate(zip(curves, names)):
        points = [(left + (right - left) * at / farthest,
                   low + (high - low) * min(value / highest, 1.0)) for at, value in zip(x, curve)]
        draw.line(points, COLOURS[number], 2)
        draw.text((left + 160 * number, top + 8), name, COLOURS[number])
