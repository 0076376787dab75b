#pragma once

#include "backends/cpu/kernels/product.h"
#include "backends/cpu/kernels/rows.h"
#include "backends/cpu/kernels/sampling.h"

// Each instruction set has one source file that includes this header and is compiled for that set.

namespace p2mpp {
namespace {

template <class Element>
constexpr Kernels<Element> kTable{
    .tile_rows = kTileRows,
    .row_group = 1,
    .depth_group = kDepthStep<Element>,
    .depth_step = kDepthStep<Element>,
    .block_columns = kBlockColumns,
    .multiply = multiply<Element>,
    .enter = nullptr,
    .leave = nullptr,
    .sum_neighbours = sum_neighbours<Element>,
    .combine_neighbours = combine_neighbours,
    .round = round<Element>,
    .average = average,
    .project = project,
    .find_corners = find_corners,
    .pool = pool<>,
    .dot_product_pairs = dot_product_pairs,
};

}  // namespace
}  // namespace p2mpp
