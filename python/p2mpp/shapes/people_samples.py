"""Sample folders, like those of data/, of objects that people made: those held back from training, and
those of a library. The libraries' licences are beside them. A model's own licence, if it has one, is in its
folder."""

from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np
from PIL import Image

from ..errors import InputError
from . import studio
from .camera import View
from .ground_truth import in_camera_frame, xyz_text
from .people_made import HELD_BACK, Item, items_in, items_of, looks_of, read_item
from .records import fits
from .studio import Camera, Studio
from .visible_surface import sample_visible
from .viewpoints import DISTANCES, ELEVATIONS

LIBRARY = "BlendSwap-CC-0"


class Extent(NamedTuple):
    """A sample's number of camera rows, the rows that are rendered, and the number of truth points."""

    rows: int = 8
    pictures: tuple = (0, 6, 7)
    points: int = 3000


SYNSETS = {
    "aeroplane": "02691156",
    "car": "02958343",
    "boat": "04530566",
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


def draw_rows(rng, vertices, count: int) -> list:
    """Random views, rounded as in rendering_metadata.txt, so that the file has the rendered values."""
    views = []
    while len(views) < count:
        low, high = zip(ELEVATIONS, DISTANCES)
        azimuth, (elevation, distance) = rng.uniform(0, 360), rng.uniform(low, high)
        view = View(round(azimuth, 6), round(elevation, 6), round(distance, 8))
        if fits(Camera(view.azimuth, view.elevation, view.distance), vertices):
            views.append(view)
    return views


def write_sample(out: Path, item: Item, seed: int, extent: Extent = Extent()) -> str:
    """Writes one object's folder, licence and truth. The truth comes last: if it exists, the sample
    is complete. Returns the line of the list."""
    category, model = SYNSETS[item.category], item.key.replace("_", "-")
    line, truth_file = f"{category}_{model}_00.dat", out / f"{category}_{model}_00_ground.xyz"
    if truth_file.exists():
        return line
    rng = np.random.default_rng([seed, *item.key.encode()])
    body = read_item(item)
    spread = studio.shadow_maps(body, studio.spread_directions(studio.DIRECTIONS))
    room = Studio(body, studio.draw_lighting(rng), spread)
    truth = sample_visible(body, spread, extent.points, rng)
    if truth is None:
        raise InputError(f"{item.file}: no surface can be seen; expected a body")
    views = draw_rows(rng, body.vertices, extent.rows)
    folder = out / category / model / "rendering"
    folder.mkdir(parents=True, exist_ok=True)
    for number in extent.pictures:
        view = views[number]
        picture, _ = room.picture(Camera(view.azimuth, view.elevation, view.distance))
        Image.fromarray(picture).save(folder / f"{number:02d}.png", optimize=True)
    (folder / "rendering_metadata.txt").write_text("".join(view.row() + "\n" for view in views))
    own_licence = item.file.parent / LICENCE
    if own_licence.is_file():
        copy_text(own_licence, folder.parent / LICENCE)
    truth_file.write_text(xyz_text(in_camera_frame(views[0], *truth)))
    return line


def copy_text(source: Path, target: Path) -> None:
    lines = source.read_text(encoding="latin-1").splitlines()
    target.write_text("\n".join(line.rstrip() for line in lines).rstrip() + "\n")


def write_held_back_samples(libraries: Path, out: Path, seed: int, extent: Extent = Extent()) -> int:
    """Writes the objects held back from training. Returns their number. Throws InputError."""
    items = [item for item in items_in(libraries / LIBRARY) if item.key in HELD_BACK]
    lines = sorted(write_sample(Path(out), item, seed, extent) for item in items)
    copy_text(libraries / LIBRARY / "LICENSE.TXT", Path(out) / "LICENSE.txt")
    return write_list(out, lines)


def write_library_samples(library: Path, out: Path, seed: int, extent: Extent, count: Optional[int],
                          outside: bool) -> int:
    """Writes `count` random objects (None: all) of a library, of the ten categories or of the others.
    Skips objects that are not bodies. Returns their number. Throws InputError."""
    usable = {item.key: item for item in items_of(library.parent, (library.name,))
              if (item.category == "other") == outside and looks_of(item)}
    order = np.random.default_rng(seed).permutation(sorted(usable))
    lines: list = []
    for key in order:
        if len(lines) == count:
            break
        try:
            lines.append(write_sample(Path(out), usable[key], seed, extent))
        except InputError:
            continue
    if not lines:
        raise InputError(f"{library}: no object {'outside' if outside else 'of'} the ten categories; expected one")
    copy_text(library / "LICENSE.TXT", Path(out) / f"LICENSE-{library.name}.txt")
    return write_list(out, sorted(lines))


def write_list(out: Path, lines: list) -> int:
    (Path(out) / "test_list.txt").write_text("".join(line + "\n" for line in lines))
    return len(lines)
