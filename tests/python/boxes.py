"""Boxes for the tests of shapes and of training: as files of a library, and as a scene."""

from pathlib import Path

import numpy as np
from PIL import Image

from p2mpp.shapes import scene

BOX = """\
mtllib box.mtl
v -1 -2 -3
v 1 -2 -3
v 1 2 -3
v -1 2 -3
v -1 -2 3
v 1 -2 3
v 1 2 3
v -1 2 3
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl painted with spaces
f 4 3 2 1
f -4 -3 -2 -1
f 1 2 6 5
f 3 4 8 7
usemtl picture
f 2/1 3/2 7/3 6/4
f 5/1 8/2 \\
 4/3 1/4
"""
MATERIALS = """\
newmtl painted with spaces
Kd 0.25 0.5 0.75
Ka 1 1 1
newmtl picture
Kd 0 0 0
map_Kd -s 1 1 1 two colours.png
"""
CATALOGUE = """\
id#1=x
name#1=Fold\\u0069ng chair
model#1=/things/box/box.obj
width#1=40
depth#1=20
height#1=60
creator#1=Somebody
modelRotation#1=0 0 1 0 1 0 -1 0 0
name#2=Lamp
model#2=/things/box/box.obj
width#2=1
depth#2=1
height#2=1
creator#2=Sizzler
"""


def write_box(root: Path) -> Path:
    """A library of one box, a side of which is half red and half green; its file."""
    folder = root / "Library" / "things" / "box"
    folder.mkdir(parents=True)
    (folder / "box.obj").write_text(BOX)
    (folder / "box.mtl").write_text(MATERIALS)
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[:, :4], pixels[:, 4:] = (255, 0, 0), (0, 255, 0)
    Image.fromarray(pixels).save(folder / "two colours.png")
    (root / "Library" / "PluginFurnitureCatalog.properties").write_text(CATALOGUE)
    return folder / "box.obj"


def box_scene(low, high, *others) -> scene.Scene:
    """An axis-aligned box, as it is, and other ones (low, high)."""
    places = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    vertices = np.concatenate([low + places * np.subtract(high, low) for low, high in ((low, high), *others)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([(first + a, first + b, first + c) for first in range(0, len(vertices), 8) for p, q, r, s in quads
                          for a, b, c in ((p, q, r), (p, r, s))], np.int32)
    look = scene.Look(np.full((1, 3), 0.6, np.float32), np.zeros(1, np.float32),
                      np.ones(1, np.float32), np.full(1, -1, np.int32), [], [None])
    return scene.Scene(vertices, triangles, scene.crease_normals(vertices, triangles),
                       np.zeros((len(triangles), 3, 2), np.float32), np.zeros(len(triangles), np.int32), look)
