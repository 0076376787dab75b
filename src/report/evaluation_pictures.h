#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/evaluation.h"

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

struct EvaluationPictures {
  std::vector<PictureGroup> groups;
  std::string note;  ///< why there are none, or which are missing; empty where all are there
};

/// The roots, the output folder, the views and the frame with which a sample was evaluated.
using OptionsOfSample = std::function<const EvaluationOptions&(const SampleResult&)>;

/// The best, middle and worst samples by Chamfer distance, or the list's first where nothing is scored, drawn from the
/// files that the evaluation has read and written. A sample whose files are gone is left out, and all are where this
/// build has no ray tracer.
[[nodiscard]] EvaluationPictures draw_evaluation(const Evaluation& evaluation, const OptionsOfSample& options_of,
                                                 int threads = 1);

}  // namespace p2mpp
