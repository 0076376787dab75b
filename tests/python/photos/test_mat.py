"""The mat: files to print, markers in pictures, the scale that whole mats give and others do not."""

import re
import unittest

import cv2
import numpy as np

from runs import TemporaryTest, require, run_here

require("cv2", "pycolmap")

from mats import KINDS, capture

from p2mpp.commands import photos
from p2mpp.photos.markers import from_json, markers_in, to_json
from p2mpp.photos.mat import BAR, PAPERS, mat_of
from p2mpp.photos.mat_file import POINTS
from p2mpp.photos.mat_fit import Disagreement, NotEnough, fit_mat

RESOLUTION = 4  # pixels of a millimetre
RANDOM_CAPTURES = 200
MOST = 10  # photographs of each
WRONG = 0.01  # of the scale


def svg_rectangles(text: str) -> np.ndarray:
    """[N,4]: left, top, width, height in millimetres from the sheet's upper left corner."""
    return np.array(re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", text), float)


def pdf_rectangles(data: bytes) -> np.ndarray:
    height = float(re.search(rb"/MediaBox \[0 0 [\d.]+ ([\d.]+)\]", data)[1]) / POINTS
    found = np.array(re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\n", data), float)
    return np.column_stack([found[:, 0], height - found[:, 1] - found[:, 3], found[:, 2:]])


def raster(rectangles: np.ndarray, width: float, height: float) -> np.ndarray:
    picture = np.full((round(height * RESOLUTION), round(width * RESOLUTION)), 255, np.uint8)
    for left, top, across, down in RESOLUTION * rectangles:
        picture[round(top):round(top + down), round(left):round(left + across)] = 0
    return picture


class FilesTest(TemporaryTest):
    def rectangles(self, paper: str, suffix: str) -> np.ndarray:
        path = self.folder / f"mat{suffix}"
        self.assertEqual(run_here(photos.main, "mat", "--out", path, "--paper", paper, code=0).stdout, f"{path}\n")
        return svg_rectangles(path.read_text()) if suffix == ".svg" else pdf_rectangles(path.read_bytes())

    def test_markers_and_bar_of_all_papers(self):
        for paper in PAPERS.values():
            mat = mat_of(paper.name)
            for suffix in (".pdf", ".svg"):
                rectangles = self.rectangles(paper.name, suffix)
                self.assertAlmostEqual(rectangles[-1, 2], BAR)
                found = dict(markers_in(raster(rectangles, paper.width, paper.height)))
                self.assertEqual(sorted(found), sorted(mat.corners))
                for number, corners in found.items():
                    printed = (corners / RESOLUTION * (1, -1) + (0, paper.height)) - mat.centre
                    self.assertLess(np.abs(printed - mat.corners[number][:, :2]).max(), 0.3)

    def test_papers_share_no_marker(self):
        numbers = [number for name in PAPERS for number in mat_of(name).corners]
        self.assertEqual(len(numbers), len(set(numbers)))

    def test_the_places_in_a_pdf(self):
        self.rectangles("A4", ".pdf")
        data = (self.folder / "mat.pdf").read_bytes()
        begin = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", data)[1])
        self.assertTrue(data[begin:].startswith(b"xref\n0 6\n"))
        for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n ", data), start=1):
            self.assertTrue(data[int(place):].startswith(b"%d 0 obj\n" % number))
        length, content = re.search(rb"/Length (\d+) >>\nstream\n(.*)\nendstream", data, re.S).groups()
        self.assertEqual(int(length), len(content))
        self.assertIn(b"/MediaBox [0 0 595.2756 841.8898]", data)

    def test_names_that_are_no_file_to_print(self):
        run_here(photos.main, "mat", "--out", self.folder / "mat.png", code=2)
        run_here(photos.main, "mat", "--out", self.folder / "none/mat.pdf", code=1)
        self.assertFalse(list(self.folder.iterdir()))


class MarkersTest(unittest.TestCase):
    def test_corners_in_a_slanted_blurred_picture(self):
        mat = mat_of("A4")
        from p2mpp.photos.mat import black

        rectangles = black(mat)
        rectangles[:, 1] = mat.paper.height - rectangles[:, 1] - rectangles[:, 3]
        sheet = raster(rectangles, mat.paper.width, mat.paper.height)
        high, wide = sheet.shape
        slant = cv2.getPerspectiveTransform(np.float32([[0, 0], [wide, 0], [wide, high], [0, high]]),
                                            np.float32([[220, 60], [640, 90], [760, 560], [40, 520]]))
        # A pixel's number is its centre for OpenCV, and a shift of half a pixel to its corner.
        half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
        picture = cv2.warpPerspective(cv2.GaussianBlur(sheet, (0, 0), 2.0), np.linalg.inv(half) @ slant @ half, (800, 600), flags=cv2.INTER_AREA,
                                      borderValue=200)
        found = dict(markers_in(cv2.GaussianBlur(picture, (0, 0), 0.8)))
        self.assertEqual(len(found), 16)
        off = []
        for number, corners in found.items():
            on_sheet = RESOLUTION * ((mat.corners[number][:, :2] + mat.centre) * (1, -1) + (0, mat.paper.height))
            off.append(corners - cv2.perspectiveTransform(on_sheet[None], slant)[0])
        self.assertLess(np.abs(np.mean(off, axis=(0, 1))).max(), 0.1)
        self.assertLess(np.sqrt((np.array(off) ** 2).sum(-1).mean()), 0.8)

    def test_as_json(self):
        found = {"a.jpg": [(3, np.array([[1.0, 2], [3, 4], [5, 6], [7, 8.125]]))]}
        np.testing.assert_array_equal(from_json(to_json(found))["a.jpg"][0][1], found["a.jpg"][0][1])


class FitTest(unittest.TestCase):
    def fitted(self, kind: str, seed: int = 1, **options):
        shown = capture(np.random.default_rng(seed), kind, **options)
        return shown, fit_mat(shown.views, shown.found)

    def test_exact_mats_of_all_papers(self):
        for number, paper in enumerate(PAPERS):
            for noise, limit in ((0.0, 1e-6), (0.3, 1e-3)):
                shown, fit = self.fitted("whole", number, paper=paper, noise=noise, cameras=noise, most=16)
                self.assertEqual(fit.mat.paper.name, paper)
                self.assertAlmostEqual(fit.place.scale / shown.place.scale, 1, delta=limit)
                self.assertGreater(fit.place.rotation[:, 2] @ shown.place.rotation[:, 2], np.cos(np.radians(0.2)))
                self.assertLess(np.abs(fit.place.back(shown.place.shift[None])).max(), 0.3)
                self.assertLess(max(fit.scale_error, fit.up_error, fit.height_error), 0.2)

    def test_standard_errors_are_as_large_as_the_errors(self):
        off = []
        for seed in range(12):
            shown, fit = self.fitted("whole", seed, paper="A4", most=12)
            off.append((fit.place.scale / shown.place.scale - 1) / fit.scale_error)
        self.assertLess(np.sqrt(np.mean(np.square(off))), 3)
        self.assertGreater(np.sqrt(np.mean(np.square(off))), 0.2)

    def test_no_random_capture_gives_a_wrong_scale(self):
        """Cut, taped, doubled, bent and wrongly printed mats; most whole and cut ones give a scale."""
        fine = 0
        for seed in range(RANDOM_CAPTURES):
            kind = KINDS[seed % len(KINDS)]
            shown = capture(np.random.default_rng(1000 + seed), kind, most=MOST)
            try:
                fit = fit_mat(shown.views, shown.found)
            except (Disagreement, NotEnough) as error:
                self.assertFalse(kind == "whole" and isinstance(error, Disagreement), f"{seed}: {error}")
                continue
            if fit is not None:
                fine += 1
                off = abs(fit.place.scale * BAR / shown.printed.bar / shown.place.scale - 1)
                self.assertLess(off, WRONG, f"{seed}: {kind}: {off:.2%}")
        self.assertGreater(fine, 0.3 * RANDOM_CAPTURES)

    def test_a_marker_is_elsewhere_by_its_place_not_by_pixels(self):
        """In two of its photographs the corners are off: by what blur does, and by a piece of paper that was moved."""
        for pixels, is_moved in ((4, False), (60, True)):
            shown = capture(np.random.default_rng(5), "whole", paper="A4", most=12, noise=0.1, cameras=0.1)
            number, names = min(((k, [name for name, markers in shown.found.items() if k in dict(markers)]) for k in shown.mat.corners),
                                key=lambda seen: abs(len(seen[1]) - 6))
            for name in names[:2]:
                shown.found[name] = [(k, corners + pixels * (k == number)) for k, corners in shown.found[name]]
            if is_moved:
                with self.assertRaisesRegex(Disagreement, f"^marker {number} is elsewhere in 2 of {len(names)} photographs"):
                    fit_mat(shown.views, shown.found)
            else:
                self.assertAlmostEqual(fit_mat(shown.views, shown.found).place.scale / shown.place.scale, 1, delta=1e-3)

    def refused(self, pattern: str, change) -> None:
        shown = capture(np.random.default_rng(5), "whole", paper="A4", most=12, noise=0.1, cameras=0.1)
        change(shown)
        with self.assertRaisesRegex(Disagreement, pattern):
            fit_mat(shown.views, shown.found)

    def test_why_a_mat_is_refused(self):
        def two(shown):
            for markers in shown.found.values():
                markers.append((markers[0][0], markers[0][1] + 200))

        def papers(shown):
            for markers in shown.found.values():
                markers += [(40, markers[0][1] + 90), (41, markers[0][1] + 120)]

        def pasted(shown, change=lambda k, places: places + (8, 0, 0) if k == 3 else places):
            for view in shown.views:
                shown.found[view.name] = [(k, view.pixels(shown.place.points(change(k, shown.mat.corners[k])))) for k, _ in shown.found[view.name]]

        self.refused(r"^marker \d+ is twice in \d+.jpg, and others likewise", two)
        self.refused(r"^markers of several mats are in the photographs \(A4 and A3\)", papers)
        self.refused(r"^the distance of markers (3 and \d+|\d+ and 3) is .* mm by the others, and .* mm on the mat", pasted)
        self.refused(r"^the mat is 0.9% longer in one direction", lambda shown: pasted(shown, lambda _, places: places * (1, 1.009, 1)))
        self.refused(r"^marker \d+ is \d+\.\d mm from its place on the mat",
                     lambda shown: pasted(shown, lambda k, places: places[[2, 3, 0, 1]] if k == 3 else places))

    def test_too_little_of_a_mat(self):
        shown = capture(np.random.default_rng(5), "whole", paper="A4", most=12)
        for name, kept in (("one side", range(4)), ("two", (0, 8))):
            found = {name: [each for each in markers if each[0] in kept] for name, markers in shown.found.items()}
            with self.assertRaisesRegex(NotEnough, "markers have a sure place", msg=name):
                fit_mat(shown.views, found)
        self.assertIsNone(fit_mat(shown.views, {"0.jpg": shown.found["0.jpg"]}))  # in one photograph: not sure that it is a mat
