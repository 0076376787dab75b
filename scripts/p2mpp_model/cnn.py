"""The image CNN: 3x3 and 5x5 convolutions with TensorFlow's SAME padding, ReLU after each."""

from typing import List, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SameConvolution(nn.Module):
    """Convolution, bias and ReLU; padded so that ceil(size / stride) pixels come out, the odd pixel of
    padding at the right and at the bottom."""

    stride: int

    def __init__(self, channels_in: int, channels_out: int, kernel: int, stride: int):
        super().__init__()
        self.stride = stride
        self.weight = nn.Parameter(torch.empty(channels_out, channels_in, kernel, kernel))
        self.bias = nn.Parameter(torch.empty(channels_out))

    def padding(self, size: int) -> int:
        kernel = self.weight.size(2)
        return max(((size - 1) // self.stride) * self.stride + kernel - size, 0)

    def forward(self, x: Tensor) -> Tensor:
        rows, columns = self.padding(x.size(2)), self.padding(x.size(3))
        if rows % 2 == 1 or columns % 2 == 1:
            x = F.pad(x, [columns // 2, (columns + 1) // 2, rows // 2, (rows + 1) // 2])
            rows, columns = 0, 0
        return F.conv2d(x, self.weight, self.bias, self.stride,
                        [rows // 2, columns // 2]).relu_()


def make_cnn(channels: Sequence[int], kernels: Sequence[int], strides: Sequence[int]):
    """Convolutions in a row, named 0, 1, 2, ...; the first takes the three channels of an image."""
    inputs = [3, *channels[:-1]]
    return nn.ModuleList(SameConvolution(*sizes)
                         for sizes in zip(inputs, channels, kernels, strides))


def as_batch(images: Tensor) -> Tensor:
    """[B,V,3,H,W] -> [B*V,3,H,W], channels-last in memory: every map then lies as lookups read it."""
    return images.flatten(0, 1).contiguous(memory_format=torch.channels_last)


def as_views(maps: List[Tensor], views: int) -> List[Tensor]:
    """[B*V,C,h,w] each -> [B,V,C,h,w] each."""
    return [m.unflatten(0, [-1, views]) for m in maps]
