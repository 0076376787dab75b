"""What only the generator finds wrong."""

from ..errors import Error


class ShapeError(Error):
    """A category built something that is not one watertight solid."""
