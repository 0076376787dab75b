"""Changes of pictures that keep the shape: colours, contrast, patterns, background, soft and noisy
masks, blur, noise, JPEG. Pictures are uint8 [H,W,4]: RGBA with straight alpha in, BGR and mask out."""

import io
import math
from typing import Dict, NamedTuple

import numpy as np
from numba import njit
from PIL import Image

from .images import composite_on_white, not_white

WHITE = 255.0
SMALL_SIDE = 137  # of the published pictures, which are enlarged before the network sees them

# Shares of the draws.
PLAIN = 0.35  # colours as they are
WHITE_BACKGROUND = 0.5
GREY_BACKGROUND = 0.35
MASKS = {"own": 0.56, "hard": 0.16, "soft": 0.1, "wide": 0.06, "narrow": 0.06, "not white": 0.06}
ENLARGED, BLURRED = 0.25, 0.1
NOISY, JPEG = 0.15, 0.08
PATTERNED = 0.25
PATTERN_SIZES = 4.0, 40.0  # pixels of a square, a stripe or a blotch
DARK, LIGHT = (0.25, 0.8), (0.8, 1.25)  # factors of a pattern


@njit(cache=True, nogil=True, fastmath=True)
def compose(rgba, mask, own, table, saturation, background, fill, out):
    """Recolours and composes. `table` [3,256]: what the channels (red, green, blue) become;
    background [3]; fill [3]: the colour behind the object where the mask (uint8 [H,W]) is not the
    picture's own alpha."""
    height, width = mask.shape
    color = np.empty(3, np.float32)
    for y in range(height):
        for x in range(width):
            m = mask[y, x] * (1.0 / 255.0)
            if m == 0.0:
                for k in range(3):
                    out[y, x, 2 - k] = np.uint8(background[k] + 0.5)
                out[y, x, 3] = 0
                continue
            grey = 0.0
            for k in range(3):
                color[k] = table[k, rgba[y, x, k]]
                grey += color[k]
            grey *= 1.0 / 3.0
            a = rgba[y, x, 3] * (1.0 / 255.0)
            for k in range(3):
                c = grey + saturation * (color[k] - grey)
                if not own:
                    c = c * a + fill[k] * (1.0 - a)
                c = c * m + background[k] * (1.0 - m)
                out[y, x, 2 - k] = np.uint8(min(max(c + 0.5, 0.0), 255.0))
            out[y, x, 3] = mask[y, x]


class Recolouring(NamedTuple):
    """A sample's recolouring; the exposure differs a little between its views."""

    order: np.ndarray
    gamma: float
    gain: np.ndarray
    contrast: float
    saturation: float
    exposures: np.ndarray

    def table(self, view: int) -> np.ndarray:
        values = np.linspace(0, 1, 256)
        found = []
        for k in range(3):
            each = self.gain[k] * self.exposures[view] * values ** self.gamma
            each = (each - 0.5) * self.contrast + 0.5
            found.append(255 * each)
        return np.clip(np.array(found), 0, 255).astype(np.float32)


def draw_recolouring(random, views: int) -> Recolouring:
    order = random.permutation(3)
    if random.random() < PLAIN:
        return Recolouring(order, 1.0, np.ones(3), 1.0, 1.0, np.ones(views))
    gain = random.uniform(0.6, 1.3) * (1 + random.uniform(-0.08, 0.08, 3))
    return Recolouring(order, float(np.exp(random.uniform(-0.4, 0.4))), gain,
                       random.uniform(0.6, 1.25), random.choice([1.0, random.uniform(0, 1.3)]),
                       1 + random.uniform(-0.08, 0.08, views))


def draw_background(random) -> np.ndarray:
    kind = random.random()
    if kind < WHITE_BACKGROUND:
        return np.full(3, WHITE, np.float32)
    if kind < WHITE_BACKGROUND + GREY_BACKGROUND:
        return np.full(3, random.uniform(0, 255), np.float32)
    return random.uniform(0, 255, 3).astype(np.float32)


def neighbours(mask: np.ndarray) -> np.ndarray:
    """[9,H,W]: each pixel and those around it."""
    wide = np.pad(mask, 1)
    height, width = mask.shape
    return np.stack([wide[y:y + height, x:x + width] for y in range(3) for x in range(3)])


def changed_mask(random, rgba: np.ndarray, kind: str, level: float) -> np.ndarray:
    alpha = rgba[..., 3]
    if kind == "hard":
        return np.where(alpha > level, 255, 0).astype(np.uint8)
    if kind == "wide":
        return neighbours(alpha).max(0)
    if kind == "narrow":
        return neighbours(alpha).min(0)
    if kind == "soft":
        return neighbours(neighbours(alpha).mean(0).astype(np.uint8)).mean(0).astype(np.uint8)
    return not_white(composite_on_white(rgba))


def resampled(rgba: np.ndarray, kind: str) -> np.ndarray:
    """Made smaller and enlarged again, or blurred, colours weighted by alpha."""
    side = rgba.shape[0]
    alpha = rgba[..., 3:].astype(np.float32) / 255
    weighted = np.concatenate([rgba[..., :3] * alpha, rgba[..., 3:]], -1)
    picture = Image.fromarray(np.rint(weighted).astype(np.uint8), "RGBA")
    if kind == "small":
        picture = picture.resize((SMALL_SIDE,) * 2, Image.Resampling.BOX)
        picture = picture.resize((side, side), Image.Resampling.BILINEAR)
    else:
        picture = picture.resize((side // 2,) * 2, Image.Resampling.BOX)
        picture = picture.resize((side, side), Image.Resampling.BILINEAR)
    found = np.asarray(picture, np.float32)
    color = found[..., :3] / np.maximum(found[..., 3:] / 255, 1e-3)
    return np.concatenate([np.clip(color, 0, 255), found[..., 3:]], -1).astype(np.uint8)


class Pattern(NamedTuple):
    """A pattern that is painted on an object; its position differs between views."""

    kind: str
    size: float  # pixels
    angle: float  # radians
    dark: float
    light: float

    def factors(self, random, side: int) -> np.ndarray:
        """Factors [side,side] on the colours of one view."""
        if self.kind == "blotches":
            cells = max(2, round(side / self.size))
            coarse = Image.fromarray((255 * random.random((cells, cells))).astype(np.uint8))
            share = np.asarray(coarse.resize((side, side), Image.Resampling.BILINEAR)) / 255
        else:
            y, x = np.indices((side, side)) / self.size
            across = x * math.cos(self.angle) + y * math.sin(self.angle) + random.random()
            along = y * math.cos(self.angle) - x * math.sin(self.angle) + random.random()
            squares = np.floor(across) + (np.floor(along) if self.kind == "checks" else 0)
            share = squares % 2
        return self.dark + (self.light - self.dark) * share


def draw_pattern(random) -> Pattern:
    size = np.exp(random.uniform(*np.log(PATTERN_SIZES)))
    return Pattern(random.choice(["checks", "stripes", "blotches"]), size,
                   random.uniform(0, np.pi), random.uniform(*DARK), random.uniform(*LIGHT))


def painted(random, rgba: np.ndarray, pattern: Pattern) -> np.ndarray:
    """A view with a pattern on everything that is not transparent."""
    colours = rgba[..., :3] * pattern.factors(random, rgba.shape[0])[..., None]
    return np.dstack([colours.clip(0, 255).astype(np.uint8), rgba[..., 3]])


def augmented(random, pictures: np.ndarray, masks: Dict[str, float] = MASKS) -> np.ndarray:
    """Views [V,H,W,4] of one sample -> BGR and mask [V,H,W,4]. `masks`: shares of their kinds."""
    if random.random() < PATTERNED:
        pattern = draw_pattern(random)
        pictures = np.stack([painted(random, rgba, pattern) for rgba in pictures])
    views = len(pictures)
    recolouring, background = draw_recolouring(random, views), draw_background(random)
    kind = random.choice(list(masks), p=list(masks.values()))
    level, size, spoilt = random.uniform(20, 235), random.random(), random.random()
    strength = random.uniform(2, 9)
    fill = random.uniform(0, 255, 3).astype(np.float32)
    out = np.empty_like(pictures)
    for view, rgba in enumerate(pictures):
        if size < ENLARGED + BLURRED:
            rgba = resampled(rgba, "small" if size < ENLARGED else "blurred")
        own = kind == "own"
        mask = rgba[..., 3] if own else changed_mask(random, rgba, kind, level)
        if kind == "not white":  # such pictures are opaque: what the mask leaves out is white
            background = fill = np.full(3, WHITE, np.float32)
        table = recolouring.table(view)[recolouring.order]
        order = np.ascontiguousarray(rgba)
        compose(order, np.ascontiguousarray(mask), own, table, recolouring.saturation, background,
                fill, out[view])
        out[view, ..., :3] = out[view][..., recolouring.order]
        if spoilt < NOISY:
            add_noise(random, out[view], strength)
        elif spoilt < NOISY + JPEG:
            compress(out[view], int(30 + 6 * strength))
    return out


def add_noise(random, picture: np.ndarray, strength: float) -> None:
    """Adds noise to the colours; `strength` is its standard deviation. The mask stays."""
    noise = random.standard_normal((picture.shape[0], picture.shape[1], 3), np.float32)
    picture[..., :3] = np.clip(picture[..., :3] + strength * noise, 0, 255)


def compress(picture: np.ndarray, quality: int) -> None:
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture[..., 2::-1])).save(stream, "JPEG", quality=quality)
    picture[..., 2::-1] = np.asarray(Image.open(stream))


def plain(pictures: np.ndarray, variant: str = "own") -> np.ndarray:
    """Views as the engine sees them, on white. Variants: "grey", all shading gone; "white", nearly
    white objects."""
    out = np.empty_like(pictures)
    values = np.arange(256, dtype=np.float32)
    table = {"own": values, "grey": np.full(256, 128, np.float32),
             "white": 255 - 0.12 * (255 - values)}[variant]
    white = np.full(3, WHITE, np.float32)
    for view, rgba in enumerate(pictures):
        rgba = np.ascontiguousarray(rgba)
        compose(rgba, np.ascontiguousarray(rgba[..., 3]), True, np.stack([table] * 3),
                0.0 if variant == "white" else 1.0, white, white, out[view])
    return out
