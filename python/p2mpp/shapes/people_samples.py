"""Sample folders, as data/ has them, of objects that people made: those held back from training.
The library's licence lies beside them, a model's own in its folder where it has one."""

from pathlib import Path

import numpy as np
from PIL import Image

from . import studio
from .camera import View
from .errors import DataError
from .ground_truth import in_camera_frame, xyz_text
from .people_made import HELD_BACK, Item, items_in, read_item
from .records import fits
from .studio import Camera, Studio
from .visible_surface import sample_visible
from .viewpoints import DISTANCES, ELEVATIONS

LIBRARY = "BlendSwap-CC-0"
ROWS, PICTURES, POINTS = 8, (0, 6, 7), 3000
SYNSETS = {
    "bottle": "02876657",
    "cabinet": "02933112",
    "chair": "03001627",
    "monitor": "03211117",
    "lamp": "03636649",
    "sofa": "04256520",
    "table": "04379243",
    "other": "00000000",
}
LICENCE = "BLENDSWAP_LICENSE.txt"


def draw_rows(rng, vertices) -> list:
    """Views as rendering_metadata.txt holds them: what is rendered is exactly what is written."""
    views = []
    while len(views) < ROWS:
        low, high = zip(ELEVATIONS, DISTANCES)
        azimuth, (elevation, distance) = rng.uniform(0, 360), rng.uniform(low, high)
        view = View(round(azimuth, 6), round(elevation, 6), round(distance, 8))
        if fits(Camera(view.azimuth, view.elevation, view.distance), vertices):
            views.append(view)
    return views


def write_sample(out: Path, item: Item, seed: int) -> str:
    """One object's folder, truth and licence; its line of the list."""
    rng = np.random.default_rng([seed, *item.key.encode()])
    body = read_item(item)
    spread = studio.shadow_maps(body, studio.spread_directions(studio.DIRECTIONS))
    room = Studio(body, studio.draw_lighting(rng), spread)
    truth = sample_visible(body, spread, POINTS, rng)
    if truth is None:
        raise DataError(f"{item.file}: no surface can be seen; expected a body")
    views = draw_rows(rng, body.vertices)
    category, model = SYNSETS[item.category], item.key.replace("_", "-")
    folder = out / category / model / "rendering"
    folder.mkdir(parents=True, exist_ok=True)
    for number in PICTURES:
        view = views[number]
        picture, _ = room.picture(Camera(view.azimuth, view.elevation, view.distance))
        Image.fromarray(picture).save(folder / f"{number:02d}.png", optimize=True)
    (folder / "rendering_metadata.txt").write_text("".join(view.row() + "\n" for view in views))
    text = xyz_text(in_camera_frame(views[0], *truth))
    (out / f"{category}_{model}_00_ground.xyz").write_text(text)
    own_licence = item.file.parent / LICENCE
    if own_licence.is_file():
        copy_text(own_licence, folder.parent / LICENCE)
    return f"{category}_{model}_00.dat"


def copy_text(source: Path, target: Path) -> None:
    lines = source.read_text(encoding="latin-1").splitlines()
    target.write_text("\n".join(line.rstrip() for line in lines).rstrip() + "\n")


def write_samples(libraries: Path, out: Path, seed: int) -> int:
    """All that are held back from training; returns how many. Throws DataError."""
    items = [item for item in items_in(libraries / LIBRARY) if item.key in HELD_BACK]
    lines = sorted(write_sample(Path(out), item, seed) for item in items)
    copy_text(libraries / LIBRARY / "LICENSE.TXT", Path(out) / "LICENSE.txt")
    (Path(out) / "test_list.txt").write_text("".join(line + "\n" for line in lines))
    return len(lines)
