#include "capture/sample_reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "capture/canonical_view.h"
#include "capture/photograph_pixels.h"
#include "capture/view_choice.h"
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
    for (std::size_t i = 0; i < cameras.views.size(); ++i) {
      if (cameras.views[i].use) entries.push_back(i);
    }
  }
  for (const std::size_t entry : entries) {
    if (entry < cameras.views.size()) continue;
    throw InputError(fmt::format("{}: has {} views; expected view {} (counted from 0)", display(paths.cameras),
                                 cameras.views.size(), entry));
  }
  check_view_count(entries.size(), printable(paths.id));
  return entries;
}

// Of more views than the network takes, keeps the best, in the order of the files.
void keep_best_views(Sample& sample) {
  constexpr std::size_t kKept = 3;
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
  std::vector<std::size_t> chosen = choose_views(candidates, kKept);
  std::ranges::sort(chosen);
  std::vector<View> kept;
  for (const std::size_t i : chosen) kept.push_back(std::move(sample.views[i]));
  sample.views = std::move(kept);
}

Sample read_photographs(const SamplePaths& paths) {
  const CamerasJson cameras = read_cameras_json(paths.cameras);
  const Capture capture = capture_of(cameras, paths.cameras.parent_path());
  Sample sample{paths.id, {}};
  sample.source_from_world = cameras.source_from_world;
  for (const std::size_t entry : entries_of(paths, cameras)) {
    const DecodedPhotograph decoded = decode(capture.photographs[entry]);
    const ObjectMask mask =
        object_mask(decoded.image, display(decoded.photograph.image), decoded.photograph.mask, BackgroundColour{});
    if (const std::string problem = describe_problem(mask_facts(mask.mask)); !problem.empty()) {
      throw InputError(fmt::format("{}: {}; expected the object in it", display(decoded.photograph.image), problem));
    }
    sample.views.push_back(canonical_view(decoded.photograph, decoded.image, mask, {}));
  }
  sample.network_frame = network_frame_for(sample.views.front().camera);
  return sample;
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

Sample read_sample(const SamplePaths& paths) {
  if (lower_extension(paths.cameras) == ".json") return read_photographs(paths);
  const std::vector<CameraRow> rows = read_cameras(paths.cameras);
  check_rows(paths, rows.size());
  Sample sample{paths.id, {}};
  for (std::size_t view = 0; view < paths.images.size(); ++view) {
    sample.views.push_back(read_view(paths.images[view], rows[paths.camera_rows[view]]));
  }
  if (sample.views.size() > kMaxViews) keep_best_views(sample);
  check_view_count(sample.views.size(), printable(paths.id));
  return sample;
}

Sample read_requested_sample(const WorkerRequest& request) {
  if (request.camera_rows.empty()) {
    return read_sample(explicit_sample(request.id, request.images, request.cameras));
  }
  Sample sample{request.id, {}};
  for (std::size_t view = 0; view < request.images.size(); ++view) {
    sample.views.push_back(read_view(request.images[view], request.camera_rows[view]));
  }
  return sample;
}

}  // namespace p2mpp
