"""The three named sets of semantics: where existing implementations of the network differ."""

from typing import NamedTuple


class Semantics(NamedTuple):
    """One row a difference; docs/models.md and model.json call the set by its name."""

    name: str
    # Stage 1 reads maps bilinearly (border), otherwise at the floor of the scaled coordinate.
    stage1_bilinear: bool
    # Stage 1 divides the view's index by the map's scale as it does the pixel's: views 0 to 3 read
    # view 0's maps, and a view 4 reads view 1's finest map.
    view_index_scaled: bool
    # Blocks 2 and 3 unpool the coarse vertices' projected features; otherwise they unpool the
    # coordinates and project those.
    unpools_features: bool
    # Stage 2 takes points as they are and subtracts each camera's normalised origin; otherwise they
    # go from camera 0's frame to the world and on to each view's camera.
    normalised_origin: bool
    # Stage 2 reads maps bilinearly (border), otherwise from floor and ceil corners whose weights
    # are all 0 at an integer coordinate.
    stage2_bilinear: bool
    # The last layer of a deformation reasoning block has a ReLU before the softmax.
    scores_rectified: bool


SEMANTICS = {
    "tf": Semantics("tf", False, True, True, False, False, True),
    "design_b": Semantics("design_b", False, True, False, True, True, False),
    "clean": Semantics("clean", True, False, False, False, True, False),
}
