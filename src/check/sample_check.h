#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "capture/sample_from_capture.h"
#include "p2mpp/sample.h"
#include "p2mpp/trained_views.h"

namespace p2mpp {

/// The correct cameras of a sample if its author made a certain mistake.
struct CameraHypothesis {
  std::string name;             ///< "azimuths turn the other way"
  std::vector<Camera> cameras;  ///< one per view
};

/// Mistakes in the order or the direction of cameras: mirrored, two views exchanged, all shifted by one or more.
[[nodiscard]] std::vector<CameraHypothesis> order_hypotheses(const Sample& sample);

/// Mistakes in the cameras' numbers: all elevations or one view's azimuth off by 10 degrees, all distances off by 10
/// percent.
[[nodiscard]] std::vector<CameraHypothesis> number_hypotheses(const Sample& sample);

/// The sample with a hypothesis' cameras; the network's frame follows its first view.
[[nodiscard]] Sample with_cameras(Sample sample, const CameraHypothesis& hypothesis);

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

/// A list of {"code", "view", "message"}, the form of warnings in every document: "view" counts from 0 among the
/// sample's views, and is null for the sample as a whole.
[[nodiscard]] Json to_json(std::span<const SampleWarning> warnings);

/// A description of the capture, one line each: cameras, masks, the object's frame, the chosen views.
[[nodiscard]] std::vector<std::string> capture_lines(const CaptureReport& report);

/// The same as JSON.
[[nodiscard]] Json capture_json(const CaptureReport& report);

}  // namespace p2mpp
