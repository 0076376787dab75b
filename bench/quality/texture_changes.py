"""Measures textures of bundled shapes, whose surface is known: how good they are by the number of photographs, and with
changes of exposure, noise and wrong poses. The shapes are painted, and lit by lamps that stand still, so that a place has
one colour from everywhere; a row has the generator's own paint, highlights and the lamp on its camera. The photographs
are drawn by tests/captures. Three more are drawn that no texture is made from; the texture is compared with them inside
their masks. Existing results are kept."""

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple

import numpy as np
import trimesh
from PIL import Image

from shared import ROOT, Tools, add_tool_options, table, tools_of

sys.path[:0] = [str(ROOT / "tests" / "captures")]

from p2mpp_captures.capture import Capture, CaptureOptions, draw_capture, write_cameras, write_pictures  # noqa: E402
from p2mpp_captures.photographs import textured  # noqa: E402
from p2mpp_captures.rig import RigOptions  # noqa: E402
from p2mpp_captures.shapes import Subject, subject  # noqa: E402

SHAPES = ("03001627_p2mpp0001", "02958343_p2mpp0001", "02876657_p2mpp0002")  # a chair, a car, a bottle
LEFT_OUT, SEED = 3, 11
KEYS = ("psnr", "psnr_balanced", "ssim")
SPOT = 0.12  # of the normalised world's unit: the largest spots of the paint; the smallest are an eighth, 10 pixels
EXPOSURE, NOISE, DEGREES = 0.5, 6.0, 0.3  # EV at most; standard deviation, of 255; of the poses


def exposed(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """sRGB in 0..1."""
    linear = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear * 2 ** rng.uniform(-EXPOSURE, EXPOSURE), 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def noisy(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return pixels + NOISE / 255 * rng.standard_normal(pixels.shape)


class Change(NamedTuple):
    title: str
    photographs: int = 24
    degrees: float = 0
    of_pixels: Callable = lambda pixels, rng: pixels
    is_painted: bool = True


CHANGES = (Change("6 photographs", 6), Change("12 photographs", 12), Change("24 photographs"), Change("48 photographs", 48),
           Change("24, exposures of -0.5 to +0.5 EV", of_pixels=exposed),
           Change("24, noise of 6/255", of_pixels=noisy), Change("24, poses off by 0.3 degrees", degrees=DEGREES),
           Change("24, with highlights that move", is_painted=False))


def spread_out(count: int) -> List[int]:
    """The photographs that are left out."""
    return [round((i + 0.5) * count / LEFT_OUT) for i in range(LEFT_OUT)]


def painted(name: str) -> Subject:
    """Nothing of its light moves with the camera."""
    plain = subject(name)
    return replace(textured(plain, SEED, SPOT), lights=replace(plain.lights, headlight=0.0))


def drawn(name: str, change: Change, out: Path) -> Path:
    """A capture, and mesh.ply in it: the true surface. The pictures are drawn once for each number of them."""
    count = change.photographs + LEFT_OUT
    options = CaptureOptions("colmap_bin", noise_degrees=change.degrees, rig=RigOptions(width=800, height=600, views=count))
    capture: Capture = draw_capture(painted(name) if change.is_painted else subject(name), options, SEED)
    pictures = out / "pictures" / f"{'painted' if change.is_painted else 'plain'}{count}" / name
    folder = out / change.title.replace(" ", "_").replace("/", "_") / name
    if (folder / "mesh.ply").exists():
        return folder
    if not (pictures / "done").exists():
        write_pictures(capture, options, pictures, SEED, 2)
        (pictures / "done").touch()
    shutil.copytree(pictures / "images", folder / "images", dirs_exist_ok=True)
    write_cameras(capture, options, folder, SEED)
    rng = np.random.default_rng(SEED)
    for number, file in enumerate(sorted((folder / "images").iterdir())):
        if number in spread_out(count):
            continue
        rgba = np.asarray(Image.open(file)).astype(float)
        rgba[..., :3] = np.rint(np.clip(255 * change.of_pixels(rgba[..., :3] / 255, rng), 0, 255))
        Image.fromarray(rgba.astype(np.uint8)).save(file, compress_level=1)
    shape = capture.subject.shape
    trimesh.Trimesh(capture.source_from_world.points(np.asarray(shape.vertices)), shape.triangles,
                    process=False).export(folder / "mesh.ply")
    return folder


def agreement(tools: Tools, folder: Path, count: int, texture: str) -> Dict:
    """The means over the photographs that were left out."""
    file = folder / f"{texture}.json"
    if not file.exists():
        done = subprocess.run([tools.program, "texture", folder / "mesh.ply", folder, "--json", "--quiet", "--texture", texture,
                               "--leave-out", ",".join(map(str, spread_out(count))), "--out", folder / f"{texture}.glb"],
                              check=True, capture_output=True, text=True)
        file.write_text(done.stdout)
    left_out = json.loads(file.read_text())["left_out"]
    return {key: float(np.mean([each[key] for each in left_out])) for key in KEYS}


def row(tools: Tools, change: Change) -> List[str]:
    found: Dict[str, List[Dict]] = {"auto": [], "vertex": []}
    for name in SHAPES:
        folder = drawn(name, change, tools.out)
        for texture, results in found.items():
            results.append(agreement(tools, folder, change.photographs + LEFT_OUT, texture))
    return [change.title, *(f"{np.mean([each[key] for each in found[texture]]):.{digits}f}" for texture in found
                            for key, digits in zip(KEYS, (1, 1, 3)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_tool_options(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for captures and results")
    tools = tools_of(parser.parse_args())
    columns = [f"{key}{kind}" for kind in ("", ", vertices") for key in ("dB", "at its exposure", "SSIM")]
    print(table(["", *columns], [row(tools, change) for change in CHANGES]))


if __name__ == "__main__":
    main()
