"""The masks of a capture: those that are there, rembg's where it is installed, else our own (own_masks)."""

import importlib
import importlib.util
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import cv2
import numpy as np
from PIL import Image

from p2mpp.errors import first_line
from p2mpp.photos import model, saliency, sheet
from p2mpp.photos.crop import make_crop
from p2mpp.photos.doubts import HELD, listed
from p2mpp.photos.edges import whole_mask
from p2mpp.photos.hull import cells
from p2mpp.photos.own_masks import Cut, cut_all
from p2mpp.photos.pictures import read_picture
from p2mpp.photos.scene import Scene
from p2mpp.photos.seed import SMALLEST, Mat, Seed, find_seed
from p2mpp.photos.steps import StepError

FEWEST = 5  # masks
AGREE = 0.55  # IoU with the hull of all masks, of the median photograph
DOUBTFUL = 0.5  # of one photograph
MOVED = 0.2  # share of the photographs that see something else instead of the object
UNSEEN = 0.4  # share of the photographs that may see none of the object's points: a side without a pattern
FEW_POINTS = 5
MOST_POINTS = 2000  # of the object, that are remembered
SUFFIXES = (".png", ".jpg", ".jpeg")


def mask_of(folder: Path, name: str) -> Optional[Path]:
    """A photograph's mask by its name: NAME.png or NAME.jpg.png, as p2mpp finds it."""
    return _with_stem(folder, [Path(name).stem, name])


def _with_stem(folder: Path, stems: List[str]) -> Optional[Path]:
    paths = (folder / (stem + suffix) for stem in stems for suffix in SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def given_masks(folder: Path, names: List[str], sources: Dict[str, str]) -> Dict[str, Path]:
    """The masks of a user, by the photographs' names. sources: the names that the user's files have, where they differ."""
    stems = Counter(Path(source).stem for source in sources.values())
    found = {}
    for name in names:
        source = sources.get(name, name)
        alone = [Path(source).stem] if stems[Path(source).stem] < 2 else []
        mask = mask_of(folder, name) or _with_stem(folder, [*alone, source])
        if mask is not None:
            found[name] = mask
    return found


def own_masks(scene: Scene, images: Path, folder: Path, threads: int, progress: Callable[[str], None], look_at: Path,
              mat: Optional[Mat] = None) -> Dict:
    """Writes folder/STEM.png for each photograph that shows the object. Returns {"agreement": name to IoU, "without": names, "up": the
    ground's normal, None if no ground was found, "unseen": names of photographs that see none of the object's points, "elsewhere":
    of those, names of photographs that see something else stand on the ground, "held": name to the share of the object's points that
    lie in the mask, "ground": name to the share of the points in the mask that are not the object's, "points": some of the object's
    points, "model": the learned model's name or None}."""
    cv2.setNumThreads(threads)
    seed, maps = find_object(scene, images, progress, mat)
    if seed is None:
        raise StepError("masks", "no object stands where the photographs look: COLMAP found no cluster of points there; expected "
                        "an object with a pattern in the middle of every photograph, or a folder of masks (--masks FOLDER)",
                        look_at)
    progress(f"masks: {len(seed.members)} points of the object, " + ("on a ground" if seed.ground else "no ground found"))
    with ThreadPoolExecutor(threads) as pool:
        made = list(pool.map(lambda view: make_crop(view, seed, images / view.name), scene.views))
    crops = [crop for crop in made if crop is not None]
    if len(crops) < FEWEST:
        raise StepError("masks", f"the object is in {len(crops)} photographs only; expected at least {FEWEST}", look_at)
    cuts = cut_all(scene, seed, crops, maps, threads)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda each: _write(each, folder), [each for each in cuts if each.mask.any()]))
    named = {each.crop.view.name: round(each.agreement, 3) for each in cuts if each.mask.any()}
    few = [crop.view.name for crop in crops if count_seen(scene, crop.view.name, seed.members) < FEW_POINTS]
    unseen = few if has_points(seed) else []
    elsewhere = [name for name in unseen if count_seen(scene, name, seed.others) >= FEW_POINTS]
    held = {each.crop.view.name: round(held_share(scene, seed, each), 3) for each in cuts if each.crop.view.name not in few}
    ground = {each.crop.view.name: round(foreign_share(scene, seed, each), 3) for each in cuts if each.mask.any()}
    points = scene.points[seed.members[::max(1, len(seed.members) // MOST_POINTS)]]
    up = None if seed.ground is None else [round(float(each), 6) for each in seed.ground.normal]
    return {"agreement": named, "without": [view.name for view in scene.views if view.name not in named], "up": up,
            "unseen": unseen, "elsewhere": elsewhere, "held": held, "ground": ground, "points": np.round(points, 6).tolist(),
            "model": model.NAME if maps else None}


def _write(made: Cut, folder: Path) -> None:
    _, data = cv2.imencode(".png", whole_mask(made.crop, made.mask), [cv2.IMWRITE_PNG_COMPRESSION, 1])
    (folder / f"{Path(made.crop.view.name).stem}.png").write_bytes(data.tobytes())


def find_object(scene: Scene, images: Path, progress: Callable[[str], None],
                mat: Optional[Mat]) -> Tuple[Optional[Seed], Dict[str, np.ndarray]]:
    """(where the object is, saliency.maps_of()); without maps if the model's file is not there, or if too few points stand out."""
    path = model.model_file()
    if path is not None:
        maps = saliency.maps_of([view.name for view in scene.views], images, path, progress)
        seed = find_seed(scene, saliency.of_points(scene, maps), mat)
        if seed is not None:
            return seed, maps
    return find_seed(scene, mat=mat), {}


def has_points(seed: Seed) -> bool:
    """Whether photographs that see none of the object's points tell anything: one without a pattern has none."""
    return len(seed.members) >= SMALLEST


def held_share(scene: Scene, seed: Seed, made: Cut) -> float:
    """Of the object's points that a photograph sees, those in its mask."""
    seen = np.intersect1d(scene.seen[made.crop.view.name], seed.members)
    return _in_mask(made, scene.points[seen]) / max(1, len(seen))


def foreign_share(scene: Scene, seed: Seed, made: Cut) -> float:
    """Of the points in a mask that its photograph sees, those that are not the object's."""
    seen = scene.seen[made.crop.view.name]
    foreign = _in_mask(made, scene.points[np.setdiff1d(seen, seed.members)])
    return foreign / max(1, _in_mask(made, scene.points[seen]))


def _in_mask(made: Cut, points: np.ndarray) -> int:
    _, at = cells(made.crop, points)
    return int(made.mask[at[:, 1], at[:, 0]].sum())


def replaced(made: Path, given: Dict[str, Path], names: List[str], folder: Path) -> None:
    """Into the folder: each photograph's given mask or, if there is none, the one that was made."""
    for name in names:
        mask = given.get(name) or mask_of(made, name)
        if mask is not None:
            known = mask.stem in (name, Path(name).stem)
            # With its time, by which a second run knows it.
            shutil.copy2(mask, folder / (mask.name if known else name + mask.suffix))


def without(result: Dict, names: List[str]) -> Dict:
    """The result of own_masks() as if these photographs were not there."""
    return {**{key: {name: value for name, value in result[key].items() if name not in names} for key in ("agreement", "held", "ground")},
            **{key: [name for name in result[key] if name not in names] for key in ("unseen", "elsewhere")}}


def count_seen(scene: Scene, name: str, points: np.ndarray) -> int:
    return len(np.intersect1d(scene.seen[name], points))


def check_agreement(result: Dict, look_at: Path) -> List[str]:
    """Lines of doubt. Raises StepError if the photographs do not agree on an object."""
    values, unseen, elsewhere = list(result["agreement"].values()), result["unseen"], result["elsewhere"]
    if len(elsewhere) >= MOVED * len(values):
        raise StepError("masks", f"the object was moved, or there are several: {len(elsewhere)} of {len(values)} photographs "
                        f"({listed(elsewhere)}) show it at another place than the others; leave one part of them out", look_at)
    if len(values) < FEWEST or np.median(values) < AGREE:
        raise StepError("masks", f"the outlines of {len(values)} photographs do not agree on an object (IoU "
                        f"{np.median(values or [0]):.2f}, expected {AGREE} at least): its colours are those of the background, or it "
                        "was moved; expected another background, or a folder of masks (--masks FOLDER)", look_at)
    held = list(result["held"].values())
    doubtful = [name for name, value in result["agreement"].items() if value < DOUBTFUL]
    poor = [name for name, value in result["held"].items() if value < HELD and name not in doubtful]
    lines = []
    if held and np.median(held) < HELD:
        lines.append(f"masks: half an object: the masks hold {np.median(held):.0%} of its points in the median photograph, expected "
                     f"{HELD:.0%} at least; expected another background, or a folder of masks (--masks FOLDER); look at {look_at}")
    elif poor:
        lines.append(f"masks: {listed(poor)}: the mask misses many of the object's points; look at {look_at}")
    if doubtful:
        lines.append(f"masks: {listed(doubtful)}: the outline differs from what the other photographs say; look at {look_at}")
    if len(unseen) > UNSEEN * len(values):
        lines.append(f"masks: {len(unseen)} of {len(values)} photographs see none of the object's points: was it moved? Look at "
                     f"{look_at}")
    return lines


def write_alpha(images: Path, names: List[str], folder: Path) -> None:
    """folder/STEM.png of photographs that have transparency."""
    for name in names:
        with Image.open(images / name) as image:
            alpha = image.convert("RGBA").getchannel("A")
        alpha.point(lambda value: 255 if value >= 128 else 0).save(folder / f"{Path(name).stem}.png")


def has_rembg() -> bool:
    return importlib.util.find_spec("rembg") is not None


def rembg_masks(names: List[str], images: Path, folder: Path, progress: Callable[[str], None]) -> Optional[str]:
    """Writes folder/STEM.png by rembg. Returns why it could not: it loads its model from the network once."""
    try:
        rembg = importlib.import_module("rembg")  # of no extra: it downloads its model

        session = rembg.new_session()
        for number, name in enumerate(names, start=1):
            with Image.open(images / name) as image:
                mask = rembg.remove(image.convert("RGB"), session=session, only_mask=True)
            mask.point(lambda value: 255 if value >= 128 else 0).convert("L").save(folder / f"{Path(name).stem}.png")
            if number % 10 == 0 or number == len(names):
                progress(f"masks: rembg: {number} of {len(names)}")
    except Exception as error:  # noqa: BLE001: whatever rembg and its runtime raise, our own masks are there
        return first_line(error)
    return None


def write_sheet(images: Path, names: List[str], masks: Optional[Path], agreement: Dict[str, float], path: Path) -> None:
    """All photographs with what their masks leave."""
    tiles = []
    for name in names:
        found = None if masks is None else mask_of(masks, name)
        mask = None if found is None else read_picture(found, cv2.IMREAD_GRAYSCALE)
        size = sheet.size_of(images / name)[::-1]
        inside = np.zeros(size, bool) if mask is None or mask.shape != size else mask > 127
        value = agreement.get(name)
        caption = name if value is None else f"{name} {value:.2f}"
        tiles.append(sheet.tile(images / name, caption, inside if masks is not None else None,
                                bad=masks is not None and (not inside.any() or (value or 1) < DOUBTFUL)))
    sheet.write_sheet(tiles, path)


