"""The page of `p2mpp serve` in a headless Chromium, as a person uses it: from photographs to a GLB file."""

import base64
import shutil
import unittest
import zipfile

from browser import Page, find_browser
from runs import TemporaryTest
from server import INPUTS, Server

PHOTOS = INPUTS / "samples" / "photos"
IMAGES = sorted(PHOTOS.glob("*.png"))
SAMPLE = [*IMAGES, PHOTOS / "cameras.txt"]

# In place of p2mpp-photos: it waits, then has a mesh, or fails.
PROGRAM = """mkdir "$3"
cp "$1/0.png" "$3/masks.jpg"
echo "p2mpp-photos: cameras: features: 3 of 5" >&2
until [ -e "{folder}/go" ]; do sleep 0.02; done
grep -q fail "{folder}/go" && echo "p2mpp-photos: error: masks: look at $3/masks.jpg; then go on with: p2mpp-photos" >&2 && exit 3
echo '{{"notes": ["cameras: 4.png has none"], "sample": {{"surface": {{"resolution": 64}}}}}}' >"$3/photos.json"
echo glTF >"$3/mesh.glb"
echo '<p>the mesh' >"$3/mesh_view.html"
echo report >"$3/report.html"
"""


@unittest.skipIf(find_browser() is None, "no Chromium is installed")
class ServePageTest(TemporaryTest):
    def serve(self, *arguments: str) -> Server:
        server = Server(*arguments)
        self.addCleanup(server.close)
        return server

    def serve_with(self, script: str) -> Server:
        """A server for which this script takes the place of p2mpp-photos."""
        program = self.folder / "photos.sh"
        program.write_text(f"#!/bin/sh\n{script}")
        program.chmod(0o700)
        return self.serve("--photos", str(program))

    def five_images(self) -> list:
        return [shutil.copy(IMAGES[0], self.folder / f"{number}.png") for number in range(5)]

    def wait_for_check(self, page: Page, count: int = 1) -> None:
        page.wait_for(f"Number(document.body.dataset.checked || 0) >= {count}")

    def make(self, page: Page) -> None:
        page.evaluate("document.getElementById('status').className = ''")  # of a failure before
        page.click("#make")
        page.wait_for("document.getElementById('status').textContent.startsWith('done') "
                      "|| document.getElementById('status').className === 'bad'")
        self.assertIn("done in", page.text("status"))

    def saved(self, page: Page) -> bytes:
        """The file that the button saves: the bytes behind the link that it clicks."""
        page.evaluate("""HTMLAnchorElement.prototype.click = function () {
          window.saved = fetch(this.href).then((response) => response.arrayBuffer())
            .then((bytes) => [this.download, btoa(String.fromCharCode(...new Uint8Array(bytes)))]); }""")
        page.click("#save")
        page.wait_for("Boolean(window.saved)")
        name, data = page.evaluate("window.saved")
        self.assertEqual(name, "chair.glb")
        return base64.b64decode(data)

    def test_from_photographs_to_a_file(self) -> None:
        with Page(self.serve().address, 1200, 800) as page:
            self.assertTrue(page.evaluate("document.getElementById('make').disabled"))
            page.choose("#files", SAMPLE)
            self.wait_for_check(page)
            self.assertEqual(page.count("#views img"), len(IMAGES))
            self.assertEqual(page.count("#rows input"), 3 * len(IMAGES))
            page.enter("#name", "chair")
            self.make(page)
            self.assertFalse(page.evaluate("document.getElementById('viewer').hidden"))
            inside = "document.getElementById('viewer').contentWindow"
            page.wait_for(f"Boolean({inside}.viewer) && !{inside}.viewer.isBlank()")
            self.assertGreater(page.evaluate(f"{inside}.innerWidth"), 400)
            self.assertEqual(self.saved(page)[:4], b"glTF")
            for width in (400, 1600):
                page.resize(width, 900)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_an_example_and_an_archive(self) -> None:
        with Page(self.serve().address) as page:
            page.click("#try")
            self.wait_for_check(page)
            self.assertEqual(page.text("verdict"), "nothing looks wrong")
            archive = self.folder / "chair.zip"
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
                for file in SAMPLE:
                    packed.write(file, f"chair/{file.name}")
            page.choose("#files", [archive])
            self.wait_for_check(page, 2)
            self.assertEqual(page.text("camera-file"), "chair.zip")
            self.assertEqual(page.count("#views img"), len(IMAGES))

    def test_the_check_follows_the_cameras(self) -> None:
        with Page(self.serve().address) as page:
            page.choose("#files", SAMPLE)
            self.wait_for_check(page)
            before = page.text("views")
            page.enter("#rows input", "200")
            self.wait_for_check(page, 2)
            self.assertNotEqual(page.text("views"), before)
            page.click("[data-mode=turntable]")
            self.wait_for_check(page, 3)
            self.assertEqual(page.evaluate("document.querySelector('[data-mode=turntable]').getAttribute('aria-checked')"), "true")

    def test_what_is_wrong_is_said(self) -> None:
        bad = self.folder / "bad.png"
        with Page(self.serve().address, may_fail=True) as page:
            bad.write_bytes(b"no image")
            page.choose("#files", [IMAGES[0], bad])
            self.wait_for_check(page)
            self.assertIn("bad.png: ", page.text("warnings"))
            page.click("#make")
            page.wait_for("document.getElementById('status').className === 'bad'")
            self.assertIn("bad.png: ", page.text("status"))
            self.assertNotIn("/tmp", page.text("status"))
            page.click("#clear")
            self.assertTrue(page.evaluate("document.getElementById('make').disabled"))

    def test_a_token_is_asked_for(self) -> None:
        token = self.folder / "token"
        token.write_text("0123456789abcdef\n")
        with Page(self.serve("--token-file", str(token)).address, may_fail=True) as page:
            page.choose("#files", SAMPLE)
            self.wait_for_check(page)
            self.assertIn("Authorization", page.text("warnings"))
            page.enter("#token", "0123456789abcdef")
            self.wait_for_check(page, 2)
            page.enter("#name", "chair")
            self.make(page)
            self.assertEqual(self.saved(page)[:4], b"glTF")

    def test_photographs_without_cameras(self) -> None:
        folder, images = self.folder, self.five_images()
        with Page(self.serve_with(PROGRAM.format(folder=folder)).address, may_fail=True) as page:
            page.choose("#files", images[:4])
            page.click("[data-mode=none]")
            self.assertTrue(page.evaluate("document.getElementById('make').disabled"))
            page.choose("#files", images)
            page.enter("#name", "chair")
            page.click("#make")
            page.wait_for("document.getElementById('status').textContent.startsWith('cameras: features: 3 of 5: ')")
            (folder / "go").write_text("fail")
            page.wait_for("document.getElementById('status').className === 'bad'")
            self.assertEqual(page.text("status"), "masks: look at masks.jpg")
            page.wait_for("!document.getElementById('sheet').hidden")
            (folder / "go").write_text("")
            self.make(page)
            self.assertIn("a volume of 64 voxels", page.text("status"))
            self.assertIn("cameras: 4.png has none", page.text("warnings"))
            self.assertEqual(page.evaluate("document.getElementById('viewer').srcdoc"), "<p>the mesh\n")
            self.assertEqual(self.saved(page), b"glTF\n")
            self.assertFalse(page.evaluate("document.getElementById('report').hidden"))
            (folder / "go").unlink()
            page.click("#make")
            page.wait_for("document.getElementById('status').textContent.startsWith('cameras: features')")
            page.click("#cancel")
            page.wait_for("document.getElementById('status').textContent === 'cancelled'")

    def test_a_known_length_is_clicked_in_two_photographs(self) -> None:
        with Page(self.serve_with(f'echo "$@" >"{self.folder}/arguments"\nexit 3\n').address, may_fail=True) as page:
            page.choose("#files", self.five_images())
            page.click("[data-mode=none]")
            page.click("#add-length")
            self.click_ends(page, 0, (10.0, 20.0), (30.5, 40.0))
            self.assertIn("Choose a second photograph", page.evaluate("document.querySelector('[data-part=says]').textContent"))
            self.click_ends(page, 3, (12.0, 21.0), (33.0, 44.0))
            use = "document.querySelector('[data-part=use]')"
            self.assertTrue(page.evaluate(f"{use}.disabled"))
            page.enter("[data-part=value]", "12 cm")
            self.assertFalse(page.evaluate(f"{use}.disabled"))
            page.click("[data-part=use]")
            self.assertEqual(page.text("lengths"), "12cm")
            page.enter("#bar", "98.5 mm")
            page.click("#make")
            page.wait_for("document.getElementById('status').className === 'bad'")
        words = (self.folder / "arguments").read_text().split()
        begin = words.index("--known-distance")
        self.assertEqual(words[begin + 5:begin + 8], ["12cm", "--printed-bar", "98.5mm"])
        expected = ["0.png:10,20", "3.png:12,21", "0.png:30.5,40", "3.png:33,44"]
        for word, wanted in zip(words[begin + 1:begin + 5], expected):
            (name, place), (wanted_name, wanted_place) = (each.split(":") for each in (word, wanted))
            self.assertEqual(name, wanted_name)
            for found, right in zip(place.split(","), wanted_place.split(",")):
                self.assertAlmostEqual(float(found), float(right), delta=1)  # a click is at a whole pixel of the screen

    def click_ends(self, page: Page, image: int, *places) -> None:
        """Clicks pixels of a photograph in the dialog."""
        page.enter("[data-part=choice]", str(image))
        picture = "document.querySelector('[data-part=picture]')"
        page.wait_for(f"{picture}.complete && {picture}.naturalWidth > 0")
        for x, y in places:
            page.evaluate(f"""(() => {{ const picture = {picture}, box = picture.getBoundingClientRect();
              picture.dispatchEvent(new MouseEvent('click', {{ bubbles: true,
                clientX: box.left + {x} * box.width / picture.naturalWidth,
                clientY: box.top + {y} * box.height / picture.naturalHeight }})); }})()""")
