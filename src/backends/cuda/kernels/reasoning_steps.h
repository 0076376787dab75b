#pragma once

#include "backends/cuda/kernels/sampling.h"

// The steps of a deformation reasoning block except its products, as executed by one thread or warp. `vertex` is an
// index within the batch, `node` a hypothesis of the vertex.

namespace p2mpp::cuda {
namespace {

P2MPP_DEVICE void find_hypothesis(const ReasoningArguments& arguments, int vertex, int node, float (&point)[3]) {
  P2MPP_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    point[axis] = arguments.vertices[3 * static_cast<std::size_t>(vertex) + axis] + arguments.offsets[3 * node + axis];
  }
}

P2MPP_DEVICE PixelPosition project_hypothesis(const ReasoningArguments& arguments, int vertex, int view, int node) {
  const int sample = vertex / arguments.vertices_per_sample;
  float point[3];
  find_hypothesis(arguments, vertex, node, point);
  return project_point(arguments.lookup.transforms[sample * arguments.lookup.views + view], point);
}

/// write(column, values) receives P::kPiece columns.
template <class P, class Write>
P2MPP_DEVICE void write_pooled(const DeviceMap& map, const Pooled<P::kPiece>& pooled, int piece, const Write& write) {
  const int column = map.column + P::kPiece * piece;
  write(column, pooled.largest);
  write(column + map.stride, pooled.mean);
  write(column + 2 * map.stride, pooled.deviation);
}

/// Samples a piece of a hypothesis's features from a map; zeros if the hypothesis does not exist. See write_pooled().
template <class P, int kViews, class Write>
P2MPP_DEVICE void sample_piece(Sampling sampling, const DeviceMap& map, bool exists,
                               const ViewCorners<P> (&corners)[kViews], int piece, const Write& write) {
  Pooled<P::kPiece> pooled{};
  if (exists) pooled = pool_channels(sampling, corners, P::kPiece * piece);
  write_pooled<P>(map, pooled, piece, write);
}

/// The same for many views, in which the hypothesis is projected here: shared memory has no room for its positions.
template <class P, class Write>
P2MPP_DEVICE void sample_piece_of_many(const ReasoningArguments& arguments, const DeviceMap& map, int vertex, int node,
                                       bool exists, int piece, const Write& write) {
  Pooled<P::kPiece> pooled{};
  if (exists) {
    const int sample = vertex / arguments.vertices_per_sample;
    pooled = pool_many_views<P>(arguments.lookup, map, sample, P::kPiece * piece,
                                [&](int view) { return project_hypothesis(arguments, vertex, view, node); });
  }
  write_pooled<P>(map, pooled, piece, write);
}

struct PooledEvidence {
  float largest, mean, deviation;
};

/// Samples a channel of the masks' evidence at a hypothesis and pools over the views. Like pool_many_views(), for any
/// number of views. Only `clean` models read it: bilinear.
P2MPP_DEVICE PooledEvidence pool_evidence(const ReasoningArguments& arguments, int vertex, int node, int channel) {
  constexpr int kChannels = kEvidenceChannels;
  constexpr int kViewSize = kResizedSide * kResizedSide * kChannels;
  const int views = arguments.lookup.views;
  const float* map = arguments.evidence +
                     static_cast<std::size_t>(vertex / arguments.vertices_per_sample * views) * kViewSize + channel;
  float first = 0;
  float sum = 0;
  float squares = 0;
  float largest = 0;
  P2MPP_DO_NOT_UNROLL
  for (int view = 0; view < views; ++view, map += kViewSize) {
    const Corners corners =
        find_corners(Sampling::kBilinear, kResizedSide, 1, project_hypothesis(arguments, vertex, view, node));
    float value = 0;
    P2MPP_UNROLL
    for (int corner = 0; corner < 4; ++corner) value += corners.weight[corner] * map[corners.index[corner] * kChannels];
    first = view == 0 ? value : first;
    largest = view == 0 || largest < value ? value : largest;
    const float difference = value - first;
    sum += difference;
    squares += difference * difference;
  }
  const float share = 1.0F / static_cast<float>(views);
  const float shift = sum * share;
  const float variance = squares * share - shift * shift;
  return {largest, first + shift, sqrtf((variance < 0 ? 0 : variance) + 1e-6F)};
}

/// Adds the evidence to the piece of the columns from the point on that holds its columns: [max | mean | deviation].
template <int kPiece>
P2MPP_DEVICE void add_evidence(const ReasoningArguments& arguments, int vertex, int node, int piece,
                               float (&values)[kPiece]) {
  constexpr int kPoint = 3;  // columns
  P2MPP_DO_NOT_UNROLL
  for (int channel = 0; channel < static_cast<int>(kEvidenceChannels); ++channel) {
    const PooledEvidence pooled = pool_evidence(arguments, vertex, node, channel);
    P2MPP_UNROLL
    for (int i = 0; i < kPiece; ++i) {
      const int column = kPiece * piece + i - kPoint - channel;
      if (column == 0) values[i] = pooled.largest;
      if (column == static_cast<int>(kEvidenceChannels)) values[i] = pooled.mean;
      if (column == 2 * static_cast<int>(kEvidenceChannels)) values[i] = pooled.deviation;
    }
  }
}

/// Computes a piece of the columns after the maps: the point, the evidence if there is any, then zeros.
template <class P, class Write>
P2MPP_DEVICE void find_point_piece(const ReasoningArguments& arguments, int vertex, int node, bool exists, int piece,
                                   const Write& write) {
  float values[P::kPiece] = {};
  if (piece == 0 && exists) {
    float point[3];
    find_hypothesis(arguments, vertex, node, point);
    P2MPP_UNROLL
    for (int axis = 0; axis < 3; ++axis) values[axis] = point[axis];
  }
  if (arguments.evidence != nullptr && exists) add_evidence(arguments, vertex, node, piece, values);
  write(arguments.point_column + P::kPiece * piece, values);
}

P2MPP_DEVICE std::size_t traced_row(const ReasoningArguments& arguments, int vertex, int node) {
  return static_cast<std::size_t>(vertex) * static_cast<std::size_t>(arguments.hypotheses) +
         static_cast<std::size_t>(node);
}

template <int kCount>
P2MPP_DEVICE void trace_features(const ReasoningArguments& arguments, int vertex, int node, int column,
                                 const float (&values)[kCount]) {
  if (arguments.traced_features == nullptr || column >= arguments.features) return;
  const std::size_t row = traced_row(arguments, vertex, node) * static_cast<std::size_t>(arguments.features);
  P2MPP_UNROLL
  for (int i = 0; i < kCount; ++i) arguments.traced_features[row + static_cast<std::size_t>(column + i)] = values[i];
}

/// The softmax's input for one hypothesis. own, others: the last layer's x W0 and x W1 for the vertex's hypotheses.
P2MPP_DEVICE float find_score(const ReasoningArguments& arguments, int vertex, int node, const float* own,
                              const float* others) {
  const float* support = arguments.support + node * arguments.hypotheses;
  float score = own[node] + arguments.last_bias;
  for (int other = 0; other < arguments.hypotheses; ++other) score += support[other] * others[other];
  score = arguments.rectified && score < 0 ? 0 : score;
  if (arguments.traced_scores != nullptr) arguments.traced_scores[traced_row(arguments, vertex, node)] = score;
  return score;
}

/// Moves a vertex by the softmax-weighted offset. Executed by one warp. scores: of the vertex.
P2MPP_DEVICE void move_vertex(const ReasoningArguments& arguments, int vertex, const float* scores) {
  float largest = scores[0];
  for (int node = lane_index(); node < arguments.hypotheses; node += 32) {
    largest = largest < scores[node] ? scores[node] : largest;
  }
  largest = largest_in_warp(largest);
  float sum = 0;
  float offset[3] = {0, 0, 0};
  for (int node = lane_index(); node < arguments.hypotheses; node += 32) {
    const float weight = expf(scores[node] - largest);
    sum += weight;
    P2MPP_UNROLL
    for (int axis = 0; axis < 3; ++axis) offset[axis] += weight * arguments.offsets[3 * node + axis];
  }
  sum = sum_over_warp(sum);
  P2MPP_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    const float moved = sum_over_warp(offset[axis]) / sum;
    const std::size_t at = 3 * static_cast<std::size_t>(vertex) + static_cast<std::size_t>(axis);
    if (lane_index() == 0) arguments.moved[at] = arguments.vertices[at] + moved;
  }
}

}  // namespace
}  // namespace p2mpp::cuda
