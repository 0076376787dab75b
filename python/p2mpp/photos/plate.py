"""What the ground looks like without the object: the median of all photographs, seen from above."""

from dataclasses import dataclass
from typing import List, Optional

import cv2
import numpy as np

from p2mpp.photos.crop import Crop
from p2mpp.photos.seed import Ground, Mat, Seed

SIDE = 448  # texels
REACH = 2.5  # of the box's size, from its centre
FEWEST = 3  # photographs that see a texel
MOST = 40  # photographs of which the median is taken
NOISE = 6.0  # of 255, in which a photograph and the ground may differ
LEAST_AROUND = 0.02  # of a crop, that tells its exposure
WINDOW = 0.045  # of the crop's longer side, in which patterns are compared
PATTERN = 12.0  # of 255: standard deviation of a pattern
KNOWN = 0.5  # share of a window in which the ground is known
PAPER, WHITE = 0.6, 75  # of its white's brightness: a shadow; percentile
GRAZING = 0.12  # sine of the lowest angle at which the ground is looked at


@dataclass(frozen=True)
class Plate:
    """colours [SIDE,SIDE,3] float32; spread [SIDE,SIDE]: how much photographs differ in them, NaN: unknown."""

    ground: Ground
    centre: np.ndarray
    reach: float
    colours: np.ndarray
    spread: np.ndarray

    def texels(self, points: np.ndarray) -> np.ndarray:
        """[N,2] of points on the ground."""
        along = (points - self.centre) @ self.ground.axes().T
        return ((along / self.reach + 1) * SIDE / 2 - 0.5).astype(np.float32)


def make_plate(seed: Seed, crops: List[Crop], masks: Optional[List[np.ndarray]] = None, paper: Optional[Mat] = None) -> Optional[Plate]:
    """masks: of the crops; what they hold is not ground. paper: the mat, in whose free centre only white is ground. None without a
    ground."""
    if seed.ground is None:
        return None
    ground = seed.ground
    centre = seed.centre - ground.height(seed.centre[None])[0] * ground.normal
    reach = REACH * np.linalg.norm((seed.high - seed.low)[:2]) / 2
    steps = (np.arange(SIDE) + 0.5) / SIDE * 2 - 1
    across, along = np.meshgrid(steps, steps)
    grid = centre + reach * np.column_stack([across.ravel(), along.ravel()]) @ ground.axes()
    chosen = np.unique(np.linspace(0, len(crops) - 1, min(len(crops), MOST)).astype(int))
    layers = np.stack([_seen_ground(crops[k], grid, ground, None if masks is None else masks[k]) for k in chosen])
    layers *= _gains(layers)[:, None, None, :]
    if paper is not None:
        _keep_paper(layers, (np.abs(grid[:, [0, 2]]) < paper.free).all(1).reshape(SIDE, SIDE))
    known = np.isfinite(layers[..., 0]).sum(0) >= FEWEST
    colours = np.full((SIDE, SIDE, 3), np.nan, np.float32)
    spread = np.full((SIDE, SIDE), np.nan, np.float32)
    colours[known] = _median(layers[:, known])
    spread[known] = _median(np.abs(layers[:, known] - colours[known]).max(-1))
    return Plate(ground, centre, reach, colours, spread)


def _keep_paper(layers: np.ndarray, inside: np.ndarray) -> None:
    """Layers [V,SIDE,SIDE,3] become NaN where they do not show the white of a mat's free centre, inside [SIDE,SIDE] bool: what stands
    there may hide a texel from most photographs."""
    brightness = np.where(inside, layers.mean(-1), np.nan)
    if np.isfinite(brightness).any():
        layers[brightness < PAPER * np.nanpercentile(brightness, WHITE)] = np.nan


def _seen_ground(crop: Crop, grid: np.ndarray, ground: Ground, mask: Optional[np.ndarray]) -> np.ndarray:
    """[SIDE,SIDE,3] float32, NaN where this photograph does not show the ground."""
    pixels = crop.pixels(grid).astype(np.float32).reshape(SIDE, SIDE, 2) - 0.5
    offset = np.float32([crop.left, crop.top])
    inside_whole = ((pixels + offset >= 0) & (pixels + offset <= np.array(crop.whole.shape[1::-1]) - 1)).all(-1)
    colours = cv2.remap(crop.whole, pixels[..., 0] + offset[0], pixels[..., 1] + offset[1], cv2.INTER_LINEAR,
                        borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    to_eye = crop.view.centre - grid
    hidden = ~inside_whole | ((to_eye @ ground.normal) / np.linalg.norm(to_eye, axis=1) < GRAZING).reshape(SIDE, SIDE)
    if mask is not None:
        wide = cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8))
        hidden |= cv2.remap(wide, pixels[..., 0], pixels[..., 1], cv2.INTER_NEAREST, borderValue=0) > 0
    colours[hidden] = np.nan
    return colours


def _gains(layers: np.ndarray) -> np.ndarray:
    """[V,3]: brings each photograph to the exposure of the median."""
    sparse = layers[:, ::8, ::8].reshape(len(layers), -1, 3)
    ratios = (_median(sparse) + 8) / (sparse + 8)
    gains = _median(ratios.transpose(1, 0, 2))
    return np.where(np.isfinite(gains), gains, 1).astype(np.float32)


def _median(layers: np.ndarray) -> np.ndarray:
    """Along the first axis, without NaN; NaN where there is nothing else."""
    ordered = np.sort(layers, axis=0)  # NaN comes last
    middle = np.maximum(np.isfinite(layers).sum(0) - 1, 0) // 2
    return np.take_along_axis(ordered, middle[None], axis=0)[0]


@dataclass(frozen=True)
class Behind:
    """What a crop shows where the ground is expected behind it: both [H,W,3] float32, blurred alike and of one exposure. known [H,W]
    bool: where the ground is known. spread [H,W]: Plate.spread there."""

    found: np.ndarray
    expected: np.ndarray
    known: np.ndarray
    spread: np.ndarray

    def difference(self) -> np.ndarray:
        """[H,W] float32: how far the crop is from the ground, in its noise; NaN where no ground is known."""
        off = np.abs(self.found - self.expected).max(-1)
        return np.where(self.known, off / (NOISE + 2 * self.spread), np.nan).astype(np.float32)

    def likeness(self) -> np.ndarray:
        """[H,W] float32: the correlation of the patterns in a window around each pixel, from -1 to 1; 0 where the ground has no pattern
        or is not known. An object in front of the ground may have its colour, but not its pattern at the same place."""
        side = 2 * round(WINDOW * max(self.known.shape) / 2) + 1

        def mean(each: np.ndarray) -> np.ndarray:
            return cv2.blur(each.astype(np.float32), (side, side))

        share = np.maximum(mean(self.known), 1e-3)
        a, b = (np.where(self.known, each.mean(-1), 0).astype(np.float32) for each in (self.found, self.expected))
        mean_a, mean_b = mean(a) / share, mean(b) / share
        spread_a, spread_b = mean(a * a) / share - mean_a**2, mean(b * b) / share - mean_b**2
        both = (mean(a * b) / share - mean_a * mean_b) / np.sqrt(np.maximum(spread_a, 1) * np.maximum(spread_b, 1))
        return np.where((share > KNOWN) & (spread_b > PATTERN**2) & self.known, both, 0).astype(np.float32)


def behind(plate: Plate, crop: Crop, hidden: np.ndarray) -> Behind:
    """hidden [H,W] bool: where the crop surely does not show the ground."""
    rays, eye = crop.rays(), crop.view.centre
    sink = rays @ plate.ground.normal
    with np.errstate(all="ignore"):
        reach = -plate.ground.height(eye[None])[0] / sink
        texels = plate.texels(eye + rays * reach[:, None]).reshape(*crop.shape, 2)
    texels[~(reach > 0).reshape(crop.shape)] = -10
    look = dict(interpolation=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=float("nan"))
    expected = cv2.remap(plate.colours, texels[..., 0], texels[..., 1], **{**look, "borderValue": (float("nan"),) * 3})
    spread = cv2.remap(plate.spread, texels[..., 0], texels[..., 1], **look)
    found = cv2.GaussianBlur(crop.colours.astype(np.float32), (0, 0), 1.0)
    known = np.isfinite(expected[..., 0]) & np.isfinite(spread)
    filled = cv2.GaussianBlur(np.where(known[..., None], expected, found), (0, 0), 1.0)
    around = known & ~hidden
    gain = np.median((filled[around] + 8) / (found[around] + 8), axis=0) if around.mean() > LEAST_AROUND else 1.0
    return Behind(found * gain, filled, known, spread)
