#include "capture/sample_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/input_file.h"
#include "base/text.h"
#include "capture/canonical_view.h"
#include "capture/fit_masks.h"
#include "capture/formats/read_capture.h"
#include "capture/mask_files.h"
#include "capture/photograph_pixels.h"
#include "capture/sample_from_capture.h"
#include "capture/view_choice.h"
#include "io/image/image_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

void check_rows(const SamplePaths& paths, std::size_t row_count) {
  if (paths.row_count != 0 && row_count != paths.row_count) {
    throw InputError(fmt::format("{}: has {} rows for {} images; expected one row for each", display(paths.cameras),
                                 row_count, paths.row_count));
  }
  for (std::size_t view = 0; view < paths.images.size(); ++view) {
    if (paths.camera_rows[view] >= row_count) {
      throw InputError(fmt::format("{}: has {} rows; expected row {} (counted from 0) for {}", display(paths.cameras),
                                   row_count, paths.camera_rows[view], display(paths.images[view].filename())));
    }
  }
}

/// The entry of an image: the same path, or else the same file's name.
std::size_t entry_of(const fs::path& image, const CamerasJson& cameras, const fs::path& file) {
  const auto find = [&](const auto& matches) {
    return std::find_if(cameras.views.begin(), cameras.views.end(),
                        [&](const CamerasJsonView& view) { return matches(fs::path(view.image)); });
  };
  const fs::path wanted = image.lexically_normal();
  auto found = find([&](const fs::path& entry) { return (file.parent_path() / entry).lexically_normal() == wanted; });
  if (found == cameras.views.end()) {
    found = find([&](const fs::path& entry) { return entry.filename() == wanted.filename(); });
  }
  if (found == cameras.views.end()) {
    throw InputError(fmt::format("{}: has no camera for {}; expected an entry of \"views\" with this \"image\"",
                                 display(file), display(image)));
  }
  return static_cast<std::size_t>(found - cameras.views.begin());
}

std::vector<std::size_t> entries_of(const SamplePaths& paths, const CamerasJson& cameras) {
  std::vector<std::size_t> entries;
  if (!paths.images.empty()) {
    for (const fs::path& image : paths.images) entries.push_back(entry_of(image, cameras, paths.cameras));
  } else if (!paths.camera_rows.empty()) {
    entries = paths.camera_rows;
  } else {
    for (const bool use : {true, false}) {
      for (std::size_t i = 0; i < cameras.views.size(); ++i) {
        if (cameras.views[i].use == use && (use || entries.size() < paths.best)) entries.push_back(i);
      }
    }
    if (paths.best != 0 && entries.size() > paths.best) entries.resize(paths.best);
  }
  for (const std::size_t entry : entries) {
    if (entry < cameras.views.size()) continue;
    throw InputError(fmt::format("{}: has {} views; expected view {} (counted from 0)", display(paths.cameras),
                                 cameras.views.size(), entry));
  }
  check_view_count(entries.size(), printable(paths.id));
  return entries;
}

// Keeps the best views, in the order of the files.
void keep_best_views(Sample& sample, std::size_t count) {
  std::vector<ViewCandidate> candidates;
  for (const View& view : sample.views) {
    const Mask mask = object_mask(view.image, view.name).mask;
    const MaskFacts facts = mask_facts(mask);
    ViewCandidate& candidate = candidates.emplace_back();
    candidate.name = view.name;
    candidate.usable = describe_problem(facts).empty();
    candidate.camera = view.camera.origin;
    candidate.border_share = facts.border_share;
    candidate.sharpness = candidate.usable ? sharpness(view.image, mask, facts) : 0;
    candidate.extent = std::max(facts.right - facts.left, facts.bottom - facts.top);
    candidate.pixels = pixel_hash(view.image);
  }
  std::vector<std::size_t> chosen = choose_views(candidates, count);
  std::ranges::sort(chosen);
  std::vector<View> kept;
  std::vector<std::string> names;
  for (const std::size_t i : chosen) {
    names.push_back(sample.views[i].name);
    kept.push_back(std::move(sample.views[i]));
  }
  sample.note = fmt::format("the best {} of {} images are used: {} (--views chooses others)", kept.size(),
                            sample.views.size(), fmt::join(names, ", "));
  sample.views = std::move(kept);
}

void add_row_masks(const SamplePaths& paths, const std::vector<CameraRow>& rows, const FitViews& fit, Sample& sample) {
  if (fit.kind == FitViews::Kind::kSame) {
    for (const View& view : sample.views) sample.fit_masks.push_back(fit_mask_of(view));
    return;
  }
  for (const FitImage& found : find_fit_images(paths, fit)) {
    if (found.row >= rows.size()) continue;  // named images have as many rows
    sample.fit_masks.push_back(fit_mask_of(read_view(found.image, rows[found.row])));
  }
}

/// The entries of cameras.json for the fit, of which `used` enter the network.
std::vector<std::size_t> fit_entries(const CamerasJson& cameras, const std::vector<std::size_t>& used,
                                     const FitViews& fit, const fs::path& file) {
  using Kind = FitViews::Kind;
  if (fit.kind == Kind::kNone || (fit.kind == Kind::kAutomatic && cameras.views.size() <= used.size())) return {};
  if (fit.kind == Kind::kSame) return used;
  for (const std::size_t number : fit.listed) {
    if (number >= cameras.views.size()) {
      throw InputError(fmt::format("{}: has no view {} for the fit; it has {} (counted from 0)", display(file), number,
                                   cameras.views.size()));
    }
  }
  if (fit.kind == Kind::kListed) return fit.listed;
  std::vector<std::size_t> all(cameras.views.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void add_photograph_mask(const Photograph& photograph, bool is_listed, Sample& sample) {
  const DecodedPhotograph decoded = decode(photograph);
  const std::string name = display(decoded.photograph.image);
  const Mask mask = object_mask(decoded.image, name, decoded.photograph.mask, BackgroundColour{}).mask;
  const MaskFacts facts = mask_facts(mask);
  if (const std::string problem = describe_problem(facts); !problem.empty()) {
    if (!is_listed) return;
    throw InputError(fmt::format("{}: {}; expected the object in it", name, problem));
  }
  sample.fit_masks.push_back(fit_mask_of(make_silhouette(decoded.photograph, decoded.image, mask, facts),
                                         photograph.rotation, photograph.translation, photograph.name));
}

Sample read_photographs(const SamplePaths& paths, const FitViews& fit) {
  const CamerasJson cameras = read_cameras_json(paths.cameras);
  const Capture capture = capture_of(cameras, paths.cameras.parent_path());
  Sample sample{paths.id, {}};
  sample.source_from_world = cameras.source_from_world;
  const std::vector<std::size_t> entries = entries_of(paths, cameras);
  for (const std::size_t entry : entries) {
    const DecodedPhotograph decoded = decode(capture.photographs[entry]);
    ObjectMask mask =
        object_mask(decoded.image, display(decoded.photograph.image), decoded.photograph.mask, BackgroundColour{});
    if (!decoded.photograph.mask.empty()) mask.background = decoded.photograph.background;
    if (const std::string problem = describe_problem(mask_facts(mask.mask)); !problem.empty()) {
      throw InputError(fmt::format("{}: {}; expected the object in it", display(decoded.photograph.image), problem));
    }
    sample.views.push_back(canonical_view(decoded.photograph, decoded.image, mask, {}));
  }
  sample.network_frame = network_frame_for(sample.views.front().camera);
  for (const std::size_t entry : fit_entries(cameras, entries, fit, paths.cameras)) {
    add_photograph_mask(capture.photographs[entry], fit.kind == FitViews::Kind::kListed, sample);
  }
  return sample;
}

void check_pixels(const SamplePaths& paths, std::size_t most) {
  if (most == 0) return;
  std::size_t pixels = 0;
  for (const fs::path& image : paths.images) {
    const ImageSize size = read_image_size(image);
    pixels += static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  }
  if (pixels <= most) return;
  throw InputError(fmt::format("{}: its {} images have {} million pixels together; expected at most {} million",
                               display(paths.cameras), paths.images.size(), pixels / 1'000'000, most / 1'000'000));
}

Sample read_capture_folder(const WorkerRequest& request, const FitViews& fit, const FolderOptions& options) {
  Capture capture = read_capture(request.sample, {.turntable = request.turntable, .confined = request.confined});
  take_masks_beside(capture);
  PrepareOptions prepare;
  prepare.view_count = request.views == 0 ? options.capture_views : request.views;
  prepare.fit = fit;
  prepare.threads = options.threads;
  return sample_from_capture(capture, request.id, prepare).sample;
}

Sample read_requested_folder(const WorkerRequest& request, const FitViews& fit, const FolderOptions& options) {
  require_folder(request.sample, "a sample's folder or a capture");
  if (request.turntable || !is_sample_folder(request.sample)) return read_capture_folder(request, fit, options);
  SamplePaths paths = find_sample(request.sample, options.view_indices, {}, request.views);
  paths.id = request.id;
  if (lower_extension(paths.cameras) != ".json") check_pixels(paths, options.max_pixels);
  return read_sample(paths, fit);
}

}  // namespace

Capture capture_of(const CamerasJson& cameras, const fs::path& folder) {
  Capture capture;
  capture.kind = "cameras.json";
  capture.where = display(folder);
  capture.up = Eigen::Vector3d::UnitY();
  for (const CamerasJsonView& view : cameras.views) {
    Photograph photograph;
    photograph.image = folder / view.image;
    if (!view.mask.empty()) photograph.mask = folder / view.mask;
    photograph.background = view.background;
    photograph.lens = view.lens;
    photograph.width = view.width;
    photograph.height = view.height;
    photograph.upright = view.upright;
    photograph.rotation = view.rotation;
    photograph.translation = view.translation;
    photograph.name = view.image;
    capture.photographs.push_back(std::move(photograph));
  }
  return capture;
}

Sample read_sample(const SamplePaths& paths, const FitViews& fit) {
  if (lower_extension(paths.cameras) == ".json") return read_photographs(paths, fit);
  const std::vector<CameraRow> rows = read_cameras(paths.cameras);
  check_rows(paths, rows.size());
  Sample sample{paths.id, {}};
  for (std::size_t view = 0; view < paths.images.size(); ++view) {
    sample.views.push_back(read_view(paths.images[view], rows[paths.camera_rows[view]]));
  }
  if (paths.best != 0 && sample.views.size() > paths.best) keep_best_views(sample, paths.best);
  check_view_count(sample.views.size(), printable(paths.id));
  add_row_masks(paths, rows, fit, sample);
  return sample;
}

Sample read_requested_sample(const WorkerRequest& request, const FitViews& fit, const FolderOptions& options) {
  if (!request.sample.empty()) return read_requested_folder(request, fit, options);
  const SamplePaths paths = explicit_sample(request.id, request.images, request.cameras);
  if (request.camera_rows.empty()) return read_sample(paths, fit);
  Sample sample{request.id, {}};
  for (std::size_t view = 0; view < request.images.size(); ++view) {
    sample.views.push_back(read_view(request.images[view], request.camera_rows[view]));
  }
  add_row_masks(paths, request.camera_rows, fit, sample);
  return sample;
}

}  // namespace p2mpp
