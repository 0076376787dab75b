"""Reads OBJ with MTL and textures, for the libraries of Sweet Home 3D."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from ..errors import InputError
from .scene import LARGEST_TEXTURE, NO_TEXTURE, Look

DEFAULT_COLOR = (0.8, 0.8, 0.8)
INVISIBLE = 0.05  # opacity up to which a surface is left out
AMBIENT_SHARE = 0.2  # of the ambient colour, which exporters set at will, that is added
DARKEST_TEXTURED = 0.6  # a texture's factor is at least this: exporters leave any colour there
CUTOUT = 0.5  # alpha below which a texture shows nothing
LARGEST_CUTOUT = 0.1  # share of such pixels from which on geometry is no longer what is seen
NO_INDEX = np.iinfo(np.int64).min


@dataclass
class Material:
    """The values of an MTL entry that are used."""

    color: tuple = DEFAULT_COLOR
    ambient: tuple = (0.0, 0.0, 0.0)
    specular: float = 0.0
    shininess: float = 20.0
    opacity: float = 1.0
    texture: str | None = None


@dataclass
class Mesh:
    """vertices [V,3]; triangles [T,3]; normals [T,3,3], NaN where the file has none; uv [T,3,2];
    material names and the index of each triangle's; cutout: whether a texture has holes."""

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    uv: np.ndarray
    material_ids: np.ndarray
    look: Look
    opacity: np.ndarray
    cutout: bool
    polygon_triangles: int  # that the file's polygons must give


def read_lines(file: Path):
    """Stripped lines without comments, continued ones joined."""
    pending = ""
    for line in file.read_text(encoding="latin-1").splitlines():
        line = pending + line.strip()
        pending = ""
        if line.endswith("\\"):
            pending = line[:-1] + " "
        elif line and not line.startswith("#"):
            yield line


def read_materials(file: Path) -> dict:
    """Materials by name; none if there is no file."""
    materials, current = {}, Material()
    if not file.is_file():
        return materials
    for line in read_lines(file):
        key, _, rest = line.partition(" ")
        rest = rest.strip()
        if key == "newmtl":
            current = materials.setdefault(rest, Material())
        elif key in ("Kd", "Ka", "Ks"):
            numbers = tuple(min(max(float(each), 0.0), 1.0) for each in rest.split()[:3])
            if key == "Kd":
                current.color = numbers
            elif key == "Ka":
                current.ambient = numbers
            else:
                current.specular = sum(numbers) / len(numbers)
        elif key == "Ns":
            current.shininess = min(max(float(rest.split()[0]), 2.0), 200.0)
        elif key == "d":
            current.opacity = float(rest.split()[-1])
        elif key == "map_Kd":
            current.texture = without_options(rest)
    return materials


def without_options(text: str) -> str:
    """The file's name after options such as -s 1 1 1."""
    parts = text.split()
    first = 0
    while first < len(parts) and parts[first].startswith("-"):
        first += 1
        while first < len(parts) - 1 and is_number(parts[first]):
            first += 1
    return " ".join(parts[first:])


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_texture(file: Path):
    """([H,W,3] float32, share of its pixels that are cut out); None if it cannot be read."""
    try:
        with Image.open(file) as picture:
            picture = picture.convert("RGBA")
            scale = LARGEST_TEXTURE / max(picture.size)
            if scale < 1:
                picture = picture.resize(
                    [max(1, round(scale * n)) for n in picture.size], Image.Resampling.BOX
                )
            pixels = np.asarray(picture, np.float32) / 255
    except (OSError, ValueError):
        return None
    return np.ascontiguousarray(pixels[..., :3]), float((pixels[..., 3] < CUTOUT).mean())


class Polygons:
    """The triangles of an OBJ's faces."""

    def __init__(self, positions: np.ndarray):
        self.positions = positions
        self.corners, self.materials = [], []
        self.expected = 0

    def add(self, polygon: list, material: int) -> None:
        self.expected += len(polygon) - 2
        for triangle in triangulated(polygon, self.positions):
            self.corners.append(triangle)
            self.materials.append(material)


def triangulated(polygon: list, positions: np.ndarray) -> list:
    """Triangles of a polygon of corners (vertex, uv, normal): a fan if it is convex, else by cutting
    off ears."""
    if len(polygon) == 3:
        return [polygon]
    places = positions[[corner[0] for corner in polygon]]
    following = np.roll(places, -1, 0)
    normal = np.cross(places - places[0], following - places[0]).sum(0)
    axis = int(np.argmax(np.abs(normal)))
    flat = np.delete(places, axis, 1) * ([1, 1] if normal[axis] * (-1) ** axis > 0 else [-1, 1])
    turns = turn(np.roll(flat, 1, 0), flat, np.roll(flat, -1, 0))
    if (turns >= -1e-12).all():
        return [[polygon[0], polygon[k], polygon[k + 1]] for k in range(1, len(polygon) - 1)]
    left, out = list(range(len(polygon))), []
    while len(left) > 3:
        ear = find_ear(left, flat)
        before, after = left[ear - 1], left[(ear + 1) % len(left)]
        out.append([polygon[before], polygon[left[ear]], polygon[after]])
        del left[ear]
    return out + [[polygon[k] for k in left]]


def turn(a, b, c):
    """Positive where the way a, b, c turns left."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - b[..., 1]) - (b[..., 1] - a[..., 1]) * (
        c[..., 0] - b[..., 0]
    )


def find_ear(left: list, flat: np.ndarray) -> int:
    """A corner whose triangle holds no other corner; the most convex one if there is none."""
    best, widest = 0, -np.inf
    for k in range(len(left)):
        a, b, c = (flat[left[(k + step) % len(left)]] for step in (-1, 0, 1))
        width = turn(a, b, c)
        if width > widest:
            best, widest = k, width
        if width <= 0:
            continue
        others = flat[[left[(k + step) % len(left)] for step in range(2, len(left) - 1)]]
        inside = (turn(a, b, others) > 0) & (turn(b, c, others) > 0) & (turn(c, a, others) > 0)
        if not inside.any():
            return k
    return best


def floats(lines: list, count: int) -> np.ndarray:
    """The first numbers of each line."""
    return np.array([line.split()[1 : count + 1] for line in lines], float).reshape(-1, count)


def read_obj(file: Path) -> Mesh:
    """Throws InputError if the file has no triangles or refers to a missing vertex."""
    kinds = {"v": [], "vt": [], "vn": []}
    events, libraries = [], []
    for line in read_lines(file):
        key = line.split(None, 1)[0]
        if key in kinds:
            kinds[key].append(line)
        elif key == "f":
            events.append((line, len(kinds["v"]), len(kinds["vt"]), len(kinds["vn"])))
        elif key == "usemtl":
            events.append(line)
        elif key == "mtllib":
            libraries.append(line.split(None, 1)[1])
    positions = floats(kinds["v"], 3)
    texture_places = floats(kinds["vt"], 2)
    normals = floats(kinds["vn"], 3)
    materials = {}
    for library in libraries:
        materials.update(read_materials(file.parent / library))
    names, polygons, current = [], Polygons(positions), 0
    for event in events:
        if isinstance(event, str):
            name = event.partition(" ")[2].strip()
            if name not in names:
                names.append(name)
            current = names.index(name)
            continue
        if not names:
            names.append("")
        polygon = [corner(each, event[1:]) for each in event[0].split()[1:]]
        if len(polygon) >= 3:
            polygons.add(polygon, current)
    if not polygons.corners:
        raise InputError(f"{file}: no faces; expected some")
    table = np.array(polygons.corners, np.int64)
    if table[..., 0].max() >= len(positions) or table[..., 0].min() < 0:
        raise InputError(f"{file}: a face names a vertex that is not there")
    return finished(
        file.parent,
        table,
        positions,
        texture_places,
        normals,
        [materials.get(name, Material()) for name in names],
        np.array(polygons.materials),
        polygons.expected,
    )


def corner(text: str, counts: tuple) -> tuple:
    """v/vt/vn, counted from 1 or back from the end -> indices, NO_INDEX where there is none."""
    parts = (text.split("/") + ["", ""])[:3]
    found = []
    for part, count in zip(parts, counts):
        number = int(part) if part else 0
        found.append(NO_INDEX if number == 0 else number - 1 if number > 0 else count + number)
    return tuple(found)


def finished(folder, table, positions, texture_places, normals, materials, ids, expected) -> Mesh:
    """The Mesh without unused vertices, triangles without area and invisible triangles."""
    uv = picked(texture_places, table[..., 1], 0.0)
    corner_normals = picked(normals, table[..., 2], np.nan)
    corners = positions[table[..., 0]]
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    opacity = np.array([material.opacity for material in materials])
    kept = (area > 0) & (opacity[ids] > INVISIBLE)
    if not kept.any():
        kept = area > 0
    used, triangles = np.unique(table[kept][..., 0], return_inverse=True)
    textures, indices, cutout = [], [], False
    for number, material in enumerate(materials):
        texture = read_texture(folder / material.texture) if material.texture else None
        indices.append(NO_TEXTURE if texture is None else len(textures))
        if texture is not None:
            textures.append(texture[0])
            cutout |= texture[1] > LARGEST_CUTOUT and bool((ids[kept] == number).any())
    look = Look(
        np.array([color_of(m, k != NO_TEXTURE) for m, k in zip(materials, indices)], np.float32),
        np.array([0.6 * material.specular for material in materials], np.float32),
        np.array([material.shininess for material in materials], np.float32),
        np.array(indices, np.int32),
        textures,
        [None] * len(materials),
    )
    return Mesh(
        positions[used],
        triangles.reshape(-1, 3).astype(np.int32),
        corner_normals[kept],
        uv[kept].astype(np.float32),
        ids[kept].astype(np.int32),
        look,
        opacity,
        cutout,
        expected,
    )


def picked(table: np.ndarray, indices: np.ndarray, missing: float) -> np.ndarray:
    """Rows of a table; `missing` where an index names none."""
    out = np.full((*indices.shape, table.shape[1]), missing)
    there = (indices >= 0) & (indices < len(table))
    out[there] = table[indices[there]]
    return out


def color_of(material: Material, textured: bool) -> list:
    if textured:
        return [max(each, DARKEST_TEXTURED) for each in material.color]
    return [
        min(1.0, color + AMBIENT_SHARE * ambient * (1 - color))
        for color, ambient in zip(material.color, material.ambient)
    ]
