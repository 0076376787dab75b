"""Compares stage 2's mesh with the volume of the distance network on objects that people made, of libraries that no network was
trained on, and draws the objects with the least F1@tau and those around the median: a photograph, stage 2's mesh and the
volume, from the first camera and from the other side. Existing results are kept."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Dict, List

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pictures import extent_of, on_white, tile
from shared import add_options, draw_samples, names_in, table, tools_of, write_tables
from surface import predict, scores
from surface_pictures import shown

LIBRARIES = "KatorLegaz", "BlendSwap-CC-BY"  # validation; reported only
WAYS = {"stage 2's mesh": ["--surface", "template", "--fit-steps", "0"], "volume": ["--surface", "volume"]}
COLUMNS = ["F1@tau", "CD x1000, median", "normals", "self-intersecting faces", "CPU seconds"]
TILE, WORDS, GAP, IN_A_ROW = 104, 14, 10, 2  # pixels; of the words; between objects; objects
COLORS = 64


class Group:
    """Samples of a library's objects, of the ten categories or of the others."""

    def __init__(self, tools, libraries: Path, library: str, outside: bool, views: int, objects: int):
        self.tools, self.views = tools, views
        self.title = f"{library}, {'others' if outside else 'ten categories'}"
        self.folder = tools.out / self.title.replace(", ", "_").replace(" ", "_")
        self.data = self.folder / "data"
        if not (self.data / "test_list.txt").exists():
            draw_samples(libraries, self.data, views, "--library", library, "--objects", str(objects),
                         *(["--outside"] if outside else []))

    def mesh(self, way: str, name: str) -> Path:
        category, model, _ = name.split("_")
        folder = self.folder / way.replace(" ", "_").replace("'", "")
        file = folder / f"{model}_predict.obj"
        return file if file.exists() else folder / f"{category}_{model}_predict.obj"

    def measured(self, way: str) -> Dict[str, List[float]]:
        names = names_in(self.data)
        views = ",".join(map(str, range(self.views)))
        made = predict(self.tools, self.data, self.mesh(way, names[0]).parent, "all", ["--views", views, *WAYS[way]])
        found = {}
        for name in names:
            of_surface = scores(self.tools, self.mesh(way, name), self.data / f"{name}_ground.xyz")
            found[name] = [of_surface["f1_tau"], 1000 * of_surface["chamfer_distance"], of_surface["normal_consistency"],
                           self.intersecting(self.mesh(way, name)), made.seconds]
        return found

    def intersecting(self, mesh: Path) -> int:
        """Faces that intersect others."""
        done = subprocess.run([self.tools.program, "finish", mesh, "--json", "--quiet"], check=False, capture_output=True,
                              text=True)
        return json.loads(done.stdout)["intersecting_faces"]

    def tiles(self, name: str) -> List[Image.Image]:
        """A photograph and the meshes, then both meshes from the other side."""
        category, model, _ = name.split("_")
        photographs = self.data / category / model / "rendering"
        first = (photographs / "rendering_metadata.txt").read_text().splitlines()[0]
        azimuth, elevation, *rest = first.split()
        cameras = self.folder / "cameras.txt"
        cameras.write_text(f"{first}\n{' '.join([str((float(azimuth) + 180) % 360), elevation, *rest])}\n")
        files: List[List[Path]] = [[photographs / "00.png"], []]
        for way in WAYS:
            mesh = self.mesh(way, name)
            out = self.folder / f"pictures_{mesh.parent.name}"
            out.mkdir(exist_ok=True)
            subprocess.run([self.tools.program, "render", mesh, "--cameras", cameras, "--size", str(4 * TILE), "--samples", "16",
                            "--no-ground", "--frame", "camera0", "--out", out, "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
            for view, side in enumerate(files, 1):
                side.append(out / f"{mesh.stem}_view{view}.png")
        pictures = [on_white(file) for side in files for file in side]
        share = max(extent_of(pictures))
        return [tile(picture, share, share, TILE) for picture in pictures]


def sheet_of(groups: List[Group], found: Dict[str, float], each: int) -> Image.Image:
    """`found`: F1@tau by name."""
    group_of = {name: group for group in groups for name in names_in(group.data)}
    chosen = [(title, name) for title, names in shown(found, each).items() for name in names]
    width, height = 5 * TILE + GAP, TILE + WORDS
    sheet = Image.new("RGB", (IN_A_ROW * width, -(-len(chosen) // IN_A_ROW) * height), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(11)
    for number, (title, name) in enumerate(chosen):
        left, top = number % IN_A_ROW * width, number // IN_A_ROW * height
        for place, picture in enumerate(group_of[name].tiles(name)):
            sheet.paste(picture, (left + place * TILE, top))
        draw.text((left + width // 2, top + height - WORDS // 2), f"{title}: {name.split('_')[1]}, {found[name]:.1f}", "black",
                  font, "mm")
    return sheet


def row(title: str, way: str, found: Dict[str, List[float]]) -> List[str]:
    each = np.array(list(found.values()))
    f1, _, normals, crossed, seconds = each.mean(0)
    return [f"{title} ({len(each)}), {way}", f"{f1:.1f}", f"{np.median(each[:, 1]):.3f}", f"{normals:.3f}", f"{crossed:.0f}",
            f"{seconds:.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", type=Path, required=True, help="unpacked by p2mpp-shards")
    parser.add_argument("--objects", type=int, default=20, metavar="N", help="of each group (default 20)")
    parser.add_argument("--views", type=int, default=3, metavar="N", help="photographs of an object (default 3)")
    parser.add_argument("--out", type=Path, required=True, help="gets data and results")
    parser.add_argument("--picture", type=Path, help="PNG to write")
    parser.add_argument("--each", type=int, default=8, metavar="N", help="worst and median objects in it (default 8)")
    add_options(parser)
    options = parser.parse_args()
    tools, rows, of_volume, groups = tools_of(options), [], {}, []
    for library in LIBRARIES:
        for outside in (False, True):
            group = Group(tools, options.libraries.resolve(), library, outside, options.views, options.objects)
            groups.append(group)
            for way in WAYS:
                found = group.measured(way)
                rows.append(row(group.title, way, found))
                print(*rows[-1], flush=True)
            of_volume.update({name: each[0] for name, each in found.items()})
    write_tables(options.document, "distance network", table([f"{options.views} views", *COLUMNS], rows))
    if options.picture:
        sheet_of(groups, of_volume, options.each).quantize(COLORS).save(options.picture, optimize=True)


if __name__ == "__main__":
    main()
