"""The data of a training step. All random numbers of a step come from (seed, stage, step), so an
interrupted run continues with the same numbers, and no random state has to be saved."""

from functools import partial
from typing import Callable, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from p2mpp.network.camera import camera_frames
from torch import Tensor

from .images import network_images

VIEWS = 3
PUBLISHED_VIEWS = (0, 6, 7)
MASKED_CHANNELS = 4


class Batch(NamedTuple):
    """`images` [B,V,3,224,224] float32 BGR, or [B,V,4,224,224] with the mask; `cameras` float64,
    rows [B,V,5] or pinholes [B,V,16]; `points` and `normals` [B,P,3] float32 in the network's
    frame; `hints` [B,V,h,w,4] int8, optional: normals and depth of the pictures (see Studio.picture
    of p2mpp.shapes)."""

    images: Tensor
    cameras: Tensor
    points: Tensor
    normals: Tensor
    hints: Optional[Tensor] = None


class Draw(NamedTuple):
    """A batch on the host, with pictures as the pack or the shards store them."""

    pictures: Tensor
    cameras: Tensor
    points: Tensor
    normals: Tensor
    hints: Optional[Tensor] = None

    def samples(self) -> int:
        """Their number."""
        return len(self.cameras)

    def split(self, parts: int) -> List["Draw"]:
        """Up to `parts` draws of about equal size."""
        pieces = zip(*(tensor.chunk(parts) for tensor in self if tensor is not None))
        return [Draw(*piece) for piece in pieces]

    def to(self, device: torch.device) -> Batch:
        """Images are made on the device."""
        pictures, *others = (tensor.to(device, non_blocking=True) for tensor in self
                             if tensor is not None)
        if pictures.size(-1) == MASKED_CHANNELS:  # of the network's size already
            images = (pictures.float() / 255.0).permute(0, 1, 4, 2, 3)
        else:
            images = network_images(pictures)
        return Batch(images, *others)


class PackSource:
    """The samples of a pack, for training or for evaluation; Shards and HeldOutShards do the same
    for shards."""

    def __init__(self, pack: np.ndarray):
        self.pack = pack

    def count(self) -> int:
        return len(self.pack)

    def draw(self, random: np.random.Generator, _: int, batch: int, points: int) -> Draw:
        return draw_batch(self.pack, random, batch, points)

    def pieces(self, samples: int, batch: int) -> List[Tuple[str, Callable[[], Draw]]]:
        """The first samples (0: all) as batches that are made when they are called."""
        count = min(len(self.pack), samples or len(self.pack))
        return [("all", partial(held_out_batch, self.pack, first, min(batch, count - first)))
                for first in range(0, count, batch)]


def random_of(seed: int, stage: int, step: int, purpose: int = 0) -> np.random.Generator:
    """The random numbers of one step."""
    return np.random.default_rng([seed, stage, step, purpose])


def draw_batch(pack: np.ndarray, random: np.random.Generator, batch: int, points: int) -> Draw:
    """Random samples, ordered triplets of views, ground-truth points, and channel permutations."""
    chosen = random.choice(len(pack), batch, replace=len(pack) < batch)
    views, kept = pack.dtype["numbers"].shape[0], pack.dtype["points"].shape[0]
    pictures, cameras, truth = [], [], []
    for index in chosen:
        record = pack[int(index)]
        triplet = random.permutation(views)[:VIEWS]
        pictures.append(record["pictures"][triplet][..., random.permutation(3)])
        cameras.append(record["cameras"][triplet])
        some = random.permutation(kept)[:points]
        truth.append((record["points"][some], record["normals"][some]))
    return make_draw(pictures, cameras, truth)


def held_out_batch(pack: np.ndarray, first: int, batch: int) -> Draw:
    """Samples first, first + 1, ... with the published views where the pack has them, and all
    points."""
    pictures, cameras, truth = [], [], []
    for index in range(first, min(first + batch, len(pack))):
        record = pack[index]
        numbers = record["numbers"].tolist()
        wanted = PUBLISHED_VIEWS if set(PUBLISHED_VIEWS) <= set(numbers) else numbers[:VIEWS]
        triplet = [numbers.index(number) for number in wanted]
        pictures.append(record["pictures"][triplet])
        cameras.append(record["cameras"][triplet])
        truth.append((record["points"], record["normals"]))
    return make_draw(pictures, cameras, truth)


def make_draw(pictures: list, cameras: list, truth: list) -> Draw:
    """Stack the samples; ground truth goes from the world's frame to the first camera's."""
    rows = torch.from_numpy(np.stack(cameras))
    rotation, origin = camera_frames(rows[:, :1])
    points, normals = (torch.from_numpy(np.stack([each[k] for each in truth]).astype(np.float64))
                       for k in (0, 1))
    to_camera = rotation[:, 0].transpose(-1, -2)
    return Draw(torch.from_numpy(np.ascontiguousarray(np.stack(pictures))), rows,
                ((points - origin) @ to_camera).float(), (normals @ to_camera).float())
