"""Objects that people made: the furniture libraries of the Debian package sweethome3d-furniture."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InputError
from .scene import Scene, crease_normals, normalised
from .wavefront import read_obj

TRAINED = ("Scopia", "Reallusion", "BlendSwap-CC-0")
VALIDATED = ("KatorLegaz",)
REPORTED = ("BlendSwap-CC-BY",)  # neither trained on nor tuned to
# Of BlendSwap-CC-0, for data/ and the tests: never trained on.
HELD_BACK = (
    "bookcase",
    "caffe_final",
    "couch2",
    "flacon",
    "foldingChair",
    "kitchenaid",
    "lamp2",
    "lbDesk",
    "led_tv",
    "refrigerator",
)
LEFT_OUT_CREATORS = ("Sizzler",)  # also in the library that is only reported
THINNEST = 0.004  # smallest side of the box over its diagonal; thinner objects are pictures
MOST_TRIANGLES = 200_000
MIN_AGREEMENT = 0.3  # cosine between a file's normal and its triangle's
CATEGORIES = (
    ("lamp", r"lamp|light|lantern|chandelier|candle"),
    ("monitor", r"\btv\b|television(?! cab)|imac|ibook|monitor|\bscreen$|tablet"),
    ("bottle", r"bottle|flacon|creamer|\bjar\b|vase|teapot|pot\b"),
    ("aeroplane", r"biplane|aeroplane|airplane"),
    ("boat", r"\bboat|\bship$"),
    (
        "car",
        r"\bcar$|sedan|\bsuv\b|\bbus\b|\bvan\b|truck|renault|peugeot|seat leon|chevrolet|beetle",
    ),
    ("sofa", r"sofa|couch|futon c"),
    ("chair", r"chair|stool|bench|wood bank|little bank"),
    ("table", r"table|\bdesk\b"),
    (
        "cabinet",
        r"cabinet|wardrobe|bookcase|shel|cupboard|fridge|freezer|refrigerator|locker|vanity|"
        r"drawers|trunck|chest",
    ),
)
# RARE: libraries have dozens of them that look alike, so each is used once. NEVER: not one solid body.
RARE = r"window|door|plug|switch|railing|pedestrian|parking|arrow|rail|pencil|plant|plate|frame"
NEVER = (
    r"tree|acacia|bamboo|palm|\bpine|beech|maple|cypress|poplar|hedge|\bbush|blossom|ficus|"
    r"parking|arrow|crossing|\bbill\b|swimming pool|carpet|doormat|newspaper"
)
NOT_ITS_CATEGORY = r"tennis|vegetable|pool table|football table|table fan|tablecloth|table lamp"


@dataclass(frozen=True)
class Item:
    """An entry of a catalogue: size in width, height, depth (cm), rotation [3,3] of the model."""

    library: str
    key: str
    name: str
    creator: str
    file: Path
    size: tuple
    rotation: tuple

    @property
    def category(self) -> str:
        return category_of(self.name)


def category_of(name: str) -> str:
    """One of the ten, or "other"."""
    name = name.lower()
    if re.search(NOT_ITS_CATEGORY, name):
        return "other"
    return next((category for category, words in CATEGORIES if re.search(words, name)), "other")


def looks_of(item: Item) -> int:
    """The number of times that an object is trained on, each time in other materials and proportions."""
    name = item.name.lower()
    if re.search(NEVER, name):
        return 0
    if re.search(RARE, name):
        return 1
    return 4 if item.category != "other" else 2


def items_in(folder: Path) -> list:
    """Items of a library that is unpacked in `folder`. Throws InputError."""
    file = folder / "PluginFurnitureCatalog.properties"
    if not file.is_file():
        raise InputError(f"{file}: not there; expected an unpacked furniture library")
    entries: dict = {}
    for line in file.read_text(encoding="latin-1").splitlines():
        match = re.match(r"\s*(\w+)#(\d+)\s*=\s*(.*)", line)
        if match:
            entries.setdefault(int(match[2]), {})[match[1]] = match[3].strip()
    return [item_of(folder, each) for _, each in sorted(entries.items()) if "model" in each]


def item_of(folder: Path, entry: dict) -> Item:
    rotation = [float(each) for each in entry.get("modelRotation", "1 0 0 0 1 0 0 0 1").split()]
    name = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), entry["name"])
    return Item(
        folder.name,
        Path(entry["model"]).parent.name,
        name,
        entry.get("creator", ""),
        folder / entry["model"].lstrip("/"),
        tuple(float(entry[each]) for each in ("width", "height", "depth")),
        tuple(map(tuple, np.reshape(rotation, (3, 3)))),
    )


def read_item(item: Item) -> Scene:
    """Throws InputError if the model is not a body that can be reconstructed."""
    mesh = read_obj(item.file)
    if mesh.cutout:
        raise InputError(f"{item.file}: its textures have holes; expected a body that is geometry")
    if len(mesh.triangles) > MOST_TRIANGLES:
        raise InputError(f"{item.file}: {len(mesh.triangles)} triangles; expected fewer")
    rotation = np.array(item.rotation)
    vertices = mesh.vertices @ rotation.T
    extent = np.ptp(vertices, axis=0)
    scale = np.array(item.size) / np.maximum(extent, 1e-9)
    vertices = vertices * np.where(extent > 1e-6 * extent.max(), scale, 1.0)
    sides = np.ptp(vertices, axis=0)
    if sides.min() < THINNEST * np.linalg.norm(sides):
        raise InputError(f"{item.file}: flat; expected a body")
    vertices = normalised(vertices)
    own = crease_normals(vertices, mesh.triangles)
    given = mesh.normals @ rotation.T / np.where(scale > 0, scale, 1)
    with np.errstate(invalid="ignore"):
        given = given / np.linalg.norm(given, axis=-1, keepdims=True)
        flat = face_normals(vertices, mesh.triangles)
        cosine = np.einsum("tki,ti->tk", given, flat)
        good = np.abs(cosine) > MIN_AGREEMENT
    # Shading normals lie on the side of the triangle's winding; the renderer turns both to the eye.
    normals = np.where(good[..., None], given * np.sign(np.nan_to_num(cosine))[..., None], own)
    return Scene(
        vertices,
        mesh.triangles,
        np.ascontiguousarray(normals, np.float32),
        mesh.uv,
        mesh.material_ids,
        mesh.look,
    )


def face_normals(vertices, triangles):
    corners = vertices[triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return cross / np.maximum(np.linalg.norm(cross, axis=1, keepdims=True), 1e-30)


def items_of(root: Path, libraries: tuple) -> list:
    """All items that may be used."""
    return [
        item
        for library in libraries
        for item in items_in(Path(root) / library)
        if item.creator not in LEFT_OUT_CREATORS
        and not (library == "BlendSwap-CC-0" and item.key in HELD_BACK)
    ]
