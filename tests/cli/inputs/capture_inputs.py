"""Small captures as tests/captures writes them, the same damaged in one way each, and samples whose images or cameras are
wrong in ways that no file format shows."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Callable

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "captures"))

SHAPE = "03001627_p2mpp0001"
VIEWS = 6
SEED = 3
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"


def write_captures(captures: Path) -> None:
    from p2mpp_captures import turntable
    from p2mpp_captures.capture import CaptureOptions, draw_capture, write_capture, write_truth
    from p2mpp_captures.rig import RigOptions
    from p2mpp_captures.shapes import subject

    chair = subject(SHAPE)
    small = RigOptions(width=200, height=150, views=VIEWS)
    z_up = replace(small, upright_z=True)
    kinds = {
        "colmap_bin": CaptureOptions("colmap_bin", rig=small),
        "colmap_txt": CaptureOptions("colmap_txt", background="color", rig=small),
        "colmap_busy": CaptureOptions("colmap_bin", background="busy", rig=small),
        "nerf_synthetic": CaptureOptions("nerf_synthetic", rig=replace(z_up, width=160, height=160, centered=True)),
        "instant_ngp": CaptureOptions("instant_ngp", background="color", rig=z_up),
        "nerfstudio": CaptureOptions("nerfstudio", background="busy", suffix="jpg", rig=replace(z_up, lens_a_view=True)),
    }
    for name, options in kinds.items():
        capture = draw_capture(chair, options, SEED)
        (captures / name).mkdir(parents=True)
        write_capture(capture, options, captures / name, SEED)
        write_truth(capture, captures / name)
    turntable.write(chair, captures / "turntable", VIEWS, 25.0, width=120, height=160)
    np.savetxt(captures / "shapenet.xyz", chair.truth / 0.57, fmt="%.9g")  # the world, as ShapeNet has it


def damage_captures(captures: Path) -> None:
    def damage(kind: str, name: str, change: Callable[[Path], object]) -> None:
        shutil.copytree(captures / kind, captures / name)
        change(captures / name)

    def cut(path: Path, size: int) -> None:
        path.write_bytes(path.read_bytes()[:size])

    def rename_photograph(folder: Path) -> None:
        (folder / "images" / "IMG_0002.png").write_bytes(HEIC)

    damage("colmap_bin", "no-photographs", lambda folder: shutil.rmtree(folder / "images"))
    damage("colmap_bin", "heic", rename_photograph)
    damage("instant_ngp", "cut-json", lambda folder: cut(folder / "transforms.json", 300))


def silent_failures(samples: Path) -> None:
    """Each is a bundled sample as somebody may give it, with nothing wrong in any file's format."""
    bundled = ROOT / "data" / Path(*SHAPE.split("_")) / "rendering"
    rows = (bundled / "rendering_metadata.txt").read_text().splitlines()
    # Three views, as photographs with cameras.txt.
    good = samples / "silent-nothing"
    good.mkdir(parents=True)
    for number, view in enumerate((0, 6, 7), start=1):
        shutil.copy(bundled / f"{view:02}.png", good / f"photo{number}.png")
    chosen = [rows[view].split() for view in (0, 6, 7)]

    def write_rows(folder: Path, changed) -> None:
        (folder / "cameras.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in changed))

    def sample(name: str, change: Callable[[Path], object]) -> None:
        shutil.copytree(good, samples / f"silent-{name}")
        change(samples / f"silent-{name}")

    def put_before_grey(folder: Path) -> None:
        for path in sorted(folder.glob("*.png")):
            picture = Image.open(path).convert("RGBA")
            Image.alpha_composite(Image.new("RGBA", picture.size, (128, 128, 128, 255)), picture).save(path)

    write_rows(good, chosen)
    sample("grey", put_before_grey)
    sample("mirrored", lambda folder: write_rows(folder, [[-float(row[0]), *row[1:]] for row in chosen]))
    sample("twice", lambda folder: shutil.copy(folder / "photo1.png", folder / "photo3.png"))
    sample("one-view", lambda folder: [Image.new("RGBA", (137, 137)).save(folder / f"photo{i}.png") for i in (1, 2)])


def make_captures(out: Path) -> None:
    write_captures(out / "captures")
    damage_captures(out / "captures")
    silent_failures(out / "samples")
