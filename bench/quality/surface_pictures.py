"""A picture of the surfaces that surface.py made, the objects with the least F1@tau and those around the median: each as two
photographs of it show it, beside the volume's mesh from the same cameras, which `p2mpp render` draws."""

import argparse
import subprocess
from pathlib import Path
from typing import Callable, Dict, List

from PIL import Image, ImageDraw, ImageFont

from pictures import extent_of, on_white, tile
from shared import Tools, add_tool_options, names_in, tools_of
from surface import mesh_in, scores

TILE, WORDS, IN_A_ROW = 112, 14, 2  # pixels; pixels below an object; objects
GAP = 12  # pixels between objects
COLORS = 64


def mesh_of(tools: Tools, name: str) -> Path:
    return mesh_in(tools.out / "24 views" / "volume", name)


def opposite(rows: List[str]) -> int:
    """The camera that sees most of the side that the first one does not see."""
    azimuths = [float(row.split()[0]) for row in rows]
    return min(range(len(rows)), key=lambda i: abs((azimuths[i] - azimuths[0]) % 360 - 180))


def drawn(tools: Tools, mesh: Path, cameras: List[str], out: Path) -> List[Path]:
    """A picture for each camera row."""
    out.mkdir(parents=True, exist_ok=True)
    rows = out / f"{mesh.stem}.txt"
    rows.write_text("".join(f"{camera}\n" for camera in cameras))
    subprocess.run([tools.program, "render", mesh, "--cameras", rows, "--size", str(4 * TILE), "--samples", "16", "--no-ground",
                    "--frame", "camera0", "--out", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return [out / f"{mesh.stem}_view{view}.png" for view in range(1, len(cameras) + 1)]


def tiles_of(files: List[Path]) -> List[Image.Image]:
    """Pictures on white, all of one scale."""
    pictures = [on_white(file) for file in files]
    share = max(extent_of(pictures))
    return [tile(picture, share, share, TILE) for picture in pictures]


def tiles(tools: Tools, data: Path, name: str) -> List[Image.Image]:
    """Photograph and mesh of two cameras."""
    category, model, _ = name.split("_")
    photographs = data / category / model / "rendering"
    rows = (photographs / "rendering_metadata.txt").read_text().splitlines()
    views = (0, opposite(rows))
    meshes = drawn(tools, mesh_of(tools, name), [rows[view] for view in views], tools.out / "pictures")
    return tiles_of([file for view, mesh in zip(views, meshes) for file in (photographs / f"{view:02d}.png", mesh)])


def shown(found: Dict[str, float], each: int) -> Dict[str, List[str]]:
    """By title, names: the worst, and of the others those nearest to the median."""
    ranked = sorted(found, key=found.get)
    worst, others = ranked[:each], ranked[each:]
    first = max(0, min(len(ranked) // 2 - each // 2 - each, len(others) - each))
    return {"worst": worst, "median": others[first:first + each]}


def sheet_of(found: Dict[str, float], each: int, tiles_by_name: Callable[[str], List[Image.Image]]) -> Image.Image:
    """The worst and the median objects of `found`, F1@tau by name."""
    rows = [(title, names[i:i + IN_A_ROW]) for title, names in shown(found, each).items() for i in range(0, len(names), IN_A_ROW)]
    drawings = [[tiles_by_name(name) for name in names] for _, names in rows]
    width, height = len(drawings[0][0]) * TILE + GAP, TILE + WORDS
    sheet = Image.new("RGB", (IN_A_ROW * width, len(rows) * height), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(11)
    for down, ((title, names), row) in enumerate(zip(rows, drawings)):
        for across, (name, pictures) in enumerate(zip(names, row)):
            for place, picture in enumerate(pictures):
                sheet.paste(picture, (across * width + place * TILE, down * height))
            draw.text((across * width + (width - GAP) // 2, (down + 1) * height - WORDS // 2),
                      f"{title}: {name.split('_')[1]}, {found[name]:.1f}", "black", font, "mm")
    return sheet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="of surface.py")
    parser.add_argument("--each", type=int, default=8, metavar="N", help="worst and median objects (default 8)")
    parser.add_argument("picture", type=Path, help="PNG to write")
    add_tool_options(parser)
    options = parser.parse_args()
    tools = tools_of(options)
    data = tools.out / "data"
    found = {name: scores(tools, mesh_of(tools, name), data / f"{name}_ground.xyz")["f1_tau"] for name in names_in(data)}
    sheet = sheet_of(found, options.each, lambda name: tiles(tools, data, name))
    sheet.quantize(COLORS).save(options.picture, optimize=True)


if __name__ == "__main__":
    main()
