"""The network in TensorFlow 2, semantics tf, with the original's operators: NHWC convolutions,
sparse products with both supports of a mesh, dense ones with both of the local graph, gather_nd for
every lookup."""

from typing import List, NamedTuple

import numpy as np
import tensorflow as tf
from p2mpp.network.layout import STAGE1_MAPS, STAGE2_MAPS, STRIDES

from .problem import IMAGE_SIZE, Arrays, Problem, blocks, camera_frames, layers
from .registry import Ready, Settings


class GraphConvolution(NamedTuple):
    weight0: tf.Tensor
    weight1: tf.Tensor
    bias: tf.Tensor


def build(problem: Problem, settings: Settings) -> Ready:
    tf.config.threading.set_intra_op_parallelism_threads(settings.threads)
    network = Network(problem)
    run = tf.function(network.__call__, jit_compile=False)
    score = tf.function(lambda features: network.scores(0, features), jit_compile=False)
    images = tf.constant(problem.images.transpose(0, 2, 3, 1))
    features = tf.constant(problem.drb_input())

    def sample():
        return run(images, *map(tf.constant, camera_frames(problem.cameras))).numpy()

    def drb():
        return score(features).numpy()

    return Ready(f"TensorFlow {tf.__version__}", sample, drb)


class Network:
    """Stage 1 and stage 2."""

    def __init__(self, problem: Problem):
        self.coarse_cnn = convolution_weights(problem.stage1)
        self.fine_cnn = convolution_weights(problem.stage2)
        self.graph_blocks = [graph_convolutions(problem.stage1, f"gcn.{block}")
                             for block in blocks(problem.stage1, "gcn")]
        self.reasoning = [graph_convolutions(problem.stage2, f"drb.{block}")
                          for block in blocks(problem.stage2, "drb")]
        self.supports = [(sparse(np.eye(len(t1), dtype=np.float32)), sparse(t1))
                         for t1 in problem.supports]
        self.local_supports = (tf.eye(len(problem.hypotheses)), tf.constant(problem.local_support))
        self.edges = [tf.constant(edges) for edges in problem.edges]
        self.coords = tf.constant(problem.coords)
        self.hypotheses = tf.constant(problem.hypotheses)

    def __call__(self, images, rotations, origins):
        """[V,224,224,3], [V,3,3], [V,3] -> refined vertices [N,3] in camera 0's frame."""
        coords = self.deform(image_features(images, self.coarse_cnn, STAGE1_MAPS), rotations,
                             origins)
        maps = image_features(images, self.fine_cnn, STAGE2_MAPS)
        nodes = len(self.hypotheses)
        for block in range(len(self.reasoning)):
            points = tf.reshape(coords[:, None] + self.hypotheses, [-1, 3])
            features = project(maps, rotations, origins, points, sample_floor_ceil)
            features = tf.reshape(features, [-1, nodes, features.shape[-1]])
            scores = tf.nn.softmax(self.scores(block, features))
            coords += tf.reduce_sum(scores[..., None] * self.hypotheses, 1)
        return coords

    def deform(self, maps, rotations, origins):
        """Stage 1 -> vertices [N,3] of the finest level."""
        coords, hidden = self.coords, None
        for level, block in enumerate(self.graph_blocks):
            x = project(maps, rotations, origins, coords, sample_nearest)
            if level > 0:
                x = unpool(tf.concat([x, hidden], -1), self.edges[level - 1])
            hidden, coords = graph_block(block, x, self.supports[level], mesh_product, 0.5)
        return coords

    def scores(self, block, features):
        """[N,S,F] -> what enters the softmax, [N,S]."""
        _, out = graph_block(self.reasoning[block], features, self.local_supports, local_product,
                             1.0)
        return tf.nn.relu(out)[..., 0]


def convolution_weights(parameters: Arrays):
    """(weight [kernel,kernel,in,out], bias [out], stride) of each convolution."""
    return [(tf.constant(weight.transpose(2, 3, 1, 0)), tf.constant(bias), stride)
            for weight, bias, stride in zip(layers(parameters, "cnn", "weight"),
                                            layers(parameters, "cnn", "bias"), STRIDES)]


def graph_convolutions(parameters: Arrays, prefix: str) -> List[GraphConvolution]:
    arrays = (layers(parameters, prefix, name) for name in GraphConvolution._fields)
    return [GraphConvolution(*map(tf.constant, each)) for each in zip(*arrays)]


def sparse(matrix: np.ndarray) -> tf.SparseTensor:
    return tf.sparse.from_dense(tf.constant(matrix))


def image_features(x, convolutions, maps_read):
    """[V,224,224,3] -> the maps that are read, [V,h,w,C] each, finest first."""
    maps = []
    for index, (weight, bias, stride) in enumerate(convolutions):
        x = tf.nn.relu(tf.nn.conv2d(x, weight, stride, "SAME") + bias)
        if index in maps_read:
            maps.append(x)
    return maps


def mesh_product(x, weight, support):
    """T (x W) of a mesh: x [N,in] -> [N,out]."""
    return tf.sparse.sparse_dense_matmul(support, tf.matmul(x, weight))


def local_product(x, weight, support):
    """T (x W) of each local graph: x [N,S,in] -> [N,S,out]."""
    return tf.einsum("ij,njc->nic", support, tf.einsum("nic,cd->nid", x, weight))


def graph_block(convolutions, x, supports, product, residual_factor):
    """-> (last hidden state, what the last layer gives); ReLU but on the last, and residuals."""
    before = x
    for index, layer in enumerate(convolutions):
        out = (product(x, layer.weight0, supports[0]) + product(x, layer.weight1, supports[1])
               + layer.bias)
        if index + 1 == len(convolutions):
            return x, out
        out = tf.nn.relu(out)
        if index >= 2 and index % 2 == 0:
            out = (out + before) * residual_factor
        before, x = x, out


def unpool(x, edges):
    """[N,C], [E,2] -> [N+E,C]: the mean of both ends of each edge appended."""
    return tf.concat([x, 0.5 * tf.reduce_sum(tf.gather(x, edges), 1)], 0)


def project(maps, rotations, origins, points, sample):
    """Points [P,3] in camera 0's frame -> [xyz, max, mean, std] over the views, [P,3+3*sumC]."""
    world = tf.matmul(points, rotations[0]) + origins[0]
    views = []
    for view in range(rotations.shape[0]):
        x, y, z = tf.unstack(tf.matmul(world - origins[view], rotations[view], transpose_b=True),
                             axis=1)
        row = tf.clip_by_value(248.0 * (-y / -z) + 112.0, 0.0, IMAGE_SIZE - 1.0)
        column = tf.clip_by_value(248.0 * (x / -z) + 112.0, 0.0, IMAGE_SIZE - 1.0)
        views.append(tf.concat([sample(each, view, row, column) for each in maps], -1))
    stacked = tf.stack(views)
    mean = tf.reduce_mean(stacked, 0)
    deviation = tf.sqrt(tf.reduce_mean(tf.square(stacked - mean), 0) + 1e-6)
    return tf.concat([points, tf.reduce_max(stacked, 0), mean, deviation], -1)


def sample_nearest(features, view, row, column):
    """Maps [V,h,w,C], pixels [P] -> [P,C] at the floor of the scaled indices, the view's too."""
    indices = tf.stack([tf.fill(tf.shape(row), float(view)), row, column], 1)
    scale = IMAGE_SIZE / features.shape[1]
    return tf.gather_nd(features, tf.cast(indices / scale, tf.int32))


def sample_floor_ceil(features, view, row, column):
    """Maps [V,h,w,C], pixels [P] -> [P,C]: floor and ceil corners, weighted with the distances to
    each other, so that a whole coordinate gives 0; a corner beyond the map reads 0."""
    scale = IMAGE_SIZE / features.shape[1]
    y, x = row / scale, column / scale
    top, bottom, left, right = tf.floor(y), tf.math.ceil(y), tf.floor(x), tf.math.ceil(x)
    corners = ((top, left, (bottom - y) * (right - x)), (top, right, (bottom - y) * (x - left)),
               (bottom, left, (y - top) * (right - x)), (bottom, right, (y - top) * (x - left)))
    table = features[view]
    return tf.add_n([weight[:, None] * tf.gather_nd(
        table, tf.cast(tf.stack([corner_row, corner_column], 1), tf.int32),
        bad_indices_policy="IGNORE") for corner_row, corner_column, weight in corners])
