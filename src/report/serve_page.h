#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "p2mpp/sample.h"
#include "p2mpp/trained_views.h"

namespace p2mpp {

/// The page of `p2mpp serve`: images and cameras in, their check, a viewer and a file out. It names no other host.
/// `has_token`: requests need one, so the page asks for it. `finds_cameras`: the server takes photographs without.
[[nodiscard]] std::string serve_page(bool has_token, bool finds_cameras);

/// The check of a sample without the network, for a page: {"views": [{"name", "azimuth", "elevation",
/// "distance", "unexplained", "picture"}], "disagreement", "warnings": [{"code", "view", "message"}]}. A picture is a
/// PNG as a data: URI: the view with the outline of its silhouette. "unexplained" and "disagreement" are shares of a
/// silhouette (sample_silhouettes.h), or null.
[[nodiscard]] nlohmann::ordered_json sample_check_json(const Sample& sample, const TrainedViews& trained);

}  // namespace p2mpp
