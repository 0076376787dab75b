"""The generator's own error."""

from ..errors import Error


class ShapeError(Error):
    """A category built something that is not one watertight solid."""
