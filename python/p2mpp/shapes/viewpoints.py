"""Random viewpoints with the distribution of ShapeNetRendering."""

from .camera import IMAGE_SIZE, View, cam_from_world, project
from .draw import uniform

ELEVATIONS = (25.0, 30.0)  # degrees
DISTANCES = (0.65, 0.9)  # world units
MARGIN = 0.5  # pixels that stay free at the image's border
MAX_DRAWS = 200


def draw_view(rng, vertices):
    """A random View that holds all of `vertices` [V,3] inside its image.

    Every shape of bounding-box diagonal 0.57 fits at the largest distance.
    """
    for _ in range(MAX_DRAWS):
        view = _draw(rng)
        pixels = project(cam_from_world(view, vertices))
        if pixels.min() >= MARGIN and pixels.max() <= IMAGE_SIZE - MARGIN:
            return view
    return View(view.azimuth, view.elevation, DISTANCES[1])


def _draw(rng):
    """Rounded as in rendering_metadata.txt, so that the file has the rendered values."""
    return View(
        round(uniform(rng, 0, 360), 6),
        round(uniform(rng, *ELEVATIONS), 6),
        round(uniform(rng, *DISTANCES), 8),
    )
