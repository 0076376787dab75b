"""The exceptions whose message is meant for the user."""


class InputError(Exception):
    """Bad input. The message names the file, what is wrong with it, and what was expected."""


class MissingPackageError(Exception):
    """A package that only some inputs need is not installed. The message says how to install it."""
