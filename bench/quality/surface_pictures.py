"""A picture of the surfaces that surface.py made, the objects with the least F1@tau and those around the median: each as two
photographs of it show it, beside the volume's mesh from the same cameras, which `p2mpp render` draws."""

import argparse
import subprocess
from pathlib import Path
from typing import Dict, List

from PIL import Image, ImageDraw, ImageFont

from pictures import extent_of, on_white, tile
from shared import Tools, add_tool_options, names_in, tools_of
from surface import scores

TILE, WORDS, IN_A_ROW = 112, 14, 2  # pixels; pixels below an object; objects
GAP = 12  # pixels between objects
COLORS = 64


def mesh_of(tools: Tools, name: str) -> Path:
    return tools.out / "24 views" / "volume" / f"{name.split('_')[1]}_predict.obj"


def opposite(rows: List[str]) -> int:
    """The camera that sees most of the side that the first one does not see."""
    azimuths = [float(row.split()[0]) for row in rows]
    return min(range(len(rows)), key=lambda i: abs((azimuths[i] - azimuths[0]) % 360 - 180))


def tiles(tools: Tools, data: Path, name: str) -> List[Image.Image]:
    """Photograph and mesh of two cameras, all of one scale."""
    category, model, _ = name.split("_")
    photographs = data / category / model / "rendering"
    rows = (photographs / "rendering_metadata.txt").read_text().splitlines()
    views = (0, opposite(rows))
    out = tools.out / "pictures"
    out.mkdir(exist_ok=True)
    cameras = out / f"{model}.txt"
    cameras.write_text("".join(f"{rows[view]}\n" for view in views))
    subprocess.run([tools.program, "render", mesh_of(tools, name), "--cameras", cameras, "--size", str(4 * TILE), "--samples",
                    "16", "--no-ground", "--frame", "camera0", "--out", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    files = []
    for number, view in enumerate(views, 1):
        files += [photographs / f"{view:02d}.png", out / f"{model}_predict_view{number}.png"]
    pictures = [on_white(file) for file in files]
    share = max(extent_of(pictures))
    return [tile(picture, share, share, TILE) for picture in pictures]


def shown(found: Dict[str, float], each: int) -> Dict[str, List[str]]:
    """By title, names: the worst, and of the others those nearest to the median."""
    ranked = sorted(found, key=found.get)
    worst, others = ranked[:each], ranked[each:]
    first = max(0, min(len(ranked) // 2 - each // 2 - each, len(others) - each))
    return {"worst": worst, "median": others[first:first + each]}


def sheet_of(tools: Tools, data: Path, found: Dict[str, float], groups: Dict[str, List[str]]) -> Image.Image:
    width, height = 4 * TILE + GAP, TILE + WORDS
    rows = [(title, names[i:i + IN_A_ROW]) for title, names in groups.items() for i in range(0, len(names), IN_A_ROW)]
    sheet = Image.new("RGB", (IN_A_ROW * width, len(rows) * height), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(11)
    for down, (title, names) in enumerate(rows):
        for across, name in enumerate(names):
            for place, each in enumerate(tiles(tools, data, name)):
                sheet.paste(each, (across * width + place * TILE, down * height))
            draw.text((across * width + 2 * TILE, (down + 1) * height - WORDS // 2),
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
    sheet = sheet_of(tools, data, found, shown(found, options.each))
    sheet.quantize(COLORS).save(options.picture, optimize=True)


if __name__ == "__main__":
    main()
