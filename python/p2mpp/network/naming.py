"""How each source of weights names and lays out the parameters of the two stages."""

import re
from typing import Optional, Tuple, Union

from .layout import PUBLISHED_DRB_LAYERS, STAGE2_CONVOLUTIONS, Stage1Sizes, Stage2Sizes

Sizes = Union[Stage1Sizes, Stage2Sizes]
Shape = Tuple[int, ...]


class OwnNaming:
    """Our own names, which the package's docstring lists. `stage` is 1 or 2."""

    PARAMETER = re.compile(r"(cnn|gcn|drb)(\.\d+)+\.(weight|bias|weight0|weight1)")

    def __init__(self, stage: int):
        self.stage = stage

    def key(self, name: str) -> str:
        """The name without what may stand or not."""
        return name

    def parse(self, name: str) -> Optional[str]:
        """Our name of the source's parameter, None where it is none of the network's."""
        return name if self.PARAMETER.fullmatch(name) else None

    def name(self, parameter: str, sizes: Sizes) -> str:
        """The source's name of our parameter."""
        return parameter

    def is_unused(self, name: str) -> bool:
        """Whether a source holds this beside the network's weights and it may be left there."""
        return False

    def shape(self, shape: Shape) -> Shape:
        """Our shape of a parameter -> the source's."""
        return shape

    def axes(self, dimensions: int) -> Tuple[int, ...]:
        """The transposition that turns the source's array into ours."""
        return tuple(range(dimensions))


class PortNaming(OwnNaming):
    """The PyTorch port's .npz files: cnn.convN.weight, gcnB_layers.L.weights.0,
    drbB.local_convN.bias.

    Blocks and convolutions count from 1, the graph convolutions of gcnB_layers from 0.
    """

    CNN = re.compile(r"cnn\.conv(\d+)\.(weight|bias)")
    GCN = re.compile(r"gcn(\d+)_layers\.(\d+)\.(weights\.0|weights\.1|bias)")
    DRB = re.compile(r"drb(\d+)\.local_conv(\d+)\.(weights\.0|weights\.1|bias)")

    def parse(self, name: str) -> Optional[str]:
        if match := self.CNN.fullmatch(name):
            return f"cnn.{int(match[1]) - 1}.{match[2]}"
        if match := self.GCN.fullmatch(name):
            return f"gcn.{int(match[1]) - 1}.{match[2]}.{match[3].replace('s.', '')}"
        if match := self.DRB.fullmatch(name):
            return f"drb.{int(match[1]) - 1}.{int(match[2]) - 1}.{match[3].replace('s.', '')}"
        return None

    def name(self, parameter: str, sizes: Sizes) -> str:
        kind, *indices, array = parameter.split(".")
        if kind == "cnn":
            return f"cnn.conv{int(indices[0]) + 1}.{array}"
        block, layer = map(int, indices)
        array = array.replace("weight", "weights.")
        if kind == "gcn":
            return f"gcn{block + 1}_layers.{layer}.{array}"
        return f"drb{block + 1}.local_conv{layer + 1}.{array}"

    def is_unused(self, name: str) -> bool:
        """Stage 2 reads only the first convolutions of its CNN."""
        match = self.CNN.fullmatch(name)
        return self.stage == 2 and match is not None and int(match[1]) > STAGE2_CONVOLUTIONS


class TensorFlowNaming(OwnNaming):
    """The published checkpoints' variables; a trailing :0 may stand or not.

    A convolution's weights are [kh, kw, in, out]. A graph convolution's name counts the layer among
    all of the network's, with a projection and an unpooling between the blocks; a local graph
    convolution's counts through the blocks.
    """

    SCOPES = {1: "meshnetmvp2m", 2: "meshnet"}
    CNN = re.compile(r"(\w+)/cnn/conv2d_(\d+)/(W|b)")
    GCN = re.compile(r"(\w+)/pixel2mesh/graph_conv_blk(\d+)_(\d+)_layer_\d+_vars/"
                     r"(weights_0|weights_1|bias)")
    DRB = re.compile(r"(\w+)/pixel2mesh/graph_drb_blk(\d+)_layer_\d+/localgconv_(\d+)_vars/"
                     r"(weights_0|weights_1|bias)")
    BOOKKEEPING = re.compile(
        r"(.*/)?(Adam|Adam_\d+|Momentum|RMSProp|RMSProp_\d+|ExponentialMovingAverage|"
        r"beta[12]_power(_\d+)?|global_step|learning_rate)")
    ARRAYS = {"W": "weight", "b": "bias", "weights_0": "weight0", "weights_1": "weight1",
              "bias": "bias"}

    def key(self, name: str) -> str:
        return name.removesuffix(":0")

    def parse(self, name: str) -> Optional[str]:
        name = self.key(name)
        if match := self.CNN.fullmatch(name):
            return f"cnn.{int(match[2]) - 1}.{self.ARRAYS[match[3]]}"
        if match := self.GCN.fullmatch(name):
            return f"gcn.{int(match[2]) - 1}.{int(match[3]) - 1}.{self.ARRAYS[match[4]]}"
        if match := self.DRB.fullmatch(name):
            block = int(match[2]) - 1
            layer = int(match[3]) - 1 - block * PUBLISHED_DRB_LAYERS
            return f"drb.{block}.{layer}.{self.ARRAYS[match[4]]}"
        return None

    def name(self, parameter: str, sizes: Sizes) -> str:
        kind, *indices, array = parameter.split(".")
        scope = self.SCOPES[self.stage]
        if kind == "cnn":
            array = {"weight": "W", "bias": "b"}[array]
            return f"{scope}/cnn/conv2d_{int(indices[0]) + 1}/{array}"
        block, layer = map(int, indices)
        array = array.replace("weight", "weights_")
        if kind == "gcn":
            number = sum(sizes.layers[:block]) + 2 * block + layer + 1
            return (f"{scope}/pixel2mesh/graph_conv_blk{block + 1}_{layer + 1}_layer_{number}_vars/"
                    f"{array}")
        return (f"{scope}/pixel2mesh/graph_drb_blk{block + 1}_layer_{3 * block + 2}/"
                f"localgconv_{block * sizes.layers + layer + 1}_vars/{array}")

    def is_unused(self, name: str) -> bool:
        """The optimiser's variables, and the convolutions of stage 2's CNN that are never read."""
        name = self.key(name)
        if self.BOOKKEEPING.fullmatch(name):
            return True
        match = self.CNN.fullmatch(name)
        return (self.stage == 2 and match is not None and match[1] == self.SCOPES[2]
                and int(match[2]) > STAGE2_CONVOLUTIONS)

    def shape(self, shape: Shape) -> Shape:
        return tuple(shape[axis] for axis in (2, 3, 1, 0)) if len(shape) == 4 else shape

    def axes(self, dimensions: int) -> Tuple[int, ...]:
        return (3, 2, 0, 1) if dimensions == 4 else super().axes(dimensions)
