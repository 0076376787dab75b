"""The network of the volume: photographs with cameras and masks, and the mesh of stage 2 -> signed distance and its
uncertainty.

It takes one sample: images [V,4,224,224] (BGR and mask, 0..1), pinholes [V,16] float64 from the grid's frame (see
p2mpp.network.camera), a grid (see grid.py), and the prior, which it corrects: at each point the distance to stage 2's
mesh, and its magnitude (see prior.py) [2,P], in the unit of the scene. A CNN's maps are looked up at the centres of the coarse voxels. Columns
of each view pass two layers, are pooled over the views, and go through a U-Net. The distance at any point then comes
from three layers that read the U-Net's features there, and again the views. Distances are in units of TRUNCATION coarse
voxels. All lookups are linear between centres, and beyond the border they give the border's value.
"""

import math
from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from p2mpp.network.camera import pixels_from_views, views_from_pinholes
from p2mpp.network.mask_evidence import REACH, mask_evidence

TRUNCATION = 2.0  # coarse voxels: distances are learned up to this
IMAGE_CHANNELS = (16, 32, 48, 64)  # of the CNN, at a half to a sixteenth of the picture's side
VIEW_WIDTHS, FINE_VIEW_WIDTHS = (48, 32), (32, 24)
COARSE_WIDTHS = (32, 64, 128)  # of the U-Net
FINE_WIDTH = 64
LATERAL = 16  # channels of a map that are looked up
HALF_LATERAL = 8
PIXEL_CHANNELS = 5  # BGR, mask, distance to the outline
VIEW_FACTS = 7  # two distances to the outline in voxels, direction (3), depth, whether the view shows the point
HULL_FACTS = 2
PLACE = 3
PRIOR_FACTS = 4  # signed and unsigned, on two scales
PANEL = 32768  # points that are computed at once
ERROR_RANGE = -5.0, 2.0  # of the logarithms of errors
NEAR = 0.7  # units of distance: beyond it, the coarse distance is taken


class Layer(nn.Module):
    """A product with columns [...,C,P], and a bias."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, columns: Tensor) -> Tensor:
        return torch.matmul(self.weight, columns) + self.bias.unsqueeze(-1)


class ImageNetwork(nn.Module):
    """Maps of a picture at a half (HALF_LATERAL channels), a quarter, an eighth and a sixteenth (LATERAL) of its
    side."""

    def __init__(self):
        super().__init__()
        first, second, lateral = [], [], []
        before = PIXEL_CHANNELS + 1
        for level, channels in enumerate(IMAGE_CHANNELS):
            first.append(nn.Conv2d(before, channels, 3, 2, 1))
            second.append(nn.Conv2d(channels, channels, 3, 1, 1))
            lateral.append(nn.Conv2d(channels, LATERAL if level else HALF_LATERAL, 1))
            before = channels
        self.first, self.second, self.lateral = map(nn.ModuleList, (first, second, lateral))

    def forward(self, images: Tensor) -> List[Tensor]:
        maps: List[Tensor] = []
        x = images
        for first, second, lateral in zip(self.first, self.second, self.lateral):
            x = F.relu(first(x))
            x = F.relu(second(x))
            maps.append(lateral(x))
        return maps


class Convolution3d(nn.Conv3d):
    """Of 3x3x3 voxels. On CPUs, PyTorch's fast kernels take two grids or more, so the grid is cut into halves along x."""

    def forward(self, x: Tensor) -> Tensor:
        step, half = self.stride[0], x.size(2) // 2
        if x.is_cuda or x.size(2) % (2 * step) != 0:
            return F.conv3d(x, self.weight, self.bias, [step, step, step], [1, 1, 1])
        padded = F.pad(x, [0, 0, 0, 0, 1, 1])
        halves = torch.cat([padded[:, :, :half + 3 - step], padded[:, :, half:2 * half + 3 - step]], 0)
        found = F.conv3d(halves, self.weight, self.bias, [step, step, step], [0, 1, 1])
        return torch.cat([found[:1], found[1:]], 2)


class Residual(nn.Module):
    """x + convolution(relu(convolution(relu(x)))) of 3x3x3 voxels."""

    def __init__(self, channels: int):
        super().__init__()
        self.first = Convolution3d(channels, channels, 3, 1, 1)
        self.second = Convolution3d(channels, channels, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.second(F.relu(self.first(F.relu(x))))


class VolumeUnet(nn.Module):
    """Features [1,C,X,Y,Z] of three levels; the sides are multiples of four."""

    def __init__(self, inputs: int):
        super().__init__()
        top, middle, bottom = COARSE_WIDTHS
        self.enter = nn.Conv3d(inputs, top, 1)
        self.down1 = Convolution3d(top, middle, 3, 2, 1)
        self.down2 = Convolution3d(middle, bottom, 3, 2, 1)
        self.up1 = nn.Conv3d(bottom, middle, 1)
        self.up0 = nn.Conv3d(middle, top, 1)
        self.top_before, self.top_after = Residual(top), Residual(top)
        self.middle_before, self.middle_after = Residual(middle), Residual(middle)
        self.bottom = nn.Sequential(Residual(bottom), Residual(bottom))

    def forward(self, x: Tensor) -> Tensor:
        top = self.top_before(self.enter(x))
        middle = self.middle_before(self.down1(F.relu(top)))
        bottom = self.bottom(self.down2(F.relu(middle)))
        middle = self.middle_after(middle + doubled(self.up1(bottom)))
        return self.top_after(top + doubled(self.up0(middle)))


def doubled(x: Tensor) -> Tensor:
    """Each voxel eight times: [1,C,X,Y,Z] -> [1,C,2X,2Y,2Z]."""
    return F.interpolate(x, scale_factor=[2.0, 2.0, 2.0], mode="nearest")


def look_up(maps: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """Maps [V,C,h,w] at pixels [V,P] of the 224x224 picture -> [V,C,P], as sampling.sample_bilinear."""
    y = row / (224.0 / maps.size(2)) * (2.0 / (maps.size(2) - 1)) - 1.0
    x = column / (224.0 / maps.size(3)) * (2.0 / (maps.size(3) - 1)) - 1.0
    at = torch.stack([x, y], -1).unsqueeze(1)
    return F.grid_sample(maps, at, mode="bilinear", padding_mode="border", align_corners=True).squeeze(2)


def look_up_volume(volume: Tensor, places: Tensor) -> Tensor:
    """Volume [1,C,X,Y,Z] at places [P,3], in voxels from the grid's corner -> [C,P]."""
    sizes = torch.tensor([volume.size(2), volume.size(3), volume.size(4)], dtype=places.dtype, device=places.device)
    at = (places - 0.5) * (2.0 / (sizes - 1.0)) - 1.0
    at = at.flip(-1).view(1, 1, 1, -1, 3)
    return F.grid_sample(volume, at, mode="bilinear", padding_mode="border", align_corners=True).view(
        volume.size(1), -1)


def centres(low: Tensor, voxel: float, shape: List[int]) -> Tensor:
    """Of all voxels, [X*Y*Z,3]."""
    axes = [low[k] + (torch.arange(shape[k], dtype=low.dtype, device=low.device) + 0.5) * voxel for k in range(3)]
    return torch.stack(torch.meshgrid(axes, indexing="ij"), -1).view(-1, 3)


def prior_distance(prior: Tensor, voxel: float) -> Tensor:
    """A prior [2,P] -> its distances [P] in the network's unit."""
    return (prior[0] / (2.0 * voxel)).clamp(-2.0, 2.0)


def coarse_distances(volume: Tensor, prior: Tensor, voxel: float) -> Tensor:
    """What VolumeNetwork.coarse() found -> distance and logarithm of its error [2,P]."""
    found = volume[0, -2:].flatten(1)
    return torch.stack([found[0] + prior_distance(prior, voxel), found[1]], 0)


def prior_facts(prior: Tensor, voxel: float) -> Tensor:
    in_voxels = prior / voxel
    return torch.cat([(in_voxels / 8.0).clamp(-1.0, 1.0), (in_voxels / 2.0).clamp(-1.0, 1.0)], 0)


def pooled(columns: Tensor) -> Tensor:
    """[V,C,P] -> mean, maximum and variance over the views [3*C,P]."""
    mean = columns.mean(0)
    return torch.cat([mean, columns.amax(0), (columns - mean).square().mean(0)], 0)


class VolumeNetwork(nn.Module):
    """See the module's text. `coarse` computes the features of the grid, `at_points` the distances at points, and
    `forward` those of a grid `factor` times as fine."""

    def __init__(self):
        super().__init__()
        self.stage, self.semantics = 3, "clean"
        self.reach, self.near, self.panel = float(REACH), NEAR, PANEL  # a script reads no constants of a module
        self.image_network = ImageNetwork()
        facts = PIXEL_CHANNELS - 1 + VIEW_FACTS
        self.view1 = Layer(3 * LATERAL + facts, VIEW_WIDTHS[0])
        self.view2 = Layer(VIEW_WIDTHS[0], VIEW_WIDTHS[1])
        self.unet = VolumeUnet(3 * VIEW_WIDTHS[1] + HULL_FACTS + PLACE + PRIOR_FACTS)
        self.coarse_head = Layer(COARSE_WIDTHS[0], 2)
        self.fine_view1 = Layer(HALF_LATERAL + LATERAL + facts, FINE_VIEW_WIDTHS[0])
        self.fine_view2 = Layer(FINE_VIEW_WIDTHS[0], FINE_VIEW_WIDTHS[1])
        self.fine1 = Layer(3 * FINE_VIEW_WIDTHS[1] + HULL_FACTS + COARSE_WIDTHS[0] + 2 + PRIOR_FACTS, FINE_WIDTH)
        self.fine2 = Layer(FINE_WIDTH, FINE_WIDTH)
        self.fine_head = Layer(FINE_WIDTH, 2)

    @torch.jit.export
    def maps(self, images: Tensor) -> List[Tensor]:
        """The pixels' channels [V,5,224,224], and the CNN's maps, finest first."""
        evidence = mask_evidence(images[:, 3].unsqueeze(0))[0]
        pixels = torch.cat([images, evidence[:, :1]], 1)
        read = torch.cat([pixels, evidence[:, 1:]], 1).contiguous(memory_format=torch.channels_last)
        return [pixels] + self.image_network(read)

    def columns(self, maps: List[Tensor], levels: List[int], cameras: Tensor, points: Tensor, voxel: float,
                middle: Tensor, size: float) -> Tuple[Tensor, Tensor]:
        """Columns of the views at points [P,3] float64: (maps' channels and facts [V,C,P], the hull's [2,P]). `middle`
        and `size` are of the grid."""
        seen = views_from_pinholes(points.unsqueeze(0), cameras.unsqueeze(0))
        row, column = pixels_from_views(seen, cameras.unsqueeze(0))
        row, column, seen = row[0], column[0], seen[0].float()
        at_middle = views_from_pinholes(middle.view(1, 1, 3), cameras.unsqueeze(0))[0].float()
        away = -seen[..., 2]
        depth = (away + at_middle[..., 2]) * (2.0 / size)
        rotation = cameras[:, :9].float().view(-1, 3, 3)
        direction = torch.matmul(rotation.transpose(-1, -2), -F.normalize(seen, dim=-1).transpose(-1, -2))
        pixels = look_up(maps[0], row, column)
        focal = cameras[:, 12:13].float()
        in_voxels = pixels[:, 4] * (self.reach / voxel) * away / focal
        shown = (row >= 0) & (row <= 224.0) & (column >= 0) & (column <= 224.0) & (away > 0)
        facts = torch.stack([(in_voxels / 8.0).clamp(-1.0, 1.0), (in_voxels / 2.0).clamp(-1.0, 1.0), depth,
                             shown.to(depth.dtype)], 1)
        looked_up = [look_up(maps[1 + level], row, column) for level in levels]
        hull = in_voxels.amax(0)
        hull_facts = torch.stack([(hull / 8.0).clamp(-1.0, 1.0), (hull / 2.0).clamp(-1.0, 1.0)], 0)
        return torch.cat(looked_up + [pixels[:, :4], facts, direction], 1), hull_facts

    @torch.jit.export
    def coarse(self, maps: List[Tensor], cameras: Tensor, low: Tensor, voxel: float, shape: List[int],
               prior: Tensor) -> Tensor:
        """The grid's features, what is added to the prior's distance, and the logarithm of the error [1,C+2,X,Y,Z];
        `low` [3] float64, `prior` at the voxels' centres."""
        points = centres(low, voxel, shape)
        sides = torch.tensor(shape, dtype=low.dtype, device=low.device) * voxel
        middle, size = low + sides / 2, float(sides.max())
        columns, hull = self.columns(maps, [1, 2, 3], cameras, points, voxel, middle, size)
        columns = F.relu(self.view2(F.relu(self.view1(columns))))
        place = ((points - middle) * (2.0 / size)).float().t()
        read = torch.cat([pooled(columns), hull, place, prior_facts(prior, voxel)], 0).view(1, -1, shape[0], shape[1], shape[2])
        features = F.relu(self.unet(read)).contiguous().flatten(2)[0]
        return torch.cat([features, self.coarse_head(features)], 0).view(1, -1, shape[0], shape[1], shape[2])

    @torch.jit.export
    def at_points(self, maps: List[Tensor], volume: Tensor, cameras: Tensor, low: Tensor, voxel: float,
                  points: Tensor, prior: Tensor) -> Tensor:
        """Distance and logarithm of its error at points [P,3] float64 -> [2,P]. `volume` is of coarse(), `prior` at the
        points."""
        sides = torch.tensor([volume.size(2), volume.size(3), volume.size(4)], dtype=low.dtype,
                             device=low.device) * voxel
        columns, hull = self.columns(maps, [0, 1], cameras, points, voxel / 4.0, low + sides / 2, float(sides.max()))
        columns = F.relu(self.fine_view2(F.relu(self.fine_view1(columns))))
        features = look_up_volume(volume, ((points - low) / voxel).float())
        read = torch.cat([pooled(columns), hull, features, prior_facts(prior, voxel / 4.0)], 0)
        found = features[-2:] + self.fine_head(F.relu(self.fine2(F.relu(self.fine1(read)))))
        return torch.stack([found[0] + prior_distance(prior, voxel), found[1]], 0)

    def forward(self, images: Tensor, cameras: Tensor, low: Tensor, voxel: float, shape: List[int], factor: int,
                prior: Tensor, fine_prior: Tensor) -> Tensor:
        """Distance and logarithm of its error [2,X*factor,Y*factor,Z*factor]. The priors are at the centres of the
        coarse and of the fine voxels."""
        maps = self.maps(images)
        volume = self.coarse(maps, cameras, low, voxel, shape, prior)
        fine_shape = [factor * each for each in shape]
        points = centres(low, voxel / factor, fine_shape)
        found = look_up_volume(volume[:, -2:], ((points - low) / voxel).float())
        found = torch.stack([found[0] + prior_distance(fine_prior, voxel), found[1]], 0)
        near = (found[0].abs() < self.near).nonzero().flatten()
        for some in near.split(self.panel):
            found[:, some] = self.at_points(maps, volume, cameras, low, voxel, points[some], fine_prior[:, some])
        return found.view(2, fine_shape[0], fine_shape[1], fine_shape[2])


def drawn_network(seed: int) -> VolumeNetwork:
    """With drawn weights that keep the variance through ReLU. The last layers of residuals and heads begin small."""
    network, draw = VolumeNetwork(), torch.Generator().manual_seed(seed)
    small = ("second.weight", "head.weight")
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if parameter.dim() == 1:
                parameter.zero_()
                continue
            gain = 0.1 if name.endswith(small) and not name.startswith("image") else 1.0
            deviation = gain * math.sqrt(2.0 / parameter[0].numel())
            parameter.copy_(torch.randn(parameter.shape, generator=draw) * deviation)
    return network
