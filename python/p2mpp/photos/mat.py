"""The mat: a ring of AprilTag 36h11 markers around a free centre, on which the object stands. Lengths are in millimetres, in the
mat's frame: the origin is the ring's centre, x points right, y to the sheet's upper edge, z out of the paper."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Dict

import cv2
import numpy as np

MODULES = 8  # along a marker's side, its border included
MARGIN = 10.0  # that printers leave white
STRIP = 16.0  # along the lower edge, for the bar
BAR = 100.0
BAR_HEIGHT = 3.0


@dataclass(frozen=True)
class Paper:
    """across, down: markers along the short and the long edge. first: their first number, so that a photograph tells the paper."""

    name: str
    width: float
    height: float
    marker: float  # side
    across: int
    down: int
    first: int


PAPERS = {paper.name: paper for paper in (Paper("A4", 210.0, 297.0, 32.0, 4, 6, 0), Paper("A3", 297.0, 420.0, 45.0, 5, 7, 40),
                                          Paper("Letter", 215.9, 279.4, 32.0, 4, 6, 80))}


@dataclass(frozen=True)
class Mat:
    """corners: [4,3] of each marker by its number, clockwise from its upper left, as OpenCV detects them. free: half the width and
    half the height of the free centre. centre: of the ring, from the sheet's lower left corner."""

    paper: Paper
    corners: Dict[int, np.ndarray]
    free: np.ndarray
    centre: np.ndarray

    @property
    def size(self) -> float:
        """The ring's diagonal."""
        return float(np.linalg.norm(np.ptp(np.concatenate(list(self.corners.values())), axis=0)))


@lru_cache
def dictionary() -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)


@lru_cache
def mat_of(name: str) -> Mat:
    paper = PAPERS[name]
    ring = np.array([paper.width - 2 * MARGIN, paper.height - 2 * MARGIN - STRIP])
    half = (ring - paper.marker) / 2
    columns, rows = np.linspace(-half[0], half[0], paper.across), np.linspace(half[1], -half[1], paper.down)
    places = ([(x, rows[0]) for x in columns] + [(columns[-1], y) for y in rows[1:-1]] +
              [(x, rows[-1]) for x in columns[::-1]] + [(columns[0], y) for y in rows[-2:0:-1]])
    square = paper.marker / 2 * np.array([[-1, 1, 0], [1, 1, 0], [1, -1, 0], [-1, -1, 0]])
    corners = {paper.first + number: square + (x, y, 0) for number, (x, y) in enumerate(places)}
    return Mat(paper, corners, ring / 2 - paper.marker, np.array([paper.width / 2, MARGIN + STRIP + ring[1] / 2]))


def modules(number: int) -> np.ndarray:
    """[MODULES,MODULES] bool: the black squares of a marker, from its upper left."""
    return cv2.aruco.generateImageMarker(dictionary(), number, MODULES) == 0


def black(mat: Mat) -> np.ndarray:
    """[N,4]: rectangles (left, lower, width, height) from the sheet's lower left corner: the markers, as runs of modules in a row, and
    the bar, which comes last."""
    found = []
    for number, corners in mat.corners.items():
        upper_left, side = corners[0, :2] + mat.centre, mat.paper.marker / MODULES
        marks = modules(number)
        for row in range(MODULES):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], marks[row].astype(int), [0]])))
            for first, end in edges.reshape(-1, 2):
                found.append((upper_left[0] + first * side, upper_left[1] - (row + 1) * side, (end - first) * side, side))
    left, lower = mat.paper.width / 2 - BAR / 2, MARGIN
    return np.array([*found, (left, lower, BAR, BAR_HEIGHT)])


def words(mat: Mat) -> list:
    """Lines of text: (x, y of the baseline's beginning from the sheet's lower left corner, height, text)."""
    left = mat.paper.width / 2 - BAR / 2
    return [(left, MARGIN + BAR_HEIGHT + 4.6, 3.2, "Measure this bar: it should be 100 mm long. If not: --printed-bar"),
            (left, MARGIN + BAR_HEIGHT + 1.4, 2.6, f"p2mpp mat, {mat.paper.name}. Print at 100% (actual size) and keep it flat.")]
