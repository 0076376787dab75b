#include "capture/open_sample.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/text.h"
#include "cameras/mask_files.h"
#include "capture/canonical_view.h"
#include "capture/mask_context.h"
#include "capture/photograph_pixels.h"
#include "capture/pieces/missing_pieces.h"
#include "capture/view_choice.h"
#include "image/network_frame.h"
#include "io/camera_rows.h"
#include "io/cameras_json.h"
#include "io/image/image_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

namespace fs = std::filesystem;

void check_rows(const SamplePaths& paths, std::size_t row_count) {
  if (paths.row_count != 0 && row_count != paths.row_count) {
    std::set<fs::path> stems;
    for (const fs::path& image : paths.images) stems.insert(image.stem());
    const char* const hint = stems.size() < paths.images.size() ? ", and each photograph once, not as JPG and PNG" : "";
    throw InputError(fmt::format("{}: has {} rows for {} images; expected one row for each{}", display(paths.cameras),
                                 row_count, paths.row_count, hint));
  }
  for (std::size_t view = 0; view < paths.images.size(); ++view) {
    if (paths.camera_rows[view] >= row_count) {
      throw InputError(fmt::format("{}: has {} rows; expected row {} (counted from 0) for {}", display(paths.cameras),
                                   row_count, paths.camera_rows[view], display(paths.images[view].filename())));
    }
  }
}

/// The entry of an image: the same path, or else the same file's name.
std::size_t make_entry(const fs::path& image, const CamerasJson& cameras, const fs::path& file) {
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

std::vector<std::size_t> list_entries(const SamplePaths& paths, const CamerasJson& cameras) {
  std::vector<std::size_t> entries;
  if (!paths.images.empty()) {
    for (const fs::path& image : paths.images) entries.push_back(make_entry(image, cameras, paths.cameras));
  } else if (!paths.camera_rows.empty()) {
    entries = paths.camera_rows;
  } else {
    for (const bool use : {true, false}) {
      for (std::size_t i = 0; i < cameras.views.size(); ++i) {
        if (cameras.views[i].use == use && (use || entries.size() < paths.view_count)) entries.push_back(i);
      }
    }
    if (paths.view_count != 0 && entries.size() > paths.view_count) entries.resize(paths.view_count);
  }
  for (const std::size_t entry : entries) {
    if (entry < cameras.views.size()) continue;
    throw InputError(fmt::format("{}: has {} views; expected view {} (counted from 0)", display(paths.cameras),
                                 cameras.views.size(), entry));
  }
  check_view_count(entries.size(), printable(paths.id));
  return entries;
}

// Reduces an image with a side of more than kMaxViewSide to that while it is read, and pads one that is not square.
View read_view(const fs::path& image, const CameraRow& row) {
  Image pixels = read_reduced_image(image, kMaxViewSide);
  try {
    View view = view_from_row(std::move(pixels), row);
    view.name = image.filename().string();
    return view;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", display(image), error.what()));
  }
}

ViewCandidate make_candidate(const View& view) {
  const Mask mask = object_mask(view.image, view.name).mask;
  const MaskFacts facts = mask_facts(mask);
  ViewCandidate candidate;
  candidate.name = view.name;
  candidate.usable = shows_object(facts);
  candidate.camera = view.camera.origin;
  candidate.border_share = facts.border_share;
  candidate.sharpness = candidate.usable ? sharpness(view.image, mask, facts) : 0;
  candidate.extent = facts.extent();
  candidate.pixels = pixel_hash(view.image);
  return candidate;
}

// Keeps the paths of the best views, in the order of the files. Returns the note about it. Images are decoded one at a
// time, and those that are kept again afterwards, because a folder may have any number of them.
std::string keep_best_views(SamplePaths& paths, const std::vector<CameraRow>& rows) {
  std::vector<ViewCandidate> candidates;
  for (std::size_t i = 0; i < paths.images.size(); ++i) {
    candidates.push_back(make_candidate(read_view(paths.images[i], rows[paths.camera_rows[i]])));
  }
  std::vector<std::size_t> chosen = choose_views(candidates, paths.view_count);
  std::ranges::sort(chosen);
  std::vector<std::string> names;
  std::vector<fs::path> images;
  std::vector<std::size_t> camera_rows;
  for (const std::size_t i : chosen) {
    names.push_back(candidates[i].name);
    images.push_back(paths.images[i]);
    camera_rows.push_back(paths.camera_rows[i]);
  }
  paths.images = std::move(images);
  paths.camera_rows = std::move(camera_rows);
  return fmt::format("the best {} of {} images are used: {} (the option views chooses others)", names.size(),
                     candidates.size(), fmt::join(names, ", "));
}

// Reads images one by one, and stops where they have too many pixels together. `rows`: of each image.
std::vector<View> read_views(const std::string& id, const std::vector<fs::path>& images,
                             const std::vector<CameraRow>& rows, std::size_t max_pixels) {
  std::vector<View> views;
  std::size_t pixels = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    views.push_back(read_view(images[i], rows[i]));
    pixels += views.back().image.rgba.size() / 4;
    if (pixels <= max_pixels) continue;
    throw InputError(
        fmt::format("{}: {} of its {} images have {} pixels together; expected at most {} (the option max-pixels)",
                    printable(id), i + 1, images.size(), pixels, max_pixels));
  }
  return views;
}

// `used`: the images of sample.views, which are not decoded again.
void add_row_masks(const SamplePaths& paths, const std::vector<fs::path>& used, const std::vector<CameraRow>& rows,
                   const FitViews& fit, Sample& sample) {
  if (fit.kind == FitViews::Kind::kSame) {
    for (const View& view : sample.views) sample.fit_masks.push_back(make_fit_mask(view));
    return;
  }
  for (const FitImage& found : find_fit_images(paths, fit)) {
    if (found.row >= rows.size()) continue;  // named images have as many rows
    const auto view = static_cast<std::size_t>(std::ranges::find(used, found.image) - used.begin());
    sample.fit_masks.push_back(
        make_fit_mask(view < used.size() ? sample.views[view] : read_view(found.image, rows[found.row])));
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
  return select_fitted(all);
}

/// The photographs of cameras.json in `folder`, in the normalised world; up is its y axis.
Capture to_capture(const CamerasJson& cameras, const fs::path& folder) {
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
    photograph.cam_from_source = view.cam_from_world;
    photograph.name = view.image;
    capture.photographs.push_back(std::move(photograph));
  }
  return capture;
}

// Decodes each photograph once, one at a time: those that enter the network, then the others of the fit.
Sample read_photographs(const SamplePaths& paths, const SampleRequest& request) {
  const CamerasJson cameras = read_cameras_json(paths.cameras);
  const Capture capture = to_capture(cameras, paths.cameras.parent_path());
  request.check_total_pixels(capture);
  Sample sample{paths.id, {}};
  sample.source_from_world = cameras.source_from_world;
  sample.metres_per_source_unit = cameras.metres_per_unit;
  const std::vector<std::size_t> viewed = list_entries(paths, cameras);
  const std::vector<std::size_t> fitted = fit_entries(cameras, viewed, request.fit, paths.cameras);
  const auto is_in = [](const std::vector<std::size_t>& list, std::size_t entry) {
    return std::ranges::find(list, entry) != list.end();
  };
  std::vector<std::size_t> entries = viewed;
  std::ranges::copy_if(fitted, std::back_inserter(entries), [&](std::size_t entry) { return !is_in(viewed, entry); });
  std::map<std::size_t, FitMask> fit_masks;
  PixelBudget budget(request.max_pixels);
  for (const std::size_t entry : entries) {
    const DecodedPhotograph decoded = decode(capture.photographs[entry], budget);
    const Photograph& photograph = decoded.photograph;
    const std::string name = display(photograph.image);
    ObjectMask mask = photograph_mask(decoded.image, name, photograph.mask);
    if (!photograph.mask.empty()) mask.background = photograph.background;
    const MaskFacts facts = mask_facts(mask.mask);
    const bool is_viewed = is_in(viewed, entry);
    try {
      check_shows_object(facts);
    } catch (const InputError& error) {
      if (!is_viewed && request.fit.kind != FitViews::Kind::kListed) continue;
      throw InputError(fmt::format("{}: {}; expected the object in it", name, error.what()));
    }
    if (is_viewed) sample.views.push_back(canonical_view(photograph, cut_out(decoded.image, mask), {}));
    if (!is_in(fitted, entry)) continue;
    const MaskView silhouette =
        resampled_mask(photograph, mask.mask, facts, mask_view_size(cameras.views.size()), &decoded.image);
    fit_masks.emplace(entry, to_fit_mask(silhouette, photograph.name));
  }
  sample.network_frame = network_frame_for(sample.views.front().camera);
  for (const std::size_t entry : fitted) {
    if (const auto found = fit_masks.find(entry); found != fit_masks.end()) sample.fit_masks.push_back(found->second);
  }
  return sample;
}

// Before any image is decoded, which takes time even if it is reduced.
void check_total_pixels(const SamplePaths& paths, std::size_t most) {
  PixelTotal total(most);
  for (const fs::path& image : paths.images) total.add(image);
}

void refine_masks(int threads, Sample& sample) {
  const auto note = [&sample](const std::string& line) { sample.note += (sample.note.empty() ? "" : "; ") + line; };
  if (const double excess = correct_widths(sample.fit_masks); excess != 0) note(width_note(excess));
  if (const std::size_t filled = fill_missing_pieces(sample.fit_masks, threads); filled > 0) note(pieces_note(filled));
}

// Sample of images with camera rows.
Sample read_images(const SamplePaths& paths, const SampleRequest& request) {
  if (request.max_total_pixels != PixelTotal::kUnlimited) check_total_pixels(paths, request.max_total_pixels);
  const std::vector<CameraRow> rows = paths.rows.empty() ? read_cameras(paths.cameras) : paths.rows;
  check_rows(paths, rows.size());
  Sample sample{paths.id, {}};
  SamplePaths used = paths;
  if (paths.view_count != 0 && paths.images.size() > paths.view_count) sample.note = keep_best_views(used, rows);
  check_view_count(used.images.size(), printable(paths.id));
  std::vector<CameraRow> used_rows;
  for (const std::size_t row : used.camera_rows) used_rows.push_back(rows[row]);
  sample.views = read_views(paths.id, used.images, used_rows, request.max_pixels);
  add_row_masks(paths, used.images, rows, request.fit, sample);
  if (request.capture.corrections.masks) refine_masks(request.threads, sample);
  return sample;
}

OpenedSample open_capture(const SamplePaths& paths, const SampleRequest& request) {
  Capture capture = read_capture(paths.capture, request.capture.source);
  if (request.capture.masks.empty()) use_masks_beside(capture);
  PreparedCapture prepared = sample_from_capture(std::move(capture), paths.id, request);
  if (const std::size_t count = prepared.chosen.size(); count < request.photograph_count()) {
    prepared.capture.notes.push_back(fmt::format(
        "the network gets {} views instead of {}: the other photographs are not usable or show the same views", count,
        request.photograph_count()));
  }
  auto photographs = std::make_shared<CapturePhotographs>(prepared, request);
  return {std::move(prepared.sample), static_cast<CaptureReport&&>(prepared), std::move(photographs)};
}

}  // namespace

OpenedSample open_sample(const SamplePaths& paths, const SampleRequest& request) {
  if (!paths.capture.empty()) return open_capture(paths, request);
  return {lower_extension(paths.cameras) == ".json" ? read_photographs(paths, request) : read_images(paths, request)};
}

OpenedSample open_sample(const std::filesystem::path& path, const SampleRequest& request) {
  return open_sample(locate_sample(path, request), request);
}

}  // namespace p2mpp
