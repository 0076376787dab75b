"""Graph convolutions x W0 + T1 (x W1) + b, over a mesh and over each vertex's own hypotheses.

The Chebyshev support T0 is the identity, so it costs nothing.
"""

import torch
from torch import Tensor, nn


class GraphConvolution(nn.Module):
    """Over a mesh: x [N,B,in], T1 sparse [N,N] -> [N,B,out]. Vertices come first, so that one
    sparse product serves the whole batch."""

    def __init__(self, channels_in: int, channels_out: int):
        super().__init__()
        self.weight0 = nn.Parameter(torch.empty(channels_in, channels_out))
        self.weight1 = nn.Parameter(torch.empty(channels_in, channels_out))
        self.bias = nn.Parameter(torch.empty(channels_out))

    def forward(self, x: Tensor, support: Tensor) -> Tensor:
        vertices, batch = x.size(0), x.size(1)
        rows = x.reshape(vertices * batch, -1)
        own = torch.addmm(self.bias, rows, self.weight0).view(vertices, -1)
        neighbours = torch.mm(rows, self.weight1).view(vertices, -1)
        return torch.addmm(own, support, neighbours).view(vertices, batch, -1)


class LocalGraphConvolution(GraphConvolution):
    """Over M separate graphs of S nodes: x [M,S,in], T1 dense [S,S] -> [M,S,out]."""

    def forward(self, x: Tensor, support: Tensor) -> Tensor:
        graphs, nodes = x.size(0), x.size(1)
        rows = x.view(graphs * nodes, -1)
        own = torch.addmm(self.bias, rows, self.weight0).view(graphs, nodes, -1)
        neighbours = torch.mm(rows, self.weight1).view(graphs, nodes, -1)
        return torch.baddbmm(own, support.expand(graphs, nodes, nodes), neighbours)


def unpool(x: Tensor, edges: Tensor) -> Tensor:
    """Append the mean of both ends of each edge: x [N,B,C], edges [E,2] -> [N+E,B,C]."""
    middle = (x[edges[:, 0]] + x[edges[:, 1]]) * 0.5
    return torch.cat([x, middle])
