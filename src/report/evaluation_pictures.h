#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eval/evaluation.h"

namespace p2mpp {

/// A sample in pictures: its first view, the reconstruction and, where it is known, the ground truth, all seen from the
/// first view's direction.
struct PicturedSample {
  std::string id, caption;
  std::vector<std::pair<std::string, Image>> images;  ///< name and picture
};

struct PictureGroup {
  std::string name;  ///< "best", ...
  std::vector<PicturedSample> samples;
};

/// The best, middle and worst samples by Chamfer distance, or the list's first where nothing is scored, drawn from the
/// files that the evaluation has read and written. A sample whose files are gone is left out. No groups where this
/// build has no ray tracer.
[[nodiscard]] std::vector<PictureGroup> draw_evaluation(const Evaluation& evaluation, const EvaluationOptions& options,
                                                        int threads = 1);

}  // namespace p2mpp
