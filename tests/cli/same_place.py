#!/usr/bin/env python3
"""Says how far the similarity between a mesh in the world's frame and the same in the source's is from the truth.

usage: same_place.py WORLD.xyz SOURCE.xyz CAPTURE_truth.json
"""

import json
import sys

import numpy as np

world, source = (np.loadtxt(path)[:, :3] for path in sys.argv[1:3])
truth = json.load(open(sys.argv[3]))
up = np.array(truth["rotation"])[:, 1]

# Least squares, affine: [p 1] X = q.
solved = np.linalg.lstsq(np.column_stack([world, np.ones(len(world))]), source, rcond=None)[0]
linear, origin = solved[:3].T, solved[3]
scale = np.cbrt(np.linalg.det(linear))
assert np.abs(linear @ linear.T / scale**2 - np.eye(3)).max() < 1e-3, "no similarity"
moved = np.linalg.norm(origin - truth["translation"]) / (0.57 * truth["scale"])
tilt = np.degrees(np.arccos(np.clip(linear[:, 1] @ up / scale, -1, 1)))
print(f"size off {abs(scale / truth['scale'] - 1):.3f}, moved {moved:.3f} of the size, tilted {tilt:.2f} degrees")
sys.exit(int(abs(scale / truth["scale"] - 1) > 0.04 or moved > 0.04 or tilt > 5))
