"""The photographs: every format is read, the EXIF orientation is applied, and blurred and doubled ones are left out."""

import errno
import os
import re
import shutil
import warnings
from collections import ChainMap, Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import cv2
import numpy as np
from PIL import Image, ImageOps

from p2mpp.errors import first_line, how_to_install
from p2mpp.photos.output import listed_in
from p2mpp.photos.steps import StepError

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".heic", ".heif", ".tif", ".tiff"}
FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "TIFF")  # whatever the name says; for some others, Pillow runs programs
KEPT_AS_THEY_ARE = {("JPEG", "RGB"): ".jpg", ("JPEG", "L"): ".jpg", ("PNG", "RGB"): ".png", ("PNG", "RGBA"): ".png"}
ORIENTATION, EXIF_POINTER = 0x0112, 0x8769
MAKE, MODEL, LENS, FOCAL, FOCAL_35 = 0x010F, 0x0110, 0xA434, 0x920A, 0xA405
QUALITY = 95
LOOK_SIDE = 1024  # pixels, at which sharpness is measured
EDGES = 99.5  # percentile of the steepness
BLURRED = 0.45  # of the median sharpness
THUMBNAIL = 48  # pixels
DOUBLED = 1.5  # of 255: mean difference of thumbnails
FEWEST = 8  # photographs that are never left out for blur
AT_ONCE = 4  # photographs that the program reads at a time
LONGEST_STEM = 200  # bytes
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


@dataclass
class Photograph:
    """name: of the file in the step's folder. camera: what tells one device and lens from another."""

    name: str
    source: str
    width: int
    height: int
    camera: str
    alpha: bool
    sharpness: float
    thumbnail: np.ndarray = field(repr=False, default=None)

    def facts(self) -> Dict:
        return {name: value for name, value in asdict(self).items() if name != "thumbnail"}


def find_photographs(folder: Path) -> List[Path]:
    """Of the folder or, if it has none, of its images/, without what a run of the command wrote there. In the order of their names."""
    for place in (folder, folder / "images"):
        if place.is_dir():
            written = listed_in(place)
            found = sorted(path for path in place.iterdir() if path.suffix.lower() in SUFFIXES and not path.name.startswith(".")
                           and path.is_file() and path.name not in written)
            if found:
                return found
    return []


def plain(text: str) -> str:
    """Without what COLMAP's lists, or the encoding of JSON, do not carry."""
    return "".join("_" if each in " #" or not each.isprintable() else each for each in text)


def names_for(sources: List[Path], keep_order: bool) -> List[str]:
    """A stem for each file. Masks are found by stems, so two files may not share one. keep_order: of the program, which reads a
    turntable's photographs in it."""
    stems = [plain(path.stem).encode()[:LONGEST_STEM].decode(errors="ignore") for path in sources]
    of_sources, of_stems = Counter(path.stem for path in sources), Counter(stems)
    kept = {path.stem for path, stem in zip(sources, stems) if path.stem == stem and of_sources[stem] == 1}
    names: List[str] = []
    for path, stem in zip(sources, stems):
        if path.stem not in kept:
            base = stem if of_stems[stem] == 1 else f"{stem}_{plain(path.suffix[1:])}"
            stem = next(each for each in chain([base], (f"{base}_{k}" for k in count(2))) if each not in kept and each not in names)
        names.append(stem)
    in_order = sorted(range(len(names)), key=lambda k: natural(sources[k].name))
    if keep_order and in_order != sorted(range(len(names)), key=lambda k: natural(names[k] + sources[k].suffix)):
        places = {k: place for place, k in enumerate(in_order, start=1)}
        names = [f"{places[k]:04d}_{name}" for k, name in enumerate(names)]
    return names


def natural(name: str) -> tuple:
    """A key for the program's order of names: photograph2 before photograph10."""
    raw = os.fsencode(name)
    return [(0x30, int(part)) if part.isdigit() else (part[0], 0) for part in re.findall(rb"[0-9]+|[^0-9]", raw)], raw


def read_all(sources: List[Path], folder: Path, threads: int, keep_all: bool,
             refused: Callable[[List[Path]], Dict[str, str]]) -> Tuple[List[Photograph], Dict[str, str]]:
    """Writes the photographs into an empty folder. Returns those to use, and why others are left out: name to reason.
    keep_all: of a turntable, whose angles are counted. refused: Engine.refused()."""
    with warnings.catch_warnings(), ThreadPoolExecutor(threads) as pool:
        warnings.simplefilter("ignore")  # of damaged metadata
        read = list(pool.map(lambda each: _read(each[0], folder, each[1]), zip(sources, names_for(sources, keep_all))))
        paths = [folder / result.name for result in read if isinstance(result, Photograph)]
        damaged = ChainMap(*pool.map(refused, [paths[k:k + AT_ONCE] for k in range(0, len(paths), AT_ONCE)]))
    read = [f"cannot be read: {damaged[each.name]}" if isinstance(each, Photograph) and each.name in damaged else each for each in read]
    left_out = {source.name: result for source, result in zip(sources, read) if isinstance(result, str)}
    kept = [result for result in read if isinstance(result, Photograph)]
    if not keep_all:
        for photograph, reason in [*doubled(kept), *blurred(kept)]:
            left_out.setdefault(Path(photograph.source).name, reason)
        kept = [each for each in kept if Path(each.source).name not in left_out]
    names = {each.name for each in kept}
    for path in folder.iterdir():
        if path.name not in names:
            path.unlink()
    return kept, left_out


def _read(source: Path, folder: Path, stem: str):
    """A Photograph, or the reason why there is none."""
    try:
        formats = FORMATS
        if source.suffix.lower() in (".heic", ".heif"):
            _register_heif()
            formats = (*FORMATS, "HEIF")
        with Image.open(source, formats=formats) as image:
            kind, exif = (image.format, image.mode), image.getexif()
            image.load()
            upright = ImageOps.exif_transpose(image)
            suffix = KEPT_AS_THEY_ARE.get(kind)
            alpha = "A" in upright.getbands() and upright.getchannel("A").getextrema()[0] < 255
            if suffix and exif.get(ORIENTATION, 1) in (0, 1):
                name = stem + suffix
                shutil.copyfile(source, folder / name)
            else:
                name = _save(upright, exif, folder, stem, alpha)
            return _facts(name, source, upright, exif, alpha)
    except Exception as error:  # noqa: BLE001: Pillow raises many kinds for damaged files
        if isinstance(error, StepError) or isinstance(error, OSError) and error.errno in NO_SPACE:
            raise
        return f"cannot be read: {first_line(error)}"


def _register_heif() -> None:
    try:
        import pillow_heif
    except ModuleNotFoundError:
        raise StepError("photographs", f"HEIC photographs need pillow-heif; expected {how_to_install('photos')}") from None
    pillow_heif.register_heif_opener()


def _save(image: Image.Image, exif: Image.Exif, folder: Path, stem: str, alpha: bool) -> str:
    """Upright. The focal length stays in the EXIF data."""
    exif[ORIENTATION] = 1
    name = stem + (".png" if alpha else ".jpg")
    settings = {"compress_level": 1} if alpha else {"quality": QUALITY}
    image.convert("RGBA" if alpha else "RGB").save(folder / name, exif=exif.tobytes(), **settings)
    return name


def _facts(name: str, source: Path, image: Image.Image, exif: Image.Exif, alpha: bool) -> Photograph:
    more = exif.get_ifd(EXIF_POINTER)
    device = [exif.get(MAKE), exif.get(MODEL), more.get(LENS), more.get(FOCAL), more.get(FOCAL_35), image.size]
    small = image.convert("L")
    small.thumbnail((LOOK_SIDE, LOOK_SIDE))
    grey = np.asarray(small)
    thumbnail = cv2.resize(grey, (THUMBNAIL, THUMBNAIL), interpolation=cv2.INTER_AREA).astype(np.float32)
    return Photograph(name, str(source), *image.size, "|".join(str(each) for each in device), alpha, sharpness(grey), thumbnail)


def sharpness(grey: np.ndarray) -> float:
    """How steep the strongest edges of a picture [H,W] uint8 are, against the same edges after a blur of two pixels, minus 1:
    about 1.9 for steps, 0.3 for edges that are two pixels wide. It depends little on what is shown."""
    def steepness(sigma: float) -> np.ndarray:
        smooth = cv2.GaussianBlur(grey, (0, 0), sigma).astype(np.float32)
        return cv2.magnitude(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1))

    fine, coarse = steepness(0.7), steepness(2.0)
    strong = coarse >= np.percentile(coarse, EDGES)
    return float(np.median(fine[strong] / (coarse[strong] + 1e-3))) - 1


def blurred(photographs: List[Photograph]) -> List[Tuple[Photograph, str]]:
    """Far less sharp than the others; never so many that few remain."""
    if len(photographs) <= FEWEST:
        return []
    usual = float(np.median([each.sharpness for each in photographs]))
    found = sorted((each for each in photographs if each.sharpness < BLURRED * usual), key=lambda each: each.sharpness)
    return [(each, f"blurred: {each.sharpness / usual:.0%} of the usual sharpness")
            for each in found[:min(len(photographs) // 4, len(photographs) - FEWEST)]]


def doubled(photographs: List[Photograph]) -> List[Tuple[Photograph, str]]:
    """Shows the same as the photograph before."""
    found, before = [], None
    for each in photographs:
        if before is not None and np.abs(each.thumbnail - before.thumbnail).mean() < DOUBLED:
            found.append((each, f"shows the same as {Path(before.source).name}"))
        else:
            before = each
    return found


def free_space(folder: Path) -> Optional[int]:
    """Bytes; None if the system does not say."""
    try:
        facts = os.statvfs(folder)
    except OSError:
        return None
    return facts.f_bavail * facts.f_frsize
