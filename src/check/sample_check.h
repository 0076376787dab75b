#pragma once

#include <span>
#include <string>
#include <vector>

#include "p2mpp/sample.h"
#include "p2mpp/trained_views.h"

namespace p2mpp {

/// The share of a silhouette outside what all views allow from which on check_sample() warns. Right cameras, within 1
/// degree and 1%, reach 0.05.
inline constexpr double kDisagreement = 0.06;

/// Why --strict refuses a sample with these warnings, one line: "the object touches ... and 2 more (--strict)".
/// Precondition: there is one.
[[nodiscard]] std::string refusal(std::span<const SampleWarning> warnings);

/// Checks a sample without the network, in about ten milliseconds: whether the object is separate from the background,
/// whether the cameras are like those of the training, whether a view occurs twice, and whether the silhouettes agree
/// with the cameras or fit better in another order. Empty if nothing is suspicious. Thread-safe. Codes: those of
/// Sample::doubts (`poses`, `masks`, `same_view`), `axes`, `background`, `empty`, `full`, `cut_by_border`, `radians`,
/// `distance`, `elevation`, `focal_length`, `not_square`, `same_view`, `too_few_views`, `silhouettes`, `size`.
[[nodiscard]] std::vector<SampleWarning> check_sample(const Sample& sample, const TrainedViews& trained);

}  // namespace p2mpp
