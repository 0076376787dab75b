"""Compares stage 2's mesh with the volume of the distance network on objects that people made, of libraries that no network was
trained on, and draws the objects with the least F1@tau and those around the median: a photograph, stage 2's mesh and the
volume, from the first camera and from the other side. Existing results are kept."""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Dict, List

import numpy as np
from PIL import Image

from shared import add_options, draw_samples, names_in, table, tools_of, write_tables
from surface import mesh_in, predict, scores
from surface_pictures import COLORS, drawn, sheet_of, tiles_of

LIBRARIES = "KatorLegaz", "BlendSwap-CC-BY"  # validation; reported only
WAYS = {"stage 2's mesh": ["--surface", "template", "--fit-steps", "0"], "volume": ["--surface", "volume"]}
COLUMNS = ["F1@tau", "CD x1000, median", "normals", "self-intersecting faces", "CPU seconds"]


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
        return mesh_in(self.folder_of(way), name)

    def folder_of(self, way: str) -> Path:
        return self.folder / way.replace(" ", "_").replace("'", "")

    def measured(self, way: str) -> Dict[str, List[float]]:
        views = ",".join(map(str, range(self.views)))
        made = predict(self.tools, self.data, self.folder_of(way), "all", ["--views", views, *WAYS[way]])
        found = {}
        for name in names_in(self.data):
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
        azimuth, rest = first.split(maxsplit=1)
        cameras = [first, f"{(float(azimuth) + 180) % 360} {rest}"]
        meshes = [drawn(self.tools, self.mesh(way, name), cameras, self.folder_of(way) / "pictures") for way in WAYS]
        return tiles_of([photographs / "00.png", *(views[0] for views in meshes), *(views[1] for views in meshes)])


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
        group_of = {name: group for group in groups for name in names_in(group.data)}
        sheet = sheet_of(of_volume, options.each, lambda name: group_of[name].tiles(name))
        sheet.quantize(COLORS).save(options.picture, optimize=True)


if __name__ == "__main__":
    main()
