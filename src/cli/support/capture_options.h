#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "capture/open_sample.h"
#include "capture/sample_from_capture.h"
#include "cli/support/command.h"

namespace p2mpp::cli {

/// How photographs of a capture are read and prepared: the options that `predict`, `import` and `check` share.
struct CaptureArguments {
  std::filesystem::path images, masks;
  std::string background = "auto";
  bool turntable = false;
  std::optional<double> elevation_deg, field_of_view_deg;
  bool clockwise = false;
  std::vector<double> up, centre;  ///< three numbers, or empty
  std::optional<double> scale;
  bool refine_poses = true, refine_masks = true;

  template <typename Visit>
  void visit_options(Visit&& visit);
};

template <typename Visit>
void CaptureArguments::visit_options(Visit&& visit) {
  // They describe one capture, so a configuration file has no place for them.
  const auto add = [&visit](auto& field, Option option, OptionRules rules = {}) {
    option.group = "Photographs";
    rules.configurable = false;
    visit(field, option, rules);
  };
  constexpr double kLargest = 1e12;
  add(images, {"--photographs", "Folder of a COLMAP model's photographs (default: images/ beside the model)", "FOLDER",
               file_name()});
  add(masks, {"--masks",
              "Folder with a mask for each photograph, of its name: the object is white or opaque (default: masks/ "
              "beside the photographs, if it is there)",
              "FOLDER", file_name()});
  add(background,
      {"--background", "Colour behind the object in photographs without transparency and mask; auto: the border's",
       "auto|R,G,B", file_name()});
  add(turntable,
      {"--turntable",
       "The path is a folder of photographs at equal angles around the object, in the order of their names"});
  add(elevation_deg,
      {"--elevation", "With --turntable: the camera's angle above the table's plane, as seen from the object",
       "DEGREES", number(-89, 89)},
      {.needs = "--turntable"});
  add(clockwise,
      {"--clockwise", "With --turntable: the table, seen from above, turns clockwise (default: counter-clockwise)"},
      {.needs = "--turntable"});
  add(field_of_view_deg,
      {"--fov", "With --turntable: the angle of view along the longer side (default: 69.4, a phone's main camera)",
       "DEGREES", number(1, 150)},
      {.needs = "--turntable"});
  add(up,
      {"--up", "The object's upward direction in the capture (default: from the cameras)", "X,Y,Z",
       number(-kLargest, kLargest)},
      {.count = 3});
  add(centre,
      {"--centre", "The centre of the object's bounding box in the capture (default: from the masks)", "X,Y,Z",
       number(-kLargest, kLargest)},
      {.count = 3});
  add(scale,
      {"--scale",
       "The diagonal of the object's bounding box in the capture's unit, divided by 0.57 (default: from the masks)",
       "X", number(1 / kLargest, kLargest)});
  add(refine_poses,
      {"--no-refine-poses",
       "Take the capture's cameras as they are (default: errors up to 3 degrees are corrected where the masks show "
       "them)"},
      {.sets = "false"});
  add(refine_masks,
      {"--no-refine-masks",
       "Take masks and transparency as they are (default: masks that are too wide, too narrow, or lack pieces are "
       "corrected from the photographs)"},
      {.sets = "false"});
}

using ViewNumbers = std::vector<std::size_t>;

/// How a sample's folder or a capture is read. `numbered`: view_indices(). Throws UsageError for options that
/// contradict each other.
[[nodiscard]] SampleRequest sample_request(const Settings& settings, const ViewNumbers& numbered,
                                           const CaptureArguments& arguments = {});

/// The same for commands that refuse captures.
[[nodiscard]] SampleRequest folder_request(const Settings& settings,
                                           const ViewNumbers& numbered = SampleRequest().trained_views);

/// open_sample() with a bar on a terminal while the photographs of a capture are read.
[[nodiscard]] OpenedSample open_with_bar(const std::filesystem::path& path, SampleRequest request,
                                         const Settings& settings);

}  // namespace p2mpp::cli
