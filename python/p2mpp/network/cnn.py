"""The image CNN: 3x3 and 5x5 convolutions with TensorFlow's SAME padding, ReLU after each."""

from typing import List, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layout import STRIDES, Stage1Sizes, Stage2Sizes


class SameConvolution(nn.Module):
    """Convolution, bias and ReLU; padded so that ceil(size / stride) pixels come out, the odd pixel
    of padding at the right and at the bottom."""

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


class ImageStage(nn.Module):
    """The CNN of a stage, some of whose maps are read."""

    def __init__(self, sizes: Union[Stage1Sizes, Stage2Sizes], maps_read: Tuple[int, ...]):
        super().__init__()
        inputs = (sizes.image_channels, *sizes.channels[:-1])
        self.cnn = nn.ModuleList(
            SameConvolution(*each)
            for each in zip(inputs, sizes.channels, sizes.kernels, STRIDES))
        self.maps_read = list(maps_read)

    def cnn_features(self, images: Tensor) -> List[Tensor]:
        """Images [B,V,3 or 4,H,W] (BGR and mask, 0..1) -> the CNN's maps that are read, finest
        first, [B,V,C_k,h,w], channels-last in memory: that is how lookups read them."""
        x = images.flatten(0, 1).contiguous(memory_format=torch.channels_last)
        maps: List[Tensor] = []
        for index, convolution in enumerate(self.cnn):
            x = convolution(x)
            if index in self.maps_read:
                maps.append(x.unflatten(0, [-1, images.size(1)]))
        return maps

    @torch.jit.export
    def features(self, images: Tensor) -> List[Tensor]:
        """The maps that project reads; a stage may add some to the CNN's."""
        return self.cnn_features(images)
