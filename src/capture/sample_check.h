#pragma once

#include <optional>
#include <string>
#include <vector>

#include "p2mpp/sample.h"
#include "p2mpp/trained_views.h"

namespace p2mpp {

/// Something about a sample because of which its mesh is probably wrong.
struct SampleWarning {
  std::string code;                 ///< for programs: "cut_by_border"
  std::optional<std::size_t> view;  ///< from 0; empty: the sample as a whole
  std::string message;              ///< one clause: "the object touches the left border; ..."
};

/// "view 2 (left.png): the object touches ...", or the message alone.
[[nodiscard]] std::string describe(const SampleWarning& warning, const Sample& sample);

/// Why --strict refuses a sample with these warnings, one line: "the object touches ... and 2 more (--strict)".
/// Precondition: there is one.
[[nodiscard]] std::string refusal(const std::vector<std::string>& warnings);

/// Checks what can be seen without the network, in about ten milliseconds: object against background, cameras against
/// the views that the model was trained on, views that are given twice, and whether the silhouettes agree with the
/// cameras or fit better in another order. Empty if nothing is suspicious. Thread-safe. Codes: `poses`
/// (Sample::doubts), `axes`, `background`, `empty`, `full`, `cut_by_border`, `radians`, `distance`, `elevation`,
/// `focal_length`, `not_square`, `same_view`, `too_few_views`, `silhouettes`, `size`.
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
