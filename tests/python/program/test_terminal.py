"""--preview-terminal in a terminal of the test's own, which says of itself what it can show."""

import os
import pty
import re
import select
import tempfile
import time
import unittest
from pathlib import Path
from typing import Dict, Sequence

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("P2MPP", str(ROOT / "build" / "p2mpp"))
QUESTION = b"\x1b[c"  # what are you?
BLOCK = re.compile(b"\xe2\x96[\x80-\x9f]")  # U+2580 to U+259F
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def show(folder: str, environment: Dict[str, str], answer: bytes = b"", names: Sequence[str] = ("mesh",)) -> bytes:
    """The program's output to a terminal that answers the question in this way."""
    meshes = [Path(folder) / f"{name}.obj" for name in names]
    for mesh in meshes:
        mesh.write_text(TETRAHEDRON)
    child, terminal = pty.fork()
    if child == 0:
        os.execve(PROGRAM, [PROGRAM, "render", *map(str, meshes), "--size", "32", "--out", folder, "--preview-terminal"],
                  {"LANG": "C.UTF-8", **environment})
    written, answered, deadline = b"", False, time.monotonic() + 60
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1)
        if not ready:
            continue
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # the program has ended
            break
        if not data:
            break
        written += data
        if QUESTION in written and not answered and answer:
            os.write(terminal, answer)
            answered = True
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    if b"this build cannot draw" in written:
        raise unittest.SkipTest("this build has no ray tracer")
    if b"libchafa was not found" in written:
        raise unittest.SkipTest("this build has no libchafa")
    assert os.waitstatus_to_exitcode(status) == 0, written
    return written


class TerminalTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_blocks_in_true_colour(self) -> None:
        written = show(self.folder, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, b"\x1b[?62;22c")
        self.assertRegex(written, BLOCK)
        self.assertIn(b"38;2;", written)

    def test_blocks_in_256_colours(self) -> None:
        written = show(self.folder, {"TERM": "xterm-256color"}, b"\x1b[?62;22c")
        self.assertRegex(written, BLOCK)
        self.assertIn(b"8;5;", written)

    def test_sixels_where_the_terminal_says_so(self) -> None:
        written = show(self.folder, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, b"\x1b[?62;4;22c")
        self.assertIn(b"\x1bP0;1;0q", written)

    def test_kittys_own_protocol(self) -> None:
        self.assertIn(b"\x1b_Ga=T,f=100", show(self.folder, {"TERM": "xterm-kitty"}, b"\x1b[?62;c"))

    def test_every_mesh_before_its_file(self) -> None:
        written = show(self.folder, {"TERM": "xterm-kitty"}, b"\x1b[?62;c", ("a", "b"))
        places = [written.find(part) for part in (b"\x1b_Ga=T", b"a.png", b"b.png")] + [written.rfind(b"\x1b_Ga=T")]
        first, a, b, second = places
        self.assertNotIn(-1, places)
        self.assertTrue(first < a < second < b, places)

    def test_a_terminal_that_does_not_answer(self) -> None:
        self.assertRegex(show(self.folder, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}), BLOCK)

    def test_nothing_where_nothing_can_be_shown(self) -> None:
        for environment in ({"TERM": "dumb"}, {"TERM": "vt100"}, {"TERM": "xterm-256color", "LC_ALL": "C"}):
            written = show(self.folder, environment, b"\x1b[?1c")
            self.assertNotRegex(written, BLOCK)
            self.assertIn(b"no preview is shown", written)
            self.assertIn(b"mesh.png", written)


if __name__ == "__main__":
    unittest.main()
