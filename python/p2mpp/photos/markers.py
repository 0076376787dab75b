"""The mat's markers in photographs."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Tuple

import cv2
import numpy as np

from p2mpp.photos.mat import PAPERS, dictionary, mat_of
from p2mpp.photos.pictures import read_picture

CORRECTED = 0.2  # of the wrong bits that the code could correct: fewer false markers

# (number, corners [4,2] in pixels from the photograph's upper left corner), clockwise from the marker's upper left
Marker = Tuple[int, np.ndarray]


def markers_in(picture: np.ndarray) -> List[Marker]:
    """Of a grey picture [H,W] uint8. A number that is seen twice is there twice."""
    settings = cv2.aruco.DetectorParameters()
    settings.errorCorrectionRate = CORRECTED
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, numbers, _ = cv2.aruco.ArucoDetector(dictionary(), settings).detectMarkers(picture)
    ours = {number for name in PAPERS for number in mat_of(name).corners}
    # OpenCV's pixels are numbered from the centre of the first one.
    return [(int(number), np.asarray(each, float).reshape(4, 2) + 0.5)
            for number, each in zip([] if numbers is None else np.ravel(numbers), corners) if int(number) in ours]


def find_markers(images: Path, names: List[str], threads: int) -> Dict[str, List[Marker]]:
    """Of photographs, in their full size; those without any are left out."""
    def look(name: str) -> List[Marker]:
        picture = read_picture(images / name, cv2.IMREAD_GRAYSCALE)
        return [] if picture is None else markers_in(picture)

    with ThreadPoolExecutor(threads) as pool:
        return {name: found for name, found in zip(names, pool.map(look, names)) if found}


def to_json(found: Dict[str, List[Marker]]) -> Dict[str, list]:
    return {name: [[number, np.round(corners, 3).tolist()] for number, corners in markers] for name, markers in found.items()}


def from_json(found: Dict[str, list]) -> Dict[str, List[Marker]]:
    return {name: [(number, np.array(corners)) for number, corners in markers] for name, markers in found.items()}
