#pragma once

#include <string>
#include <string_view>

namespace p2mpp {

/// The English name of a category that is a WordNet 3.0 noun synset of ShapeNetCore ("aeroplane" for "02691156"). Any
/// other category is returned unchanged.
[[nodiscard]] std::string category_name(std::string_view category);

}  // namespace p2mpp
