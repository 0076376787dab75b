#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "p2mpp/sample.h"
#include "p2mpp/trained_views.h"

namespace p2mpp {

/// Why --strict refuses a sample with these warnings, one line: "the object touches ... and 2 more (--strict)".
/// Precondition: there is one.
[[nodiscard]] std::string refusal(std::span<const SampleWarning> warnings);

/// Checks a sample without the network, in about ten milliseconds: whether the object is separate from the background,
/// whether the cameras are like those of the training, whether a view occurs twice, and whether the silhouettes agree
/// with the cameras or fit better in another order. Empty if nothing is suspicious. Thread-safe. Codes: those of
/// Sample::doubts (`poses`, `masks`, `same_view`), `axes`, `background`, `empty`, `full`, `cut_by_border`, `radians`,
/// `distance`, `elevation`, `focal_length`, `not_square`, `same_view`, `too_few_views`, `silhouettes`, `size`.
[[nodiscard]] std::vector<SampleWarning> check_sample(const Sample& sample, const TrainedViews& trained);

/// For each view the share of its silhouette that the visual hull of all silhouettes does not explain; empty where no
/// object is seen, and everywhere if fewer than two views show one.
[[nodiscard]] std::vector<std::optional<double>> silhouette_disagreements(const Sample& sample,
                                                                          const std::vector<Camera>& cameras);

/// The largest share of a silhouette that the visual hull of all silhouettes does not explain: about 0 with right
/// cameras and masks, 1 if the silhouettes have no point in common. Uses the given cameras instead of the sample's.
/// Empty if fewer than two views show an object.
[[nodiscard]] std::optional<double> silhouette_disagreement(const Sample& sample, const std::vector<Camera>& cameras);

}  // namespace p2mpp
