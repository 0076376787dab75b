#pragma once

#include <string>

#include "eval/evaluation_report.h"
#include "report/evaluation_pictures.h"

namespace p2mpp {

/// An evaluation as one HTML file that needs no network: main figures, latencies, distributions, categories, pictures,
/// a table of all samples that can be searched and sorted, failures, settings and machine.
[[nodiscard]] std::string evaluation_page(const Evaluation& evaluation, const EvaluationSummary& summary,
                                          const RunDescription& description, const EvaluationPictures& pictures);

}  // namespace p2mpp
