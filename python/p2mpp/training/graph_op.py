"""A graph convolution with all that follows it as one operation with a backward of its own."""

from typing import Dict, Optional, Tuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from . import compiled


def entries(matrix: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """The columns and values [N,most] of each row's entries, padded with zeros of other columns."""
    most = int((matrix != 0).sum(1).max())
    columns = np.argsort(matrix == 0, axis=1, kind="stable")[:, :most].copy()
    return columns, np.take_along_axis(matrix, columns, axis=1)


class SparseSupport:
    """A symmetric Chebyshev support T1 [N,N] of few entries a row, as padded lists of them."""

    def __init__(self, matrix: np.ndarray, device: torch.device):
        if not np.allclose(matrix, matrix.T):
            raise ValueError("the support is not symmetric")
        self.size = len(matrix)
        columns, values = entries(matrix)
        self.columns = torch.from_numpy(columns).to(device)
        self.values = torch.from_numpy(values).to(device)
        self.tables: Dict[Tuple[int, torch.dtype], Tuple[Tensor, Tensor]] = {}

    def lists(self) -> Tuple[np.ndarray, np.ndarray]:
        """Columns and values [N,most] for compiled loops."""
        return self.columns.numpy(), self.values.numpy()

    def table(self, batch: int, dtype: torch.dtype) -> Tuple[Tensor, Tensor]:
        """Rows to sum in a [B*N,C] table and their weights, [B*N,most] both."""
        if (batch, dtype) not in self.tables:
            starts = torch.arange(batch, device=self.columns.device).view(-1, 1, 1) * self.size
            self.tables[batch, dtype] = ((self.columns + starts).flatten(0, 1),
                                         self.values.to(dtype).repeat(batch, 1))
        return self.tables[batch, dtype]

    def __call__(self, x: Tensor) -> Tensor:
        """T1 x for x [B,N,C]; bf16 is summed with weights and sums of fp32."""
        wide = x.float() if x.dtype == torch.bfloat16 else x
        index, weight = self.table(x.size(0), wide.dtype)
        rows = F.embedding_bag(index, wide.reshape(-1, x.size(-1)), mode="sum",
                               per_sample_weights=weight)
        return rows.view(x.shape).to(x.dtype)


class DenseSupport:
    """A symmetric support T1 [S,S] of a small graph that many nodes' graphs share."""

    def __init__(self, matrix: np.ndarray, device: torch.device):
        if not np.allclose(matrix, matrix.T):
            raise ValueError("the support is not symmetric")
        self.size = len(matrix)
        self.matrix = torch.from_numpy(matrix).to(device)
        self.entries = entries(matrix)

    def lists(self) -> Tuple[np.ndarray, np.ndarray]:
        """Columns and values [S,most] for compiled loops."""
        return self.entries

    def __call__(self, x: Tensor) -> Tensor:
        """T1 x for x [M,S,C]."""
        return torch.matmul(self.matrix.to(x.dtype), x)


class CompiledConvolution(torch.autograd.Function):
    """The same without a position, for features of bf16 on the CPU."""

    @staticmethod
    def forward(ctx, x, weight0, weight1, bias, residual, support, rectify, share):
        rows = x.flatten(0, 1)
        own, other = (torch.mm(rows, weight.to(x.dtype)) for weight in (weight0, weight1))
        out = torch.empty_like(own)
        result = torch.empty_like(own) if residual is not None else out
        before = compiled.bits(residual.flatten(0, 1)) if residual is not None else \
            compiled.bits(out)[:0]
        columns, values = support.lists()
        compiled.combine(compiled.bits(own), compiled.bits(other), columns, values,
                         bias.detach().numpy(), before, share, rectify, support.size,
                         out.view(torch.uint16).numpy(), result.view(torch.uint16).numpy())
        ctx.save_for_backward(x, weight0, weight1, out)
        ctx.support, ctx.share, ctx.rectify = support, share, rectify
        ctx.has_residual = residual is not None
        return result.view(*x.shape[:2], -1)

    @staticmethod
    def backward(ctx, grad):
        x, weight0, weight1, out = ctx.saved_tensors
        rows, width = grad.flatten(0, 1), weight0.size(1)
        both = torch.empty(len(rows), 2 * width, dtype=x.dtype)
        residual = torch.empty(len(rows) if ctx.has_residual else 0, width, dtype=x.dtype)
        bias = torch.zeros(width)
        columns, values = ctx.support.lists()
        compiled.spread_gradient(compiled.bits(rows), compiled.bits(out), columns, values,
                                 ctx.share, ctx.rectify, ctx.support.size,
                                 residual.view(torch.uint16).numpy(),
                                 both.view(torch.uint16).numpy(), bias.numpy())
        weights = torch.cat([weight0, weight1], 1).to(x.dtype)
        grad_x = torch.mm(both, weights.t()).view(x.shape)
        grad_weights = torch.mm(x.flatten(0, 1).t(), both).float().split(width, 1)
        return (grad_x, *grad_weights, bias,
                residual.view(grad.shape) if ctx.has_residual else None, None, None, None)


class GraphConvolutionFunction(torch.autograd.Function):
    """See graph_convolution."""

    @staticmethod
    def forward(ctx, x, position, weight0, weight1, bias, residual, support, rectify, share):
        rows = x.flatten(0, 1)
        first = 0 if position is None else position.size(-1)
        shape = (*x.shape[:2], weight0.size(1))
        own, other = (torch.mm(rows, weight[first:].to(x.dtype)) for weight in (weight0, weight1))
        if position is not None:
            places = position.flatten(0, 1)
            own = torch.addmm(own.to(position.dtype), places, weight0[:first])
            other = torch.addmm(other.to(position.dtype), places, weight1[:first])
        out = (own.view(shape) + support(other.view(shape))) + bias.to(own.dtype)
        out = out.relu_() if rectify else out
        out = out.to(x.dtype)
        ctx.save_for_backward(x, position, weight0, weight1, out if rectify else None)
        ctx.support, ctx.share, ctx.first = support, share, first
        ctx.has_residual = residual is not None
        return (out + residual) * share if ctx.has_residual else out

    @staticmethod
    def backward(ctx, grad):
        x, position, weight0, weight1, rectified = ctx.saved_tensors
        first = ctx.first
        grad = grad * ctx.share if ctx.has_residual else grad
        residual = grad if ctx.has_residual else None
        grad = grad if rectified is None else torch.where(rectified > 0, grad, 0)
        both = torch.cat([grad, ctx.support(grad.contiguous())], -1).flatten(0, 1)
        weights = torch.cat([weight0, weight1], 1)
        grad_x = torch.mm(both, weights[first:].to(x.dtype).t()).view(x.shape)
        grad_weights = torch.mm(x.flatten(0, 1).t(), both).to(weights.dtype)
        grad_position = None
        if position is not None:
            wide = both.to(position.dtype)
            grad_weights = torch.cat([position.flatten(0, 1).t() @ wide, grad_weights])
            grad_position = (wide @ weights[:first].t()).view(position.shape)
        bias = grad.sum((0, 1), dtype=weights.dtype)
        grad_weights = grad_weights.split(weight0.size(1), 1)
        return grad_x, grad_position, *grad_weights, bias, residual, None, None, None


def graph_convolution(x: Tensor, layer, support, rectify: bool = True,
                      residual: Optional[Tensor] = None, share: float = 1.0,
                      position: Optional[Tensor] = None) -> Tensor:
    """relu(x W0 + T1 (x W1) + b), or ((that) + residual) * share: x [B,N,in] -> [B,N,out].

    `layer` has weight0, weight1 [in,out] and bias [out]. Products are computed in x's type.
    `position` [B,N,3] stands for the first three of the layer's inputs and goes through a product
    of its own in its own type: bf16 would cut coordinates to three digits.
    """
    if position is None and compiled.suits(x):
        return CompiledConvolution.apply(x, layer.weight0, layer.weight1, layer.bias, residual,
                                         support, rectify, share)
    return GraphConvolutionFunction.apply(x, position, layer.weight0, layer.weight1, layer.bias,
                                          residual, support, rectify, share)
