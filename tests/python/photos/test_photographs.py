"""The photographs that p2mpp-photos works with: formats, orientation, what is left out, frames of a video."""

import errno
import os
import shutil
import struct
from pathlib import Path
from unittest import mock

import numpy as np
from PIL import Image

from runs import TemporaryTest, require

require("cv2", "pycolmap")

import cv2

from p2mpp.photos.photographs import MODEL, ORIENTATION, find_photographs, names_for, read_all, sharpness
from p2mpp.photos.steps import StepError
from p2mpp.photos.video import write_frames

FOCAL_35 = 0xA405
EXIF = 0x8769


def pattern(seed: int, width: int = 160, height: int = 120) -> np.ndarray:
    """RGB: squares of random colours."""
    small = np.random.default_rng(seed).integers(0, 256, (height // 10, width // 10, 3), np.uint8)
    return small.repeat(10, 0).repeat(10, 1)


class PhotographsTest(TemporaryTest):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "source"
        self.source.mkdir()

    def save(self, name: str, pixels: np.ndarray, **options) -> Path:
        Image.fromarray(pixels).save(self.source / name, **options)
        return self.source / name

    def read(self, keep_all: bool = False, refused=lambda paths: {}):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "out").mkdir()
        return read_all(find_photographs(self.source), self.folder / "out", 2, keep_all, refused)

    def test_the_orientation_is_applied_once_and_the_focal_length_stays(self):
        exif = Image.Exif()
        exif[ORIENTATION] = 6
        exif.get_ifd(EXIF)[FOCAL_35] = 26
        pixels = pattern(1)
        self.save("turned.jpg", pixels, exif=exif, quality=95)
        (kept,), left_out = self.read()
        self.assertEqual((kept.width, kept.height, left_out), (120, 160, {}))
        with Image.open(self.folder / "out" / kept.name) as image:
            self.assertEqual(image.getexif().get(ORIENTATION, 1), 1)
            self.assertEqual(image.getexif().get_ifd(EXIF)[FOCAL_35], 26)
            off = np.abs(np.asarray(image).astype(int) - np.rot90(pixels, -1)).mean()
        self.assertLess(off, 12)

    def test_upright_files_are_copied(self):
        paths = [self.save("a.jpg", pattern(1)), self.save("b.png", pattern(2))]
        self.read()
        for path in paths:
            self.assertEqual((self.folder / "out" / path.name).read_bytes(), path.read_bytes())

    def test_other_formats_become_jpeg_or_keep_their_transparency(self):
        self.save("a.webp", pattern(1))
        self.save("c.bmp", pattern(3))
        self.save("b.webp", np.dstack([pattern(2), np.tile([0, 255], (120, 80)).astype(np.uint8)]), lossless=True)
        kept, _ = self.read()
        self.assertEqual([(each.name, each.alpha) for each in kept], [("a.jpg", False), ("b.png", True), ("c.jpg", False)])

    def test_heic(self):
        import pillow_heif

        pillow_heif.register_heif_opener()
        self.save("a.HEIC", pattern(1), format="HEIF")
        (kept,), _ = self.read()
        self.assertEqual((kept.name, kept.width), ("a.jpg", 160))

    def test_what_cannot_be_read_is_left_out(self):
        self.save("a.jpg", pattern(1))
        (self.source / "b.jpg").write_bytes((self.source / "a.jpg").read_bytes()[:700])
        (self.source / "c.jpg").write_bytes(b"no picture")
        Image.fromarray(pattern(2)).save(self.source / "d.jpg", format="EPS")
        kept, left_out = self.read()
        self.assertEqual([each.name for each in kept], ["a.jpg"])
        self.assertEqual(sorted(left_out), ["b.jpg", "c.jpg", "d.jpg"])
        for reason in left_out.values():
            self.assertRegex(reason, "^cannot be read: ")
        self.assertEqual([path.name for path in (self.folder / "out").iterdir()], ["a.jpg"])

    def test_metadata_that_cannot_be_kept(self):
        """Pillow reads a model's name that is a number, but cannot write it beside the new orientation."""
        entries = [struct.pack("<HHIHH", ORIENTATION, 3, 1, 6, 0), struct.pack("<HHIf", MODEL, 11, 1, 1.0)]
        metadata = b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + b"".join(entries) + bytes(4)
        self.save("a.jpg", pattern(1))
        self.save("b.jpg", pattern(2), exif=metadata)
        kept, left_out = self.read()
        self.assertEqual(([each.name for each in kept], list(left_out)), (["a.jpg"], ["b.jpg"]))
        self.assertEqual(os.listdir(self.folder / "out"), ["a.jpg"])

    def test_what_the_program_does_not_read(self):
        for number in range(6):
            self.save(f"{number}.png", pattern(number))
        calls = []

        def refused(paths):
            calls.append([path.name for path in paths])
            return {path.name: "damaged" for path in paths if path.name in ("1.png", "5.png")}

        kept, left_out = self.read(refused=refused)
        self.assertEqual([each.name for each in kept], ["0.png", "2.png", "3.png", "4.png"])
        self.assertEqual(left_out, {"1.png": "cannot be read: damaged", "5.png": "cannot be read: damaged"})
        self.assertEqual(sorted(calls), [["0.png", "1.png", "2.png", "3.png"], ["4.png", "5.png"]])
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["0.png", "2.png", "3.png", "4.png"])

    def test_a_full_disk_is_not_the_photograph_s_fault(self):
        self.save("a.jpg", pattern(1))
        with mock.patch("shutil.copyfile", side_effect=OSError(errno.ENOSPC, "full")), self.assertRaises(OSError):
            self.read()

    def test_blurred_and_doubled_ones_are_left_out_but_not_of_a_turntable(self):
        for number in range(10):
            self.save(f"{number}.png", pattern(number))
        self.save("3 again.png", pattern(3))
        self.save("7.png", cv2.GaussianBlur(pattern(7), (0, 0), 4))
        kept, left_out = self.read()
        self.assertEqual(len(kept), 9)
        self.assertEqual(left_out["3.png"], "shows the same as 3 again.png")
        self.assertRegex(left_out["7.png"], r"^blurred: \d+% of the usual sharpness$")
        self.assertEqual(len(self.read(keep_all=True)[0]), 11)

    def test_sharpness_depends_on_the_blur_and_hardly_on_what_is_shown(self):
        plain = np.full((120, 160), 90, np.uint8)
        plain[40:80, 50:110] = 160
        values = [sharpness(plain), sharpness(cv2.cvtColor(pattern(5), cv2.COLOR_RGB2GRAY))]
        self.assertLess(abs(values[0] - values[1]), 0.5 * max(values))
        self.assertLess(sharpness(cv2.GaussianBlur(plain, (0, 0), 3)), 0.4 * values[0])

    def test_where_photographs_are_found(self):
        self.assertEqual(find_photographs(self.source), [])
        (self.source / "images").mkdir()
        self.save("images/b.JPG", pattern(1))
        self.save("images/a.png", pattern(2))
        self.save("images/.hidden.jpg", pattern(2))
        self.assertEqual([path.name for path in find_photographs(self.source)], ["a.png", "b.JPG"])

    def names(self, *sources: str, keep_order: bool = False) -> list:
        return names_for([Path(each) for each in sources], keep_order)

    def test_names_that_share_a_stem(self):
        self.assertEqual(self.names("a.jpg", "a.png", "b.jpg"), ["a_jpg", "a_png", "b"])
        self.assertEqual(self.names("a.jpg", "a.png", "a_jpg.jpg"), ["a_jpg_2", "a_png", "a_jpg"])
        self.assertEqual(self.names("a b.jpg", "a#b.jpg", "a_b.jpg"), ["a_b_jpg", "a_b_jpg_2", "a_b"])

    def test_names_that_lists_do_not_carry(self):
        self.assertEqual(self.names("Photo 1.jpg", "#2.jpg", "a\nb.jpg", os.fsdecode(b"\xff.jpg"), "\u00e9.jpg"),
                         ["Photo_1", "_2", "a_b", "_", "\u00e9"])
        (longest,) = self.names(63 * "\u20ac" + "a.jpg")
        self.assertLessEqual(len(longest.encode()), 200)

    def test_a_turntable_keeps_its_order(self):
        self.assertEqual(self.names("t 1.jpg", "t 10.jpg", "t 2.jpg", keep_order=True), ["t_1", "t_10", "t_2"])
        self.assertEqual(self.names("t 10.jpg", "t 9.jpg", "t-1.jpg", keep_order=True), ["0002_t_10", "0001_t_9", "0003_t-1"])

    def test_the_sharpest_frame_of_each_interval(self):
        video = self.folder / "v.avi"
        writer = cv2.VideoWriter(str(video), cv2.VideoWriter_fourcc(*"MJPG"), 10, (160, 120))
        for number in range(12):
            frame = pattern(number // 4)
            writer.write(frame if number % 4 == 2 else cv2.GaussianBlur(frame, (0, 0), 4))
        writer.release()
        (self.folder / "frames").mkdir()
        written = write_frames(video, self.folder / "frames", 3)
        self.assertEqual([path.name for path in written], ["frame_0001.jpg", "frame_0002.jpg", "frame_0003.jpg"])
        for number, path in enumerate(written):
            off = np.abs(cv2.imread(str(path)).astype(int) - pattern(number)).mean()
            self.assertLess(off, 20, path)

    def test_no_video(self):
        (self.folder / "v.mp4").write_bytes(b"nothing")
        self.assertRaisesRegex(StepError, r"v\.mp4: is no video that can be read", write_frames, self.folder / "v.mp4",
                               self.folder / "frames", 3)
