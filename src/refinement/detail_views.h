#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "image/photograph_source.h"
#include "image/reduced_view.h"

namespace p2mpp {

/// Pixels of a view for one that is compared, coarse to fine.
inline constexpr std::array<int, 3> kFactors = {4, 2, 1};

/// A photograph at several sizes, as kFactors.
using DetailView = std::vector<ReducedView>;

/// Photographs that show the object, at about their own pixels; of many, some. Throws as PhotographSource::decode().
[[nodiscard]] std::vector<DetailView> detail_views(const PhotographSource& source, int threads);

/// Pairs of views: the first is compared with the second, which is drawn into it.
using Pair = std::pair<std::size_t, std::size_t>;
/// Each view with at most so many others, see views_beside(). `middle`: of the object.
[[nodiscard]] std::vector<Pair> choose_pairs(std::span<const DetailView> views, const Eigen::Vector3f& middle,
                                             std::size_t others);

}  // namespace p2mpp
