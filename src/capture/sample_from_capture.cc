#include "capture/sample_from_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/parallel.h"
#include "base/text.h"
#include "capture/canonical_view.h"
#include "capture/photograph_pixels.h"
#include "geometry/similarity.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

fs::path mask_file_of(const Photograph& photograph, const PrepareOptions& options) {
  return options.masks.empty() ? photograph.mask : find_mask(options.masks, photograph);
}

/// What is kept of a photograph once it is decoded.
struct Inspected {
  PhotographReport report;
  std::optional<Silhouette> silhouette;
};

Inspected inspect(const Photograph& photograph, const PrepareOptions& options) {
  const DecodedPhotograph decoded = decode(photograph);
  const std::string file = display(photograph.image);
  const ObjectMask mask = object_mask(decoded.image, file, mask_file_of(photograph, options), options.background);
  Inspected result;
  PhotographReport& report = result.report;
  report.name = photograph.name;
  report.mask = mask.origin;
  report.facts = mask_facts(mask.mask);
  report.problem = describe_problem(report.facts);
  report.candidate.name = photograph.name;
  report.candidate.usable = report.problem.empty();
  report.candidate.pixels = pixel_hash(decoded.image);
  if (!report.problem.empty()) return result;
  report.candidate.border_share = report.facts.border_share;
  report.candidate.extent = std::max(report.facts.right - report.facts.left, report.facts.bottom - report.facts.top);
  report.candidate.sharpness = sharpness(decoded.image, mask.mask, report.facts);
  result.silhouette = make_silhouette(decoded.photograph, mask.mask, report.facts);
  return result;
}

void check(const Capture& capture, const PrepareOptions& options) {
  const std::size_t count = options.views.empty() ? options.view_count : options.views.size();
  if (count < kMinViews || count > kMaxViews) {
    throw UsageError(fmt::format("{} views; expected {} to {}", count, kMinViews, kMaxViews));
  }
  for (std::size_t i = 0; i < options.views.size(); ++i) {
    const std::size_t view = options.views[i];
    if (view >= capture.photographs.size()) {
      throw UsageError(fmt::format("view {}; {} has photographs 0 to {}", view, capture.where,
                                   static_cast<std::ptrdiff_t>(capture.photographs.size()) - 1));
    }
    if (std::count(options.views.begin(), options.views.end(), view) > 1) {
      throw UsageError(fmt::format("view {} is named twice; expected different views", view));
    }
  }
  for (const Photograph& photograph : capture.photographs) {
    if (const std::string problem = describe_problem(photograph.lens); !problem.empty()) {
      throw InputError(fmt::format("{}: {}", photograph.name, problem));
    }
    if (!photograph.rotation.allFinite() || !photograph.translation.allFinite()) {
      throw InputError(fmt::format("{}: its pose is not finite; expected numbers", photograph.name));
    }
  }
}

void check_usable(const Capture& capture, const PreparedCapture& prepared) {
  if (prepared.silhouettes.size() >= kMinViews) return;
  std::string reason;
  for (const PhotographReport& report : prepared.photographs) {
    if (!report.problem.empty() && reason.empty()) reason = fmt::format("; {}: {}", report.name, report.problem);
  }
  throw InputError(fmt::format("{}: {} of {} photographs have a usable mask; expected at least {}{}", capture.where,
                               prepared.silhouettes.size(), capture.photographs.size(), kMinViews, reason));
}

/// Hull and frame.
void find_object(const Capture& capture, const PrepareOptions& options, PreparedCapture& prepared) {
  RobustHull robust;
  try {
    robust = robust_hull(prepared.silhouettes);
    prepared.hull = std::move(robust.hull);
    prepared.allowance = robust.allowance;
    std::vector<Silhouette> used;
    for (std::size_t i = 0; i < prepared.silhouettes.size(); ++i) {
      PhotographReport& report = prepared.photographs[prepared.silhouette_photographs[i]];
      report.fit = robust.fits[i];
      report.contradicts = std::find(robust.excluded.begin(), robust.excluded.end(), i) != robust.excluded.end();
      report.candidate.usable = !report.contradicts;
      if (!report.contradicts) used.push_back(prepared.silhouettes[i]);
    }
    const UpDirection up =
        capture.up ? UpDirection{capture.up->normalized(), "the capture's"} : up_from_cameras(capture.photographs);
    prepared.frame = object_frame(prepared.hull, used, up, capture.points, options.frame);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", capture.where, error.what()));
  }
}

void choose(const Capture& capture, const PrepareOptions& options, PreparedCapture& prepared) {
  const Similarity world_from_source = inverse(prepared.frame.source_from_world);
  std::vector<ViewCandidate> candidates;
  for (std::size_t i = 0; i < capture.photographs.size(); ++i) {
    ViewCandidate& candidate = prepared.photographs[i].candidate;
    candidate.camera = world_from_source.transformed(capture.photographs[i].centre());
    candidates.push_back(candidate);
  }
  prepared.duplicates = duplicate_views(candidates);
  prepared.chosen = options.views.empty() ? choose_views(candidates, options.view_count) : options.views;
  if (prepared.chosen.size() < kMinViews) {
    throw InputError(fmt::format("{}: {} different views can be used; expected at least {}", capture.where,
                                 prepared.chosen.size(), kMinViews));
  }
}

View view_of(const Photograph& photograph, const PrepareOptions& options, const Similarity& source_from_world) {
  const DecodedPhotograph decoded = decode(photograph);
  const ObjectMask mask =
      object_mask(decoded.image, display(photograph.image), mask_file_of(photograph, options), options.background);
  return canonical_view(decoded.photograph, decoded.image, mask, source_from_world);
}

}  // namespace

fs::path find_mask(const fs::path& folder, const Photograph& photograph) {
  constexpr std::array kExtensions = {".png", ".jpg", ".jpeg", ".webp", ".PNG", ".JPG", ".JPEG"};
  const fs::path name(photograph.name.empty() ? photograph.image.filename().string() : photograph.name);
  for (const fs::path& base : {name, name.filename(), photograph.image.filename()}) {
    std::vector<fs::path> tries = {folder / (base.string() + ".png"), folder / base};
    for (const char* extension : kExtensions) tries.push_back(folder / fs::path(base).replace_extension(extension));
    for (const fs::path& path : tries) {
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) return path;
    }
  }
  throw InputError(fmt::format("{}: has no mask for {}; expected {}", display(folder), printable(photograph.name),
                               printable(fs::path(name.filename()).replace_extension(".png").string())));
}

PreparedCapture sample_from_capture(const Capture& capture, std::string id, const PrepareOptions& options) {
  check(capture, options);
  const std::size_t count = capture.photographs.size();
  std::vector<Inspected> inspected(count);
  for_each_task(count, options.threads,
                [&](std::size_t i) { inspected[i] = inspect(capture.photographs[i], options); });

  PreparedCapture prepared;
  for (std::size_t i = 0; i < count; ++i) {
    prepared.photographs.push_back(std::move(inspected[i].report));
    if (!inspected[i].silhouette) continue;
    prepared.silhouettes.push_back(*std::move(inspected[i].silhouette));
    prepared.silhouette_photographs.push_back(i);
  }
  check_usable(capture, prepared);
  find_object(capture, options, prepared);
  choose(capture, options, prepared);

  Sample& sample = prepared.sample;
  sample.id = std::move(id);
  sample.source_from_world = prepared.frame.source_from_world;
  sample.views.resize(prepared.chosen.size());
  for_each_task(prepared.chosen.size(), options.threads, [&](std::size_t i) {
    sample.views[i] = view_of(capture.photographs[prepared.chosen[i]], options, sample.source_from_world);
  });
  sample.network_frame = network_frame_for(sample.views.front().camera);
  return prepared;
}

CamerasJson cameras_json_of(const Capture& capture, const PreparedCapture& prepared,
                            const std::vector<std::string>& image_of, const std::vector<std::string>& mask_of) {
  CamerasJson cameras;
  const Similarity& source_from_world = prepared.frame.source_from_world;
  cameras.source_from_world = source_from_world;
  const auto append = [&](std::size_t i, bool use) {
    const Photograph& photograph = capture.photographs[i];
    CamerasJsonView view;
    view.image = image_of[i];
    view.mask = mask_of[i];
    view.width = photograph.width;
    view.height = photograph.height;
    view.lens = photograph.lens;
    view.upright = photograph.upright;
    // cam = R (s Q w + t) + u, divided by s: the camera's frame has the world's unit.
    view.rotation = photograph.rotation * source_from_world.rotation;
    view.translation =
        (photograph.rotation * source_from_world.translation + photograph.translation) / source_from_world.scale;
    view.use = use;
    cameras.views.push_back(std::move(view));
  };
  for (const std::size_t i : prepared.chosen) append(i, true);
  for (std::size_t i = 0; i < capture.photographs.size(); ++i) {
    const bool chosen = std::find(prepared.chosen.begin(), prepared.chosen.end(), i) != prepared.chosen.end();
    if (!chosen && prepared.photographs[i].problem.empty()) append(i, false);
  }
  return cameras;
}

}  // namespace p2mpp
