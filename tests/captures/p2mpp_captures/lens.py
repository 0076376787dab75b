"""Lenses: which pixel a direction falls on, and back. Written from OpenCV's pages on calibration and fisheyes."""

from dataclasses import dataclass
from typing import Tuple

import numpy as np

STEPS = 100  # of the inverse, at most
PRECISE = 1e-12  # in units of the focal length
DERIVATIVE_STEP = 1e-6


@dataclass(frozen=True)
class Lens:
    """A picture's size, focal lengths and principal point in pixels, and its distortion.

    kind "opencv": k = (k1, k2, p1, p2, k3, k4, k5, k6), the rational model; "fisheye": k = (k1, k2, k3, k4), the
    equidistant model. Missing coefficients are 0. "opencv" without any is a pinhole.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    kind: str = "opencv"
    k: Tuple[float, ...] = ()

    @property
    def pinhole(self) -> bool:
        return self.kind == "opencv" and not any(self.k)

    def coefficients(self, count: int) -> Tuple[float, ...]:
        """The first `count` of k. There may be no others."""
        assert not any(self.k[count:]), f"{self.k}: expected {count} coefficients"
        return (*self.k, *[0.0] * count)[:count]

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Where points [N,3] of the camera's frame, all in front of it, fall: [N,2] (column, row)."""
        return self._distorted(points[:, :2] / points[:, 2:]) * (self.fx, self.fy) + (self.cx, self.cy)

    def slopes(self, pixels: np.ndarray) -> np.ndarray:
        """(x / z, y / z) [N,2] of what is seen at pixels [N,2]; NaN where the model cannot be inverted."""
        wanted = (pixels - (self.cx, self.cy)) / (self.fx, self.fy)
        if self.pinhole:
            return wanted
        return self._slopes_of_fisheye(wanted) if self.kind == "fisheye" else self._slopes_by_newton(wanted)

    def _distorted(self, slopes: np.ndarray) -> np.ndarray:
        if self.pinhole:
            return slopes
        if self.kind == "fisheye":
            radius = np.linalg.norm(slopes, axis=1, keepdims=True)
            angle = np.arctan(radius)
            return slopes * np.where(radius > 1e-9, self._fisheye_radius(angle) / np.maximum(radius, 1e-9), 1)
        k1, k2, p1, p2, k3, k4, k5, k6 = self.coefficients(8)
        x, y = slopes.T
        r2 = x * x + y * y
        radial = (1 + k1 * r2 + k2 * r2**2 + k3 * r2**3) / (1 + k4 * r2 + k5 * r2**2 + k6 * r2**3)
        return np.stack([x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
                         y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y], axis=1)

    def _fisheye_radius(self, angle: np.ndarray) -> np.ndarray:
        return angle * (1 + sum(k * angle**(2 * n + 2) for n, k in enumerate(self.coefficients(4))))

    def _slopes_of_fisheye(self, wanted: np.ndarray) -> np.ndarray:
        """By a table of angles: the radius grows with the angle over all that a picture can show."""
        angles = np.linspace(0, np.radians(89), 200_001)
        radii = self._fisheye_radius(angles)
        fold = np.flatnonzero(np.diff(radii) <= 0)
        if len(fold):
            angles, radii = angles[:fold[0] + 1], radii[:fold[0] + 1]
        radius = np.linalg.norm(wanted, axis=1, keepdims=True)
        slope = np.tan(np.interp(radius, radii, angles, right=np.nan))
        return wanted * np.where(radius > 1e-9, slope / np.maximum(radius, 1e-9), 1)

    def _slopes_by_newton(self, wanted: np.ndarray) -> np.ndarray:
        found, open_ = wanted.copy(), np.arange(len(wanted))
        for _ in range(STEPS):
            at, error = found[open_], self._distorted(found[open_]) - wanted[open_]
            across = (self._distorted(at + (DERIVATIVE_STEP, 0)) - error - wanted[open_]) / DERIVATIVE_STEP
            down = (self._distorted(at + (0, DERIVATIVE_STEP)) - error - wanted[open_]) / DERIVATIVE_STEP
            area = across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0]
            found[open_] = at - np.stack([error[:, 0] * down[:, 1] - error[:, 1] * down[:, 0],
                                          error[:, 1] * across[:, 0] - error[:, 0] * across[:, 1]], 1) / area[:, None]
            open_ = open_[np.abs(error).max(1) > PRECISE]
            if len(open_) == 0:
                return found
        found[open_] = np.nan
        return found
