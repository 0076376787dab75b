"""Measures how much a model depends on an object's look rather than on its shape: `p2mpp eval` on bundled
samples whose pictures are recoloured, or whose masks are spoilt. Existing results are kept. With
--floor, fails if a look costs more F1@tau than this value."""

import argparse
import json
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple

import numpy as np
from PIL import Image

from shared import (ROOT, Tools, add_options, copy_samples, each_category_in_turn, evaluate, names_in, results_of,
                    summary_of, table, tools_of, write_tables)

DATA = ROOT / "data"
OWN = "own"
CHECKER = 6  # pixels of a square
BEHIND = 170  # grey of what stands behind the object, where a mask shows more than it

# Pictures are float arrays [H,W,4], 0 to 255: RGBA with straight alpha.
Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def shade(picture: np.ndarray) -> np.ndarray:
    """[H,W,1]: the colours' mean."""
    return picture[..., :3].mean(-1, keepdims=True)


def recoloured(colours: Callable[[np.ndarray], np.ndarray]) -> Change:
    """colours(picture) -> [H,W,3] or [H,W,1], of the object; the mask stays."""

    def change(picture: np.ndarray, _) -> np.ndarray:
        found = picture.copy()
        found[..., :3] = colours(picture)
        return found

    return change


def checkered(picture: np.ndarray) -> np.ndarray:
    """Dark and light squares under the object's own shading."""
    row, column = np.indices(picture.shape[:2]) // CHECKER
    return np.where((row + column)[..., None] % 2 == 0, 0.35, 1.15) * shade(picture)


def on_white(picture: np.ndarray) -> np.ndarray:
    """Without transparency."""
    share = picture[..., 3:] / 255
    return np.dstack([picture[..., :3] * share + 255 * (1 - share), np.full(picture.shape[:2], 255.0)])


def without_mask(colours: Change) -> Change:
    return lambda picture, random: on_white(colours(picture, random))


def neighbours(mask: np.ndarray) -> np.ndarray:
    """[9,H,W]: each pixel and those around it."""
    wide = np.pad(mask, 1)
    height, width = mask.shape
    return np.stack([wide[y:y + height, x:x + width] for y in range(3) for x in range(3)])


def grown(mask: np.ndarray, pixels: int) -> np.ndarray:
    """Negative: eaten."""
    for _ in range(abs(pixels)):
        mask = neighbours(mask).max(0) if pixels > 0 else neighbours(mask).min(0)
    return mask


def noisy(pixels: int) -> Callable[[np.ndarray, np.random.Generator], np.ndarray]:
    """So many pixels around the rim are the object's or not at random."""
    return lambda mask, random: np.where(random.random(mask.shape) < 0.5, grown(mask, pixels), grown(mask, -pixels))


def masked(mask_of: Callable[[np.ndarray, np.random.Generator], np.ndarray]) -> Change:
    """mask_of(mask [H,W], random); where it is larger than the object, the picture shows what stands behind."""

    def change(picture: np.ndarray, random: np.random.Generator) -> np.ndarray:
        share = picture[..., 3:] / 255
        return np.dstack([picture[..., :3] * share + BEHIND * (1 - share), mask_of(picture[..., 3], random)])

    return change


def softened(mask: np.ndarray, _) -> np.ndarray:
    return neighbours(neighbours(mask).mean(0)).mean(0)


WHITE = recoloured(lambda picture: 255 - 0.12 * (255 - shade(picture)))
VARIANTS: Dict[str, Change] = {
    OWN: lambda picture, _: picture,
    "black": recoloured(lambda picture: 0.12 * picture[..., :3]),
    "white on white": WHITE,
    "pure white on white": recoloured(lambda picture: np.full_like(shade(picture), 255)),
    "mid-grey": recoloured(lambda picture: 128 + 0.4 * (shade(picture) - 128)),
    "flat mid-grey": recoloured(lambda picture: np.full_like(shade(picture), 128)),
    "near the background": recoloured(lambda picture: 225 + 0.2 * (picture[..., :3] - 128)),
    "transparent-looking": recoloured(lambda picture: 0.3 * picture[..., :3] + 0.7 * 255),
    "checkered": recoloured(checkered),
    "opaque picture": without_mask(lambda picture, _: picture),
    "opaque picture, white on white": without_mask(WHITE),
    "soft mask": masked(softened),
    "hard mask": masked(lambda mask, _: np.where(mask > 127, 255.0, 0.0)),
    "mask eaten by 1 pixel": masked(lambda mask, _: grown(mask, -1)),
    "mask eaten by 2 pixels": masked(lambda mask, _: grown(mask, -2)),
    "mask grown by 1 pixel": masked(lambda mask, _: grown(mask, 1)),
    "mask grown by 2 pixels": masked(lambda mask, _: grown(mask, 2)),
    "mask noisy by 1 pixel": masked(noisy(1)),
    "mask noisy by 2 pixels": masked(noisy(2)),
}
# Of what an object may look like, without shading that is lost or masks that are spoilt.
PATTERNS = ("checkered",)
LOOKS = ("black", "white on white", "pure white on white", "mid-grey", "near the background", "transparent-looking",
         *PATTERNS)
# Of masks that are as good as segmentation gives them.
USUAL_MASKS = ("soft mask", "hard mask", "mask noisy by 1 pixel")
# In an opaque picture nothing but the colours tells what is object: these are measured, and not held to the floor.
WITHOUT_FLOOR = ("opaque picture, white on white",)


class Score(NamedTuple):
    """The vertices' scores of a variant: means, and F1@tau of each shape, in per cent."""

    f1: float
    cd: float
    by_shape: Dict[str, float]


def write_changed(source: Path, target: Path, variant: str) -> None:
    """A picture's variant; the same for the same file's name."""
    with Image.open(source) as picture:
        rgba = np.asarray(picture.convert("RGBA"), np.float64)
    random = np.random.default_rng(zlib.crc32(f"{variant}/{'/'.join(source.parts[-4:])}".encode()))
    changed = VARIANTS[variant](rgba, random).clip(0, 255)
    Image.fromarray(np.rint(changed).astype(np.uint8), "RGBA").save(target)


def measured(tools: Tools, names: List[str], variant: str) -> Score:
    folder = tools.out / f"{variant.replace(' ', '-').replace(',', '')}-{len(names)}"
    copy_samples(DATA, folder / "samples", names, picture=partial(write_changed, variant=variant))
    run = evaluate(tools, folder / "samples", folder / "samples" / "test_list.txt", folder / "run", "--format", "xyz")
    found = summary_of(run)["metrics"]["vertices"]
    by_shape = {result["id"]: result["scores"]["vertices"]["f1_tau"] for result in results_of(run)}
    return Score(found["f1_tau"], found["chamfer_distance"], by_shape)


def all_measured(tools: Tools, names: List[str], variants: List[str]) -> Dict[str, Score]:
    file = tools.out / "scores.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    for variant in variants:
        if variant not in found or set(found[variant]["by_shape"]) != set(names):
            found[variant] = measured(tools, names, variant)._asdict()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(found, indent=2) + "\n")
        print(f"{variant}: F1@tau {found[variant]['f1']:.2f}", file=sys.stderr, flush=True)
    return {variant: Score(**found[variant]) for variant in variants}


def score_table(scores: Dict[str, Score]) -> str:
    own, rows = scores[OWN], []
    for variant, score in scores.items():
        worst = min(score.by_shape[name] - own.by_shape[name] for name in own.by_shape)
        beside = ["", ""] if variant == OWN else [f"{score.f1 - own.f1:+.2f}", f"{worst:+.2f}"]
        rows.append([variant, f"{score.f1:.2f}", *beside, f"{1000 * score.cd:.3f}"])
    return table([f"{len(own.by_shape)} shapes, vertices", "F1@tau", "beside their own look",
                  "worst shape", "CD x1000"], rows)


def parse(arguments) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="gets pictures, meshes and scores")
    parser.add_argument("--shapes", type=int, default=10, help="of data/test_list.txt, each category in turn")
    parser.add_argument("--variants", default=";".join(VARIANTS), help="separated by semicolons (default: all)")
    parser.add_argument("--floor", type=float, help="F1@tau that an appearance may cost; exit code 1 if one costs more")
    add_options(parser)
    options = parser.parse_args(arguments)
    options.variants = [OWN, *(name for name in options.variants.split(";") if name != OWN)]
    if unknown := [name for name in options.variants if name not in VARIANTS]:
        parser.error(f"argument --variants: no {unknown[0]!r}; expected some of {'; '.join(VARIANTS)}")
    return options


def main(arguments=None) -> int:
    options = parse(arguments)
    names = each_category_in_turn(names_in(DATA), options.shapes)
    try:
        scores = all_measured(tools_of(options), names, options.variants)
    except RuntimeError as error:
        sys.exit(f"recolour.py: error: {error}")
    text = score_table(scores)
    print(text)
    write_tables(options.document, "recoloured", text)
    if options.floor is None:
        return 0
    lost = {name: scores[OWN].f1 - score.f1 for name, score in scores.items() if name not in WITHOUT_FLOOR}
    worst = max(lost, key=lost.get)
    if lost[worst] <= options.floor:
        return 0
    print(f"recolour.py: {worst} costs {lost[worst]:.2f} points of F1@tau; expected at most {options.floor:g}",
          file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
