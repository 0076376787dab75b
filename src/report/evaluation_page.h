#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "eval/evaluation.h"
#include "eval/evaluation_report.h"

namespace p2mpp {

/// Pictures of a sample: its first view, the reconstruction and the ground truth, if known, all from the first view's
/// direction.
struct PicturedSample {
  std::string id, category, caption;
  std::vector<std::pair<std::string, Image>> images;  ///< name and picture
  std::string viewer = {};                            ///< its 3D view's page; empty if none was requested

  /// The page's file, beside the report.
  [[nodiscard]] std::string viewer_file() const { return id + "_view.html"; }
};

struct PictureGroup {
  std::string name;  ///< "best", ...
  std::vector<PicturedSample> samples;
};

struct EvaluationPictures {
  std::vector<PictureGroup> groups;
  std::string note;  ///< why pictures are missing, or which ones; empty if none are
};

/// The options with which a sample was evaluated: roots, output folder, views and frame.
using OptionsOfSample = std::function<const PipelineOptions&(const SampleResult&)>;

/// Pictures of the best, median and worst samples by Chamfer distance, or of the list's first samples if nothing is
/// scored, drawn from the files that the evaluation read and wrote. Samples whose files no longer exist are skipped.
/// Without a ray tracer, all samples are skipped.
/// with_viewers: with a page of the 3D view for each.
[[nodiscard]] EvaluationPictures draw_evaluation(const Evaluation& evaluation, const OptionsOfSample& find_options,
                                                 int threads = 1, bool with_viewers = false);

/// An evaluation as one HTML file that needs no network: main figures, latencies, distributions, categories, pictures,
/// a table of all samples that can be searched and sorted, failures, settings and machine.
[[nodiscard]] std::string evaluation_page(const Evaluation& evaluation, const EvaluationSummary& summary,
                                          const RunDescription& description, const EvaluationPictures& pictures);

}  // namespace p2mpp
