"""The engine: a model on a device."""

from __future__ import annotations

import inspect
import os
import reprlib
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Union

import numpy as np

from p2mpp import _core
from p2mpp._core import Camera, Fit, Mesh, Sample, Surface

Frame = Literal["world", "camera0", "source"]
Path = Union[str, "os.PathLike[str]"]
Option = Union[str, int, float, bool, Path]  # of the command line; _core says their names
# uint8 [V, H, W, 3 or 4], or an array or a file for each view.
Images = Union[np.ndarray, Sequence[Union[np.ndarray, Path]]]
# Camera objects, or rows [V, 5]: azimuth and elevation in degrees, 0, distance (the object's diagonal is 0.57), 0.
Cameras = Union[np.ndarray, Sequence[Union[Camera, Sequence[float]]]]


class Warning(UserWarning):
    """A decision or a doubt of p2mpp, in one line. warnings.simplefilter() silences it like other warnings."""


@dataclass(frozen=True)
class Result:
    """The result of Engine.stream() for a sample: a mesh, or the reason why there is none."""

    id: str
    mesh: Mesh | None
    error: str = ""

    @property
    def fit(self) -> Fit | None:
        """The figures of the fit to the sample's masks; None if the mesh was not fitted."""
        return None if self.mesh is None else self.mesh.fit

    @property
    def surface(self) -> Surface | None:
        """The figures of a volume's surface; None if the surface is another."""
        return None if self.mesh is None else self.mesh.surface


def _with_keywords(keywords: list[tuple]) -> Callable:
    """Adds options of the command line to a function that takes them as keyword arguments."""

    def add(function: Callable) -> Callable:
        signature = inspect.signature(function)
        named = [parameter for parameter in signature.parameters.values() if parameter.kind != parameter.VAR_KEYWORD]
        named += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
                  for name, default, _ in keywords]
        function.__signature__ = signature.replace(parameters=named)
        lines = [f"        {name}: {help}. Default: {default!r}." for name, default, help in keywords]
        function.__doc__ = "\n".join([(function.__doc__ or "").rstrip(), "", *lines, "        "])
        return function

    return add


class Engine:
    """A model on a device, ready to reconstruct. Its weights stay there between calls.

    model: a model's folder; None is the bundled model. The other arguments are options of the program; help() of this
    class's __init__ lists them. batch: samples that stream() computes together; 0 measures the fastest number.

    Raises UsageError for an option, InputError for a model, Error for a device that cannot be used. Warns
    (p2mpp.Warning) if "auto" cannot take the GPU.

    Threads may share an engine, also while they stream: each gets its own results. It computes in the order of the
    calls, in a thread of its own, while other Python threads run. Ctrl-C ends a wait at once. The engine
    finishes the current samples in the background and drops them.
    """

    @_with_keywords(_core.engine_keywords())
    def __init__(self, model: Path | None = None, **options: Option):
        """Loads the model."""
        self._core = _core.Engine(None if model is None else os.fspath(model), options)
        if note := self._core.note:
            _warn(note)
        self._warn_of_deviations()

    @_with_keywords(_core.run_keywords())
    def reconstruct(self, images: Images | Sample | Path, cameras: Cameras | None = None, *,
                    frame: Frame = "world", **options: Option) -> Mesh:
        """The mesh of one object. mesh.fit says how well it was fitted to masks, if there are any. mesh.surface says
        what a volume's surface was made from.

        images and cameras: 2 to 64 views (sample()); or, without cameras, a Sample, or the path of a sample's
        folder or a capture (read_sample()).
        frame: of the vertices. "world": the cameras' (y up, the object's centre at the origin); "camera0": the first
        camera's, as published; "source": the capture's coordinates and units.
        Raises InputError if the images or cameras cannot be used, UsageError for another frame or option.
        """
        _check_options(frame, options)
        is_given = cameras is None and isinstance(images, Sample)
        if cameras is not None:
            images = self.sample(images, cameras)
        elif not is_given:
            if not isinstance(images, (str, os.PathLike)):
                raise _core.UsageError("images without cameras; expected a camera for each, or a Sample or a path "
                                       "alone")
            images = self.read_sample(images, **options)
        batch = self._core.submit([images], [not is_given], frame, options)
        result, = self._results(batch)
        if result.mesh is None:
            raise _core.InputError(result.error)
        return result.mesh

    def sample(self, images: Images, cameras: Cameras, id: str = "sample") -> Sample:
        """A sample of decoded images or image files, and a camera for each.

        images: uint8 [V, H, W, 3 or 4] (red, green, blue, alpha), or an array or a file for each. They show the object
        alone: transparent or white around it.
        cameras: a Camera for each, whose world has the object's centre at its origin, or a row: azimuth and elevation
        in degrees, 0, distance, 0 (Camera.from_row()). The first row is the network's frame.
        """
        return _core.sample_from_arrays([_pixels(image) for image in images], list(cameras), id)

    @_with_keywords(_core.run_keywords())
    def read_sample(self, path: Path, *, views: Sequence[int] = (), masks: Path | None = None,
                    fit: bool = True, **options: Option) -> Sample:
        """Reads a sample's folder, or a capture (a COLMAP model's folder, transforms.json).

        views: which to use, from 0; by default those that suit the model. masks: a folder with a mask for each
        photograph of a capture. fit: False is fit_views="none". The options say which masks are kept: those of a
        volume, of a hull or of a fit.
        Raises InputError naming the file that is missing or malformed. Warns (p2mpp.Warning) of what was decided about
        the images and of what looks wrong: Sample.note, Sample.doubts.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise _core.InputError(f"a sample that is of type {type(path).__name__}; expected a Sample or the path of "
                                   "a sample's folder or a capture")
        if not fit:
            options = {**options, "fit_views": "none"}
        sample = self._core.read_sample(os.fspath(path), [int(view) for view in views],
                                        None if masks is None else os.fspath(masks), options)
        for line in [*filter(None, [sample.note]), *sample.doubts]:
            _warn(f"{sample.id}: {line}")
        return sample

    @_with_keywords(_core.run_keywords())
    def stream(self, samples: Iterable[Sample | Path], *, frame: Frame = "world",
               **options: Option) -> Iterator[Result]:
        """Reconstructs samples one after the other; results come in the samples' order.

        The next samples are read while the engine computes. A sample that cannot be read or computed gives a Result
        with an error; the others are computed. frame: see reconstruct(). Raises UsageError for another frame or
        option, Error if the device fails.
        """
        _check_options(frame, options)  # now, and not with the first result
        return self._stream(samples, frame, options)

    def _stream(self, samples: Iterable[Sample | Path], frame: Frame, options: dict[str, Option]) -> Iterator[Result]:
        waiting: deque[_Submitted] = deque()
        in_flight = 0
        try:
            for several in _batches(samples, max(1, self.batch)):
                submitted = self._submit(several, frame, options)
                waiting.append(submitted)
                in_flight += submitted.batch is not None
                while waiting and (waiting[0].batch is None or in_flight > self.batches_in_flight):
                    in_flight -= waiting[0].batch is not None
                    yield from self._finish(waiting.popleft())
            while waiting:
                yield from self._finish(waiting.popleft())
        finally:
            for submitted in waiting:  # the caller stopped early
                if submitted.batch is not None:
                    submitted.batch.abandon()

    def _submit(self, several: list[Sample | Path], frame: Frame, options: dict[str, Option]) -> _Submitted:
        """Reads samples and starts to compute them."""
        readable: list[Sample] = []
        owned: list[bool] = []
        failures: list[Result | None] = []
        for given in several:
            is_sample = isinstance(given, Sample)
            try:
                readable.append(given if is_sample else self.read_sample(given, **options))
            except _core.InputError as error:
                failures.append(Result(_id_of(given), None, str(error)))
                continue
            owned.append(not is_sample)
            failures.append(None)
        return _Submitted(self._core.submit(readable, owned, frame, options) if readable else None, failures)

    def _finish(self, submitted: _Submitted) -> Iterator[Result]:
        computed = iter(() if submitted.batch is None else self._results(submitted.batch))
        for failure in submitted.failures:
            yield next(computed) if failure is None else failure

    def _results(self, batch: _core.Batch) -> list[Result]:
        """Waits for a batch. Warns of deviations and of what the samples' fits and surfaces note."""
        computed = batch.wait()
        self._warn_of_deviations()
        for id, _, _, lines in computed:
            for line in lines:
                _warn(f"{id}: {line}")
        return [Result(id, mesh, error) for id, mesh, error, _ in computed]

    def _warn_of_deviations(self) -> None:
        for line in self._core.take_warnings():
            _warn(line)

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
        """ "fp32", "tf32", "bf16x3", "bf16", "fp16" or "fp8"."""
        return self._core.precision

    @property
    def batch(self) -> int:
        """Samples that stream() computes together."""
        return self._core.batch

    @property
    def batches_in_flight(self) -> int:
        """The number of batches in flight that keeps the device busy, and that stream() uses."""
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


@dataclass(frozen=True)
class _Submitted:
    """Consecutive samples of a stream: those that could be read are in a batch."""

    batch: _core.Batch | None
    failures: list[Result | None]  # of each sample; None: it is in the batch


def _check_options(frame: object, options: dict[str, Option]) -> None:
    if not isinstance(frame, str):
        raise _core.UsageError(f"frame: {frame!r}; expected world, camera0 or source")
    _core.check_options(frame, options)


def _id_of(given: object) -> str:
    return os.path.basename(os.fspath(given)) if isinstance(given, (str, os.PathLike)) else reprlib.repr(given)


def _warn(line: str) -> None:
    """Warns, as of the line that called into this package."""
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "p2mpp":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(line, Warning, stacklevel=depth)


def _pixels(image: np.ndarray | Path) -> np.ndarray:
    if isinstance(image, (str, os.PathLike)):
        return _core.read_image(os.fspath(image))
    pixels = np.asarray(image)
    if pixels.dtype != np.uint8:
        raise _core.InputError(f"an image of {pixels.dtype}; expected uint8, 0 to 255")
    if pixels.ndim != 3:
        raise _core.InputError(f"an image of shape {list(pixels.shape)}; expected [height, width, 3 or 4]")
    return pixels


def _batches(items: Iterable[Sample | Path], size: int) -> Iterator[list[Sample | Path]]:
    batch: list[Sample | Path] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
