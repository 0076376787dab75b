"""Hostile pickles: nothing in them runs, and the message says what was refused."""

import codecs
import collections
import os
import pickle
import struct

import numpy as np
from p2mpp.errors import InputError
from p2mpp.network.safe_pickle import load_pickle
from runs import TemporaryTest


class Calls:
    """Pickles as a call."""

    def __init__(self, function, *arguments, state=None):
        self.parts = (function, arguments) if state is None else (function, arguments, state)

    def __reduce__(self):
        return self.parts


def text_call(module, name, argument):
    """Protocol 0 by hand: a call of any global with one text argument."""
    return f"c{module}\n{name}\n(S'{argument}'\ntR.".encode()


def stack_global(module, name, argument):
    """Protocol 4 by hand: names may be dotted paths."""
    def short(text):
        return b"\x8c" + bytes([len(text)]) + text.encode()
    return b"\x80\x04" + short(module) + short(name) + b"\x93" + short(argument) + b"\x85R."


class SafePickleTest(TemporaryTest):

    def setUp(self):
        super().setUp()
        self.witness = self.folder / "executed"
        self.file = self.folder / "a.dat"

    def load(self, content):
        self.file.write_bytes(content)
        return load_pickle(str(self.file))

    def refuse(self, content, word="refused"):
        with self.assertRaises(InputError) as raised:
            self.load(content)
        message = str(raised.exception)
        self.assertIn(str(self.file), message)
        self.assertIn(word, message)
        self.assertNotIn("\n", message)
        self.assertFalse(self.witness.exists(), "the pickle was executed")

    def test_functions_that_execute_or_open(self):
        names = {
            "os": "system", "posix": "system", "subprocess": "getoutput", "__builtin__": "eval",
            "builtins": "eval exec __import__ getattr open", "pickle": "loads",
            "copyreg": "add_extension", "functools": "partial", "operator": "attrgetter",
            "types": "FunctionType", "codecs": "encode", "runpy": "run_path",
            "importlib": "import_module", "numpy": "load fromfile memmap frompyfunc save",
            "numpy.testing._private.utils": "runstring", "numpy.testing": "rundocs",
            "numpy.f2py": "run_main", "numpy.distutils.exec_command": "exec_command",
            "numpy.core._multiarray_umath": "_reconstruct", "numpy.ctypeslib": "load_library",
            "numpy.lib.npyio": "loads"}
        for module, listed in names.items():
            for name in listed.split():
                with self.subTest(name=f"{module}.{name}"):
                    for call in (text_call, stack_global):
                        self.refuse(call(module, name, f"touch {self.witness}"), f"asks for {module}.{name}")

    def test_paths_through_allowed_names(self):
        for module, name in (("numpy.core.multiarray", "_reconstruct.__globals__"),
                             ("numpy", "core.multiarray.sys"), ("numpy", "ndarray.tofile"),
                             ("builtins", "dict.__class__"), ("_codecs", "encode.__self__"),
                             ("collections", "OrderedDict.fromkeys"), ("", ""),
                             ("numpy", "dtype.mro")):
            self.refuse(stack_global(module, name, "x"), "asks for")
        self.refuse(stack_global("a\nb", "c\nd", "x"), "asks for a\\nb.c\\nd")

    def test_an_honest_pickle_of_a_hostile_object(self):
        self.refuse(pickle.dumps(Calls(os.system, f"touch {self.witness}")))
        self.refuse(pickle.dumps({"coord": [1, (Calls(eval, f"open('{self.witness}','w')"),)]}))
        self.refuse(pickle.dumps(np.array([Calls(os.system, f"touch {self.witness}")], object)))

    def test_nested_calls_of_what_is_allowed(self):
        reconstruct = np.zeros(1).__reduce__()[0]
        for content in (
                Calls(reconstruct, np.ndarray, (1 << 40,), b"b"),
                Calls(reconstruct, dict, (0,), b"b"),
                Calls(reconstruct, Calls(reconstruct, np.ndarray, (0,), b"b"), (0,), b"b"),
                Calls(np.ndarray, (1 << 20,)),
                Calls(np.dtype, [("a", "f8"), ("b", "O")]),
                Calls(np.dtype, "V8"),
                Calls(codecs.encode, "text", "rot13")):
            with self.subTest(content=content.parts):
                self.refuse(pickle.dumps(content, 2), "expected")
        for content in (b"cnumpy\ndtype\n(S'f8'\ntR(S'x'\ntR.", b"}(S'x'\ntR.",
                        b"(inumpy\nndarray\n.",
                        b"(S'x'\ncnumpy\ndtype\no.", b"cnumpy\ndtype\n(S'f8'\nt\x81.",
                        b"c__builtin__\nobject\n)\x81}S'x'\nI1\nsb."):
            self.refuse(content, "expected")

    def test_states_of_what_has_none(self):
        reconstruct = np.zeros(1).__reduce__()[0]
        honest = (1, (1,), np.dtype("f8"), False, b"12345678")
        self.refuse(pickle.dumps(Calls(collections.OrderedDict, state={"x": 1})), "changes a")
        forged = b"cnumpy\ndtype\n}S'__code__'\nI1\nsb."
        self.refuse(forged, "changes a function")
        self.refuse(b"cnumpy\nndarray\n}S'__new__'\nI1\nsb.", "changes a type")
        self.refuse(pickle.dumps(Calls(reconstruct, np.ndarray, (0,), b"b",
                                       state=honest[:4] + (b"1234",))), "expected")

    def test_forged_data_types(self):
        """Wrong sizes or flags would let numpy read memory that is not the array's."""
        for state in ((3, "<", None, None, None, 1 << 20, -1, 0),
                      (3, "<", None, None, None, -1, -1, 63),
                      (3, "|", (np.dtype("f8"), (4,)), None, None, -1, -1, 0),
                      (3, "<", None, ("a",), {"a": (np.dtype("O"), 0)}, -1, -1, 0), (3,), "x"):
            with self.subTest(state=state):
                self.refuse(pickle.dumps(Calls(np.dtype, "f8", False, True, state=state), 2))
        self.refuse(pickle.dumps(Calls(np.dtype, "O", False, True, state=(3, "|", None, None, None, -1, -1, 0)), 2))
        self.assertEqual(np.dtype("f8").byteorder, "=")

    def test_persistent_ids_extensions_and_buffers(self):
        for content in (b"Pid\n.", b"\x80\x02U\x02idQ.", b"\x80\x02\x82\x01.", b"\x80\x05\x97."):
            self.refuse(content, "expected")

    def test_damage(self):
        good = pickle.dumps({"coord": np.arange(12.0).reshape(4, 3), "names": ["a", "b"]}, 2)
        for length in range(0, len(good), 7):
            self.refuse(good[:length], "expected")
        huge = struct.pack("<Q", 1 << 62)
        for content in (b"", b".", b"text", b"\x80\xff.", b"(" * 1000, b"\x80\x04\x8e" + huge,
                        b"\x80\x05\x96" + huge, b"]" + b"h\x05a" * 5 + b".", b"I1\n" * 3):
            self.refuse(content, "expected")

    def test_flipped_bits_never_escape(self):
        good = pickle.dumps({"coord": np.arange(12.0).reshape(4, 3), "pool": [np.arange(4)]}, 2)
        random = np.random.default_rng(11)
        for _ in range(600):
            content = bytearray(good)
            for position in random.integers(0, len(good), 3):
                content[position] ^= 1 << random.integers(0, 8)
            try:
                self.load(bytes(content))
            except InputError as error:
                self.assertIn("expected", str(error))

    def test_arrays_and_containers_of_every_protocol(self):
        content = {"a": np.arange(6.0).reshape(2, 3), "b": np.float32(1.5),
                   "n": [np.int64(7), None],
                   "c": np.array(["x", "yz"]), "d": np.array([1, 2], ">i4"), "e": {1, 2},
                   "f": b"\xff",
                   "g": np.array([None, "x"], object), "h": np.asfortranarray(np.eye(3)),
                   "i": collections.OrderedDict(x=1), "j": np.array([b"ab"]), "k": np.eye(2),
                   "l": np.array([True, False]), "m": frozenset([3])}
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            found = self.load(pickle.dumps(content, protocol))
            self.assertEqual(list(found), list(content))
            for key, value in content.items():
                np.testing.assert_array_equal(found[key], value, err_msg=key)

    def test_pickles_of_python_2_with_old_module_names(self):
        array = (b"cnumpy.core.multiarray\n_reconstruct\np0\n(cnumpy\nndarray\np1\n(I0\ntp2\n"
                 b"S'b'\np3\ntp4\nRp5\n(I1\n(I2\ntp6\ncnumpy\ndtype\np7\n"
                 b"(S'f4'\np8\nI0\nI1\ntp9\nRp10\n(I3\n"
                 b"S'<'\np11\nNNNI-1\nI-1\nI0\ntp12\nbI00\n"
                 b"S'\\x00\\x00\\x80?\\x00\\x00\\x00@'\np13\ntp14\nb.")
        np.testing.assert_array_equal(self.load(array), np.array([1, 2], np.float32))

    def test_a_sparse_matrix_is_held_without_scipy(self):
        content = (b"ccopy_reg\n_reconstructor\n(cscipy.sparse.csr\ncsr_matrix\nc__builtin__\n"
                   b"object\nNtR(dS'_shape'\n(I2\nI2\ntsS'maxprint'\nI50\nsb.")
        self.assertEqual(vars(self.load(content)), {"_shape": (2, 2), "maxprint": 50})
