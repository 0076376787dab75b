"""The categories by their ShapeNet synset ids; each module's build(rng) gives a list of Part.

Builders work in a frame of their own scale: y up, the object faces +x, z is its right-hand side.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..draw import weighted
from . import (
    aeroplane,
    boat,
    bottle,
    cabinet,
    car,
    chair,
    household,
    lamp,
    monitor,
    open_furniture,
    sofa,
    table,
)


@dataclass(frozen=True)
class Category:
    """A name for people, the synset id for folders, and the builder."""

    name: str
    synset: str
    build: Callable


CATEGORIES = tuple(
    Category(name, synset, module.build)
    for name, synset, module in (
        ("aeroplane", "02691156", aeroplane),
        ("bottle", "02876657", bottle),
        ("cabinet", "02933112", cabinet),
        ("car", "02958343", car),
        ("chair", "03001627", chair),
        ("monitor", "03211117", monitor),
        ("lamp", "03636649", lamp),
        ("sofa", "04256520", sofa),
        ("table", "04379243", table),
        ("boat", "04530566", boat),
    )
)

# Beside the ten, for training: what a deformed sphere fails at, and what is white and small.
OTHERS = (
    Category("open", "", open_furniture.build),
    Category("household", "", household.build),
)
OTHERS_SHARE = 5  # of the ten's 10


def draw(rng):
    """A category to train on: one of the ten in two thirds of the draws."""
    weights = {category: 1.0 for category in CATEGORIES}
    weights.update({category: OTHERS_SHARE / len(OTHERS) for category in OTHERS})
    return weighted(rng, weights)
