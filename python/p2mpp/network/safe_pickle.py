"""Reads pickles of numpy arrays and plain containers, and nothing else.

A pickle is a program: it names functions, calls them and changes what they return. Here the few
names that arrays need lead to functions of ours, which build arrays and check what they are given;
any other name is refused before anything is called. The functions are made anew for each file, so
that no file can change them for the next one.
"""

import collections
import io
import os
import pickle
from typing import Any, Callable, Dict, Tuple

import numpy as np

from ..errors import InputError

LARGEST_FILE = 256 << 20

# Booleans, numbers, text; an array of objects holds what the pickle holds anyway.
NUMERIC_KINDS = "biufcSU"
ARRAY_KINDS = NUMERIC_KINDS + "O"
SPARSE_KINDS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")

Names = Dict[Tuple[str, str], Any]


class Refused(Exception):
    """The pickle asks for something that is neither an array nor a plain container."""


class ArrayClass:
    """Stands for numpy.ndarray and numpy.matrix, which a pickle passes on and never calls."""

    def __new__(cls, *_):
        raise Refused("it calls numpy.ndarray")


class SparseMatrix:
    """Stands in for a scipy sparse matrix: holds its attributes, has no behaviour."""


class RestrictedUnpickler(pickle._Unpickler):
    """The unpickler written in Python, whose memory no hostile opcode can upset, with names
    resolved by allowed_names() alone."""

    def __init__(self, content: bytes):
        super().__init__(io.BytesIO(content), encoding="latin1")
        self.allowed = allowed_names()

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self.allowed:
            raise Refused(f"it asks for {ascii(f'{module}.{name}')[1:-1]:.80}")
        return self.allowed[module, name]

    def get_extension(self, code: int) -> None:
        raise Refused("it asks for a registered extension")

    def load_build(self) -> None:
        """Set the state of an array, a data type or a sparse matrix; nothing else has one."""
        target, state = self.stack[-2:]
        if isinstance(target, np.dtype):
            check_data_type_state(target, state)
        elif isinstance(target, SparseMatrix):
            if not isinstance(state, dict):
                raise Refused("it gives a sparse matrix other things than attributes")
        elif not isinstance(target, np.ndarray):
            raise Refused(f"it changes a {type(target).__name__}")
        super().load_build()

    dispatch = {**pickle._Unpickler.dispatch, pickle.BUILD[0]: load_build}


def check_data_type_state(target: np.dtype, state: Any) -> None:
    """Only the byte order may change: forged sizes or flags would make numpy read foreign
    memory."""
    version, _, *facts = target.__reduce__()[2]
    if (not isinstance(state, tuple) or len(state) != len(facts) + 2 or state[0] != version
            or state[1] not in ("<", ">", "|", "=") or list(state[2:]) != facts):
        raise Refused("it forges a data type")


def check_numeric(kind: Any) -> None:
    if not isinstance(kind, np.dtype) or kind.kind not in NUMERIC_KINDS:
        raise Refused("it builds an array of no numeric type")


def make_data_type(code: Any, _align: Any = False, _copy: Any = True) -> np.dtype:
    """A copy of the type, always: what a pickle does to it stays with that pickle."""
    if not isinstance(code, str) or np.dtype(code).kind not in ARRAY_KINDS:
        raise Refused(f"it asks for an array of {ascii(code):.40}")
    return np.dtype(code, copy=True)


def make_empty_array(subtype: Any, shape: Any, _code: Any) -> np.ndarray:
    """The start of every pickled array, whose state follows."""
    if not isinstance(subtype, type) or not issubclass(subtype, ArrayClass) or shape != (0,):
        raise Refused("it builds other things than arrays")
    return np.empty(0, np.int8)


def make_scalar(kind: Any, content: Any) -> np.generic:
    check_numeric(kind)
    return np.frombuffer(encode_text(content) if isinstance(content, str) else content, kind, 1)[0]


def make_array(content: Any, kind: Any, shape: Any, order: Any) -> np.ndarray:
    check_numeric(kind)
    return np.frombuffer(content, kind).reshape(shape, order=order)


def encode_text(text: Any, codec: Any = "latin1") -> bytes:
    """Bytes that an old protocol wrote as text."""
    if not isinstance(text, str) or codec not in ("latin1", "latin-1"):
        raise Refused("it encodes other things than bytes")
    return text.encode("latin1")


def make_sparse_matrix(subtype: Any, _base: Any, state: Any) -> SparseMatrix:
    if not isinstance(subtype, type) or not issubclass(subtype, SparseMatrix) or state is not None:
        raise Refused("it builds an object that is neither array nor container")
    return SparseMatrix()


def fresh(function: Callable) -> Callable:
    """A function of its own that does the same."""
    return lambda *arguments: function(*arguments)


def allowed_names() -> Names:
    """The objects that a pickle may name, by module and name."""
    array = type("ndarray", (ArrayClass,), {})
    names: Names = {
        ("numpy", "ndarray"): array,
        ("numpy", "matrix"): array,
        ("numpy.matrixlib.defmatrix", "matrix"): array,
        ("numpy", "dtype"): fresh(make_data_type),
        ("_codecs", "encode"): fresh(encode_text),
        ("collections", "OrderedDict"): fresh(collections.OrderedDict),
    }
    for core in ("numpy.core", "numpy._core"):
        names[f"{core}.multiarray", "_reconstruct"] = fresh(make_empty_array)
        names[f"{core}.multiarray", "scalar"] = fresh(make_scalar)
        names[f"{core}.numeric", "_frombuffer"] = fresh(make_array)
    for module in ("__builtin__", "builtins"):
        for kind in (list, tuple, dict, set, frozenset):
            names[module, kind.__name__] = fresh(kind)
    return {**names, **sparse_names()}


def sparse_names() -> Names:
    matrix = type("SparseMatrix", (SparseMatrix,), {})
    names: Names = {(f"scipy.sparse.{prefix}{kind}", f"{kind}_{suffix}"): matrix
                    for kind in SPARSE_KINDS for prefix in ("", "_")
                    for suffix in ("matrix", "array")}
    for module, builtins in (("copy_reg", "__builtin__"), ("copyreg", "builtins")):
        names[module, "_reconstructor"] = fresh(make_sparse_matrix)
        names[builtins, "object"] = type("object", (), {})
    return names


def load_pickle(file: str) -> Any:
    """The pickle's content. Throws InputError where it is damaged or asks for anything else."""
    try:
        if os.path.getsize(file) > LARGEST_FILE:
            raise InputError(f"{file}: larger than {LARGEST_FILE >> 20} MiB; expected a template")
        with open(file, "rb") as stream:
            content = stream.read(LARGEST_FILE)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; expected a readable pickle") from None
    try:
        return RestrictedUnpickler(content).load()
    except Refused as refusal:
        raise InputError(f"{file}: refused: {refusal}; expected a pickle of arrays and plain "
                         "containers alone") from None
    except Exception as error:  # damage can surface as nearly any exception of unpickler or numpy
        raise InputError(f"{file}: damaged or not a pickle ({type(error).__name__}); expected a "
                         "pickle of arrays and plain containers") from None
