"""Exceptions of the generator; each message is one line that says what was expected."""


class DataError(Exception):
    """A file, folder or option that cannot be used."""


class ShapeError(Exception):
    """A category built something that is not one watertight solid."""
