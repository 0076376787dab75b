"""The viewer and the report as a person meets them, in a headless Chromium: nothing on the console, nothing asked of the
network, a picture on the canvas, and every control does what it says."""

import base64
import io
import json
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

from browser import Page, find_browser
from runs import ROOT, SharedFolderTest, checked, run_program
from server import INPUTS

TINY = ("--model", INPUTS / "models/tiny", "--device", "cpu")
PHOTOS = INPUTS / "samples/photos"
SPHERE_POINTS = 12
THREE = Path("/usr/share/javascript/three")
GLTF_LOADER = THREE / "examples/js/loaders/GLTFLoader.js"
NO_VIEWER = "this build has no 3D viewer"


def icosahedron(x: float = 0.0) -> str:
    """An OBJ file's lines: around the origin, or so far beside it."""
    rows = [line.split() for line in (INPUTS / "icosahedron.obj").read_text().splitlines()]
    return "".join(f"v {float(row[1]) + x} {row[2]} {float(row[3]) + 0.8}\n" if row[0] == "v" else " ".join(row) + "\n"
                   for row in rows)


@unittest.skipIf(find_browser() is None, "no Chromium is installed")
class BrowserTest(SharedFolderTest):
    @classmethod
    def make(cls, command: str, *arguments, code: int = 0) -> None:
        result = run_program(command, *arguments, "--out", cls.folder)
        if NO_VIEWER in result.stderr or "this build cannot draw" in result.stderr:
            raise unittest.SkipTest(result.stderr.strip())
        checked(result, code)

    def assert_fits(self, page: Page) -> None:
        """Nothing sticks out at the side."""
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.evaluate("innerWidth"))


class ScaleTest(BrowserTest):
    def test_a_capture_has_a_scale_in_its_own_units(self) -> None:
        capture = INPUTS / "captures" / "nerf_synthetic"
        if not capture.is_dir():
            self.skipTest("no captures were made")
        self.make("predict", capture, *TINY, "--resolution", "48", "--surface-vertices", "900", "--view")
        with Page(self.folder / "nerf_synthetic_view.html", 1000, 700) as page:
            self.assertFalse(page.evaluate("document.getElementById('scale').hidden"))
            label = "document.querySelector('#scale span').textContent"
            length, width = (page.evaluate(each) for each in (label, "document.querySelector('#scale .bar').offsetWidth"))
            self.assertRegex(length, r"^[125](e-?\d+|0*)? units? of the cameras$|^0\.0*[125] units of the cameras$")
            self.assertTrue(50 <= width <= 140, width)
            self.assertRegex(page.text("facts"), r"size[\d.e+-]+ x [\d.e+-]+ x ")
            for _ in range(12):
                page.evaluate("document.getElementById('canvas').dispatchEvent(new KeyboardEvent('keydown', {key: '-'}))")
            page.wait_for(f"{label} !== {length!r}")  # further away the bar is longer


class ColoursTest(BrowserTest):
    def test_a_texture_is_seen_on_the_mesh(self) -> None:
        """The upper half of the picture is red, the lower half green, and so are those of the ball."""
        lines = [line.split() for line in icosahedron().splitlines()]
        places = [f"vt 0.5 {0.5 + 2 * float(line[2])}" for line in lines if line[0] == "v"]
        painted = [" ".join([line[0], *(f"{n}/{n}" if line[0] == "f" else n for n in line[1:])]) for line in lines]
        (self.folder / "ball.obj").write_text("\n".join(["mtllib ball.mtl", "usemtl paint", *places, *painted, ""]))
        (self.folder / "ball.mtl").write_text("newmtl paint\nmap_Kd paint.png\n")
        paint = np.zeros((64, 64, 3), np.uint8)
        paint[:32], paint[32:] = (220, 20, 20), (20, 200, 20)
        Image.fromarray(paint).save(self.folder / "paint.png")
        self.make("render", self.folder / "ball.obj", "--view", "--size", "32")
        with Page(self.folder / "ball_view.html", 500, 400) as page:
            coded = page.evaluate("(viewer.isBlank(), document.getElementById('canvas').toDataURL('image/png'))")
        shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(coded.split(",")[1]))).convert("RGB")).astype(int)
        red, green = (shown[..., a] > 2 * shown[..., b] + 20 for a, b in ((0, 1), (1, 0)))
        for part in (red, green):
            self.assertGreater(part.mean(), 0.02)
        self.assertLess(np.nonzero(red)[0].mean(), np.nonzero(green)[0].mean() - 20, "red is above green")


class ViewerTest(BrowserTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        mesh = cls.folder / "ball.obj"
        mesh.write_text(icosahedron())
        truth = cls.folder / "truth.xyz"
        truth.write_text("".join(f"{0.2 * (i % 3 - 1)} {0.1 * (i % 5 - 2)} {0.05 * i - 0.3}\n" for i in range(SPHERE_POINTS)))
        cls.make("render", mesh, "--view", "--truth", truth, "--size", "32")
        cls.page_file = cls.folder / "ball_view.html"

    def pressed(self, page: Page, name: str) -> bool:
        return page.evaluate(f"document.getElementById('{name}').getAttribute('aria-pressed')") == "true"

    def picture(self, page: Page) -> str:
        return page.evaluate("(document.querySelector('#reset'), viewer.isBlank(), document.getElementById('canvas').toDataURL())")

    def test_shows_the_mesh_at_every_width_light_and_dark(self) -> None:
        lightness = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)"
        for width, height, dark in ((400, 600, False), (1600, 900, True)):
            with Page(self.page_file, width, height, dark=dark) as page:
                self.assertEqual(page.evaluate("document.body.dataset.ready"), "true")
                self.assertFalse(page.evaluate("viewer.isBlank()"))
                self.assert_fits(page)
                self.assertIn("12 vertices, 20 triangles", page.text("count"))
                self.assertEqual(page.evaluate(lightness) < 200, dark)

    def test_all_of_the_mesh_stays_in_the_picture_at_another_width(self) -> None:
        with Page(self.page_file, 800, 400) as page:
            before = page.evaluate("viewer.position()")
            page.resize(400, 800)
            page.wait_for(f"viewer.position()[0] !== {before[0]}")
            resized = page.evaluate("viewer.position()")
            page.click("#reset")
            for a, b in zip(resized, page.evaluate("viewer.position()")):
                self.assertAlmostEqual(a, b, places=4)

    def test_every_control_changes_the_picture_and_back(self) -> None:
        with Page(self.page_file) as page:
            before = self.picture(page)
            legend_is_hidden = "document.getElementById('legend').hidden"
            for name, key in (("wireframe", "w"), ("flat", "f"), ("truth", "t"), ("distance", "d")):
                page.click("#" + name)
                self.assertTrue(self.pressed(page, name), name)
                self.assertNotEqual(self.picture(page), before, name)
                self.assertEqual(page.evaluate(legend_is_hidden), name != "distance")  # it stands with the colours
                if name == "distance":
                    self.assertGreater(float(page.text("legend-end")), 0)
                page.press(key)  # the keyboard does the same
                self.assertFalse(self.pressed(page, name), name)
                self.assertEqual(self.picture(page), before, name)

    def test_it_turns_until_it_is_touched(self) -> None:
        with Page(self.page_file, moving=True) as page:
            self.assertTrue(page.evaluate("viewer.isTurning()"))
            start = page.evaluate("viewer.position()")
            page.wait_for(f"viewer.position()[0] !== {start[0]}")
            page.drag("#canvas", 5, 0)
            self.assertFalse(page.evaluate("viewer.isTurning()"))
        with Page(self.page_file) as page:  # the reader prefers pages that keep still
            self.assertFalse(page.evaluate("viewer.isTurning()"))

    def test_the_saved_file_is_the_mesh(self) -> None:
        with Page(self.page_file) as page:
            saved = page.evaluate("btoa(String.fromCharCode(...glbOf(viewer.scene.surfaces[0].mesh.geometry, 'ball')))")
            page.evaluate("window.saved = []; download = (bytes, name) => window.saved.push([bytes.length, name])")
            page.click("#save")
            page.press("s")
            self.assertEqual(page.evaluate("window.saved"), 2 * [[len(base64.b64decode(saved)), "ball.glb"]])
        glb = self.folder / "saved.glb"
        glb.write_bytes(base64.b64decode(saved))
        # Read by the program: no distance to the mesh that was shown, and all of its triangles.
        result = run_program("metrics", glb, self.folder / "ball.obj", "--json", code=0)
        self.assertIn('"chamfer_distance": 0.0', json.dumps(json.loads(result.stdout)))

    def test_faces_that_intersect_others_are_counted_and_shown(self) -> None:
        crossing = self.folder / "crossing.obj"
        second = ""
        for kind, *numbers in map(str.split, icosahedron(0.1).splitlines()):
            of_second = [str(int(number) + 12) for number in numbers] if kind == "f" else numbers
            second += " ".join([kind, *of_second]) + "\n"
        crossing.write_text(icosahedron() + second)
        self.make("render", crossing, "--view", "--size", "32")
        with Page(self.folder / "crossing_view.html") as page:
            self.assertRegex(page.text("count"), r"24 vertices, 40 triangles, [1-9]\d* of them intersect others")
            before = self.picture(page)
            page.click("#intersections")
            changed = self.picture(page)
            self.assertNotEqual(changed, before)
            page.press("x")
            self.assertEqual(self.picture(page), before)

    def test_mouse_and_keys_turn_and_zoom(self) -> None:
        with Page(self.page_file) as page:
            start = page.evaluate("viewer.position()")
            page.drag("#canvas", 80, 30)
            self.assertNotEqual(page.evaluate("viewer.position()"), start)
            page.press("r")
            page.evaluate("document.getElementById('canvas').focus()")
            back = page.evaluate("viewer.position()")
            for a, b in zip(start, back):
                self.assertAlmostEqual(a, b, places=5)

            def length() -> float:
                return sum(x * x for x in page.evaluate("viewer.position()")) ** 0.5

            page.press("ArrowLeft")
            self.assertNotEqual(page.evaluate("viewer.position()"), back)
            self.assertAlmostEqual(length(), sum(x * x for x in back) ** 0.5, places=5)
            far = length()
            page.press("+")
            self.assertLess(length(), far)


@unittest.skipUnless(GLTF_LOADER.exists(), "three.js' glTF loader is not installed")
class GlbTest(BrowserTest):
    """three.js' own loader reads our GLB files."""

    def load(self, glb: Path) -> dict:
        text = (Path(__file__).parent / "glb_page.html").read_text()
        page_file = self.folder / "page.html"
        page_file.write_text(text.replace("THREE/", THREE.as_uri() + "/").replace('"GLB"', json.dumps(
            base64.b64encode(glb.read_bytes()).decode())))
        with Page(page_file, 300, 200) as page:
            return page.evaluate("window.result")

    def test_a_morphing_mesh_goes_there_and_back(self) -> None:
        (self.folder / "a.obj").write_text(icosahedron())
        (self.folder / "b.obj").write_text(icosahedron().replace("v 0.", "v 0.5"))
        self.make("morph", self.folder / "a.obj", self.folder / "b.obj", "--format", "glb", "--seconds", "1.5")
        found = self.load(self.folder / "a_to_b.glb")
        self.assertEqual([found[name] for name in ("meshes", "vertices", "normals", "triangles", "targets", "animations")],
                         [1, 12, 12, 20, 1, 1])
        self.assertEqual(found["seconds"], 3)
        for weight, expected in zip(found["weights"], (0.5, 1, 0.5)):
            self.assertAlmostEqual(weight, expected, places=5)


class SampleViewerTest(BrowserTest):
    def test_views_coarse_and_refined(self) -> None:
        self.make("predict", PHOTOS, *TINY, "--view")
        with Page(self.folder / "photos_view.html") as page:
            names = page.evaluate("[...document.querySelectorAll('#surfaces button')].map((b) => b.textContent)")
            self.assertEqual(names, ["coarse 1", "coarse 2", "coarse 3", "refined"])
            self.assertIn("162 vertices", page.text("count"))
            page.press("1")
            self.assertIn("12 vertices", page.text("count"))
            self.assertEqual(page.count("#views img"), 3)
            before = page.evaluate("[document.querySelector('#views img').src, viewer.position()]")
            page.click("#overlay")
            page.click("#views button:nth-child(2)")
            after = page.evaluate("[document.querySelector('#views img').src, viewer.position()]")
            self.assertNotEqual(after[0], before[0])
            self.assertNotEqual(after[1], before[1])
            self.assertTrue(page.evaluate("document.getElementById('truth').disabled"))


class ReportTest(BrowserTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        names = ("02691156_p2mpp0001", "02691156_p2mpp0002", "03001627_p2mpp0001", "chair_missing")
        (cls.folder / "list.txt").write_text("".join(f"{name}_00.dat\n" for name in names))
        cls.make("eval", *TINY, "--list", cls.folder / "list.txt", "--images-root", ROOT / "data", "--truth-root", ROOT / "data",
                 code=4)
        cls.page_file = cls.folder / "report.html"

    def rows(self, page: Page) -> list:
        return page.evaluate("[...document.querySelectorAll('#samples tbody tr')].map((r) => r.children[0].textContent)")

    def test_filters_and_sorts(self) -> None:
        with Page(self.page_file) as page:
            self.assertEqual(len(self.rows(page)), 4)
            page.enter("#search", "P2MPP0001")
            self.assertEqual(self.rows(page), ["02691156_p2mpp0001_00", "03001627_p2mpp0001_00"])
            self.assertEqual(page.text("matches"), "2 of 4")
            page.enter("#category", "chair")
            self.assertEqual(self.rows(page), ["03001627_p2mpp0001_00"])
            page.enter("#search", "")
            page.enter("#category", "")
            page.enter("#status", "failed")
            self.assertEqual(self.rows(page), ["chair_missing_00"])
            page.enter("#status", "")
            header = "#samples th:nth-child(4)"
            figures = "[...document.querySelectorAll('#samples tbody tr')].map((r) => r.children[3].textContent)"
            for ascending in (True, False):
                page.click(header + " button")
                shown = page.evaluate(figures)
                self.assertEqual(shown[-1], "–")  # what is not known comes last
                numbers = list(map(float, shown[:-1]))
                self.assertEqual(numbers, sorted(numbers, reverse=not ascending))
            self.assertEqual(page.evaluate(f"document.querySelector('{header}').getAttribute('aria-sort')"), "descending")

    def test_shows_figures_charts_and_failures_at_every_width(self) -> None:
        for width in (400, 1600):
            with Page(self.page_file, width, 900) as page:
                self.assertIn("3 of 4", page.text("figures"))
                self.assertIn("chair_missing", page.text("failures"))
                self.assertEqual(page.count("svg"), 4)
                self.assertGreater(page.count("#time-chart circle"), 2)
                loaded = page.evaluate("[...document.querySelectorAll('#pictures img')].map((i) => i.naturalWidth)")
                self.assertTrue(all(size == 320 for size in loaded), loaded)
                self.assertEqual(len(loaded) % 3, 0)
                self.assert_fits(page)
