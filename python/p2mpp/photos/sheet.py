"""Sheets of small pictures: all photographs, all masks at a glance."""

from pathlib import Path
from typing import List, Optional, Tuple

import cv2
import numpy as np
from PIL import Image

from p2mpp.photos.pictures import read_picture

TILE = 180  # pixels of the longer side
ACROSS = 8
CAPTION = 16
RED = (40, 40, 220)
DIMMED = 0.25


def tile(path: Path, caption: str, mask: Optional[np.ndarray] = None, bad: bool = False) -> np.ndarray:
    """[TILE+CAPTION, TILE, 3]. mask [H,W] bool, of the photograph's shape: what is outside is dimmed. bad: a red frame."""
    drawn = np.full((TILE + CAPTION, TILE, 3), 255, np.uint8)
    image = read_picture(path)
    if image is not None:
        scale = TILE / max(image.shape[:2])
        size = tuple(np.maximum(1, np.rint(scale * np.array(image.shape[1::-1]))).astype(int))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        if mask is not None:
            inside = cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA)[..., None]
            small = (small * (DIMMED + (1 - DIMMED) * inside)).astype(np.uint8)
        top, left = (TILE - size[1]) // 2, (TILE - size[0]) // 2
        drawn[top:top + size[1], left:left + size[0]] = small
    if bad:
        cv2.rectangle(drawn, (0, 0), (TILE - 1, TILE - 1), RED, 3)
    cv2.putText(drawn, caption[:28], (2, TILE + 12), cv2.FONT_HERSHEY_SIMPLEX, 0.36, RED if bad else (0, 0, 0), 1, cv2.LINE_AA)
    return drawn


def write_sheet(tiles: List[np.ndarray], path: Path) -> None:
    """A JPEG with ACROSS tiles a row."""
    if not tiles:
        return
    across = min(ACROSS, len(tiles))
    tiles = tiles + [np.full_like(tiles[0], 255)] * (-len(tiles) % across)
    rows = [np.hstack(tiles[k:k + across]) for k in range(0, len(tiles), across)]
    _, data = cv2.imencode(".jpg", np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, 88])
    path.write_bytes(data.tobytes())


def size_of(path: Path) -> Tuple[int, int]:
    """(width, height) in pixels, without decoding."""
    with Image.open(path) as image:
        return image.size
