#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "check/sample_check.h"

namespace p2mpp {
namespace {
std::string describe_masks(const CaptureReport& report) {
  std::map<std::string, std::size_t> counts;
  for (const PhotographReport& photograph : report.photographs) {
    if (photograph.problem.empty()) ++counts[photograph.mask];
  }
  std::vector<std::string> parts;
  for (const auto& [origin, count] : counts) parts.push_back(fmt::format("{} by {}", count, origin));
  return fmt::format("masks: {}", fmt::join(parts, ", "));
}

std::string triple(const Eigen::Vector3d& vector, int digits = 6) {
  return fmt::format("{:.{}g},{:.{}g},{:.{}g}", vector.x(), digits, vector.y(), digits, vector.z(), digits);
}

/// Enough digits for a millionth of the object's scale, also far from zero.
int round_digits(const Similarity& frame) {
  const double ratio = frame.translation.cwiseAbs().maxCoeff() / frame.scale;
  return ratio < 100 ? 6 : 7 + static_cast<int>(std::log10(ratio));
}

Json json_array(const Eigen::Vector3d& vector) { return {vector.x(), vector.y(), vector.z()}; }

std::string chosen_names(const CaptureReport& report) {
  std::vector<std::string> names;
  for (const std::size_t i : report.chosen) {
    names.push_back(fmt::format("{} ({})", i, report.photographs[i].name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<std::string> capture_lines(const CaptureReport& report) {
  const Capture& capture = report.capture;
  const Similarity& frame = report.frame.source_from_world;
  std::vector<std::string> lines = {
      fmt::format("{}: {} photographs, {}", capture.where, capture.photographs.size(), capture.kind)};
  lines.insert(lines.end(), capture.notes.begin(), capture.notes.end());
  lines.push_back(describe_masks(report));
  if (const PoseRefinement& refinement = report.refinement; refinement.applied) {
    lines.push_back(fmt::format(
        "cameras: corrected from the masks by {:.2f} degrees on average, {:.2f} at most; --no-refine-poses keeps them",
        refinement.mean_deg, refinement.largest_deg));
  }
  lines.push_back(fmt::format("object: --centre {} --scale {:.6g} --up {} (up: {})",
                              triple(frame.translation, round_digits(frame)), frame.scale,
                              triple(frame.rotation * Eigen::Vector3d::UnitY()), report.frame.up.origin));
  if (report.frame.most / report.frame.least > 1.3) {
    lines.push_back(fmt::format("the views leave its size open: {:.2f} to {:.2f} times this", report.frame.least,
                                report.frame.most));
  }
  lines.push_back(fmt::format("views: {}", chosen_names(report)));
  return lines;
}

Json capture_json(const CaptureReport& report) {
  const Capture& capture = report.capture;
  const Similarity& frame = report.frame.source_from_world;
  Json photographs = Json::array();
  for (const PhotographReport& photograph : report.photographs) {
    Json json = {{"name", photograph.name}, {"mask", photograph.mask}};
    if (!photograph.problem.empty()) json["problem"] = photograph.problem;
    json["contradicts"] = photograph.contradicts;
    json["unexplained"] = photograph.fit.unexplained;
    photographs.push_back(std::move(json));
  }
  return {{"kind", capture.kind},
          {"where", capture.where},
          {"notes", capture.notes},
          {"centre", json_array(frame.translation)},
          {"scale", frame.scale},
          {"up", json_array(frame.rotation * Eigen::Vector3d::UnitY())},
          {"up_from", report.frame.up.origin},
          {"size", json_array(report.frame.size)},
          {"refined_poses", report.refinement.applied},
          {"refined_mean_deg", report.refinement.mean_deg},
          {"refined_largest_deg", report.refinement.largest_deg},
          {"views", report.chosen},
          {"duplicates", report.duplicates},
          {"photographs", std::move(photographs)}};
}

}  // namespace p2mpp
