"""The engine: a model on a device."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Union

import numpy as np

from p2mpp import _core
from p2mpp._core import Camera, Mesh, Sample

Frame = Literal["world", "camera0", "source"]
Path = Union[str, "os.PathLike[str]"]
# uint8 [V, H, W, 3 or 4], or an array or a file for each view.
Images = Union[np.ndarray, Sequence[Union[np.ndarray, Path]]]
# Camera objects, or rows [V, 5]: azimuth, elevation (degrees), 0, distance, 0.
Cameras = Union[np.ndarray, Sequence[Union[Camera, Sequence[float]]]]


@dataclass(frozen=True)
class Result:
    """What Engine.stream() gives for a sample: a mesh, or the reason why there is none."""

    id: str
    mesh: Mesh | None
    error: str = ""


class Engine:
    """A model on a device, ready to reconstruct. Its weights stay there between calls.

    model: a model's folder; None is the bundled model.
    device: "auto" (a GPU if one works, else the CPU), "cpu", "cuda" or "cuda:N".
    precision: "auto" (tf32 on a GPU, fp32 on a CPU), "fp32", "tf32", "bf16", "fp16" or "fp8".
    batch: samples that stream() computes together; 0 measures the fastest number.
    threads: of the CPU; 0 is one per physical core.

    Raises UsageError for an option, InputError for a model, Error for a device that cannot be used. Several threads may
    call an engine; it computes for one at a time, and other Python threads run meanwhile.
    """

    def __init__(self, model: Path | None = None, *, device: str = "auto", precision: str = "auto",
                 backend: str = "auto", batch: int = 1, threads: int = 0):
        self._core = _core.Engine(None if model is None else os.fspath(model), device, precision, backend, batch,
                                  threads)

    def reconstruct(self, images: Images | Sample | Path, cameras: Cameras | None = None, *,
                    frame: Frame = "world") -> Mesh:
        """The mesh of one object.

        images and cameras: 2 to 64 views (sample()); or, without cameras, a Sample, or the path of a sample's
        folder or a capture (read_sample()).
        frame: of the vertices. "world": the cameras' (y up, the object's centre at the origin); "camera0": the first
        camera's, as published; "source": the capture's coordinates and units.
        Raises InputError if the images or cameras cannot be used.
        """
        if cameras is not None:
            images = self.sample(images, cameras)
        elif not isinstance(images, Sample):
            images = self.read_sample(images)
        return self._core.reconstruct(images, frame)

    def sample(self, images: Images, cameras: Cameras, id: str = "sample") -> Sample:
        """A sample of decoded images or image files, and a camera for each.

        The first camera is the network's frame. Images show the object alone: transparent or white around it.
        """
        arrays = [_pixels(image) for image in images]
        return _core.sample_from_arrays(arrays, [_camera(camera) for camera in cameras], id)

    def read_sample(self, path: Path, *, views: Sequence[int] = (), masks: Path | None = None,
                    fit: bool = True) -> Sample:
        """Reads a sample's folder, or a capture (a COLMAP model's folder, transforms.json).

        views: which to use, from 0; by default those that suit the model. masks: a folder with a mask for each
        photograph of a capture. fit: keep the masks of all photographs, which the mesh is then fitted to.
        Raises InputError naming the file that is missing or malformed.
        """
        return self._core.read_sample(os.fspath(path), list(views), None if masks is None else os.fspath(masks), fit)

    def stream(self, samples: Iterable[Sample | Path], *, frame: Frame = "world") -> Iterator[Result]:
        """Reconstructs samples one after the other, with batches in flight; results come in the samples' order.

        A sample that cannot be read or computed gives a Result with an error; the others are computed. Raises Error if
        the device fails.
        """
        # Each entry: the results that are known already, and whether a batch in flight follows them.
        waiting: deque[tuple[list[Result | None], bool]] = deque()
        in_flight = 0
        try:
            for batch in _batches(samples, max(1, self.batch)):
                ready, failed = self._read_batch(batch)
                while in_flight == self.batches_in_flight:
                    results, has_batch = waiting.popleft()
                    in_flight -= has_batch
                    yield from self._finish(results, has_batch, frame)
                if ready:
                    self._core.submit(ready)
                    in_flight += 1
                waiting.append((failed, bool(ready)))
            while waiting:
                results, has_batch = waiting.popleft()
                in_flight -= has_batch
                yield from self._finish(results, has_batch, frame)
        finally:
            for _ in range(in_flight):  # the caller stopped early
                self._core.collect(frame)

    def _read_batch(self, batch: list[Sample | Path]) -> tuple[list[Sample], list[Result | None]]:
        """The samples that could be read; and for each of the batch its failure, or None."""
        ready: list[Sample] = []
        failed: list[Result | None] = []
        for sample in batch:
            try:
                opened = sample if isinstance(sample, Sample) else self.read_sample(sample)
            except _core.InputError as error:
                failed.append(Result(os.path.basename(os.fspath(sample)), None, str(error)))
                continue
            if problem := self._core.problem_of(opened):
                failed.append(Result(opened.id, None, problem))
            else:
                ready.append(opened)
                failed.append(None)
        return ready, failed

    def _finish(self, failed: Sequence[Result | None], has_batch: bool, frame: Frame) -> Iterator[Result]:
        computed = iter(self._core.collect(frame) if has_batch else ())
        for failure in failed:
            yield failure if failure is not None else Result(*next(computed))

    @property
    def device(self) -> str:
        """ "cpu" or "cuda:N"."""
        return self._core.device

    @property
    def backend(self) -> str:
        """ "fused" or "torchscript"."""
        return self._core.backend

    @property
    def precision(self) -> str:
        """ "fp32", "tf32", "bf16", "fp16" or "fp8"."""
        return self._core.precision

    @property
    def batch(self) -> int:
        """Samples that stream() computes together."""
        return self._core.batch

    @property
    def batches_in_flight(self) -> int:
        """Batches in flight that keep the device busy."""
        return self._core.batches_in_flight

    @property
    def threads(self) -> int:
        """CPU threads."""
        return self._core.threads

    @property
    def model(self) -> str:
        """The model's name."""
        return self._core.model

    def __repr__(self) -> str:
        return f"p2mpp.Engine({self.model}: {self.backend} {self.precision} on {self.device})"


def _pixels(image: np.ndarray | Path) -> np.ndarray:
    if isinstance(image, (str, os.PathLike)):
        return _core.read_image(os.fspath(image))
    pixels = np.asarray(image)
    if pixels.dtype != np.uint8:
        raise _core.InputError(f"an image of {pixels.dtype}; expected uint8, 0 to 255")
    if pixels.ndim != 3:
        raise _core.InputError(f"an image of shape {list(pixels.shape)}; expected [height, width, 3 or 4]")
    return np.ascontiguousarray(pixels)


def _camera(camera: Camera | Sequence[float]) -> Camera | list[float]:
    return camera if isinstance(camera, Camera) else [float(number) for number in camera]


def _batches(items: Iterable[Sample | Path], size: int) -> Iterator[list[Sample | Path]]:
    batch: list[Sample | Path] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
