"""One generated shape on disk: renderings, metadata, ground truth."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from .categories import Category
from .errors import ShapeError
from .ground_truth import dat_bytes, in_camera_frame, sample_surface, xyz_text
from .shading import draw_lights, render
from .shape import assemble
from .viewpoints import draw_view


@dataclass(frozen=True)
class SampleOptions:
    """Options that all samples of a folder share."""

    seed: int = 1
    views: int = 24  # rows of rendering_metadata.txt
    keep_views: tuple | None = None  # indices of the pictures that are made; None: all
    points: int = 8000  # ground-truth points
    truth_format: str = "xyz"  # xyz (text) or dat (pickle)
    supersampling: int = 3  # samples a pixel along each axis


def model_name(index):
    """Names hold no underscore: ids are split at underscores."""
    return f"p2mpp{index:04d}"


def sample_id(category, index):
    """The line of a test list."""
    return f"{category.synset}_{model_name(index)}_00.dat"


def _streams(options, category, index):
    """Independent generators for shape, views and points: one's draws do not move the others'."""
    return [np.random.default_rng([options.seed, int(category.synset), index, k]) for k in range(3)]


def build_shape(options, category, index):
    """The Shape of one model. Throws ShapeError naming category, seed and index."""
    try:
        return assemble(category.build(_streams(options, category, index)[0]))
    except ShapeError as error:
        raise ShapeError(f"{category.name}, seed {options.seed}, index {index}: {error}") from error


def lights_of(options, category, index):
    """The Lights of one model's pictures."""
    return draw_lights(_streams(options, category, index)[1])


def truth_path(out, options, category, index):
    """The path of one model's ground truth."""
    suffix = {"xyz": "_ground.xyz", "dat": ".dat"}[options.truth_format]
    return Path(out) / f"{category.synset}_{model_name(index)}_00{suffix}"


def write_sample(out, options, category: Category, index):
    """Makes one sample under `out`; the ground truth comes last and shows that all is there."""
    shape = build_shape(options, category, index)
    _, view_stream, point_stream = _streams(options, category, index)
    lights = draw_lights(view_stream)
    views = [draw_view(view_stream, shape.vertices) for _ in range(options.views)]
    folder = Path(out) / category.synset / model_name(index) / "rendering"
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(options.views) if options.keep_views is None else options.keep_views:
        picture = render(shape, views[k], lights, options.supersampling)
        Image.fromarray(picture).save(folder / f"{k:02d}.png")
    (folder / "rendering_metadata.txt").write_text("".join(view.row() + "\n" for view in views))
    points, normals = sample_surface(shape.vertices, shape.triangles, options.points, point_stream)
    _write_truth(
        truth_path(out, options, category, index), in_camera_frame(views[0], points, normals)
    )


def _write_truth(path, oriented_points):
    data = (
        dat_bytes(oriented_points) if path.suffix == ".dat" else xyz_text(oriented_points).encode()
    )
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    os.replace(partial, path)
