#pragma once

#include <filesystem>

#include "base/option.h"
#include "cameras/read_capture.h"
#include "capture/frame/object_frame.h"
#include "image/object_mask.h"
#include "p2mpp/sample.h"

namespace p2mpp {

/// How photographs of a capture are read and prepared: the only declaration of these options, for the command line,
/// configuration files, requests, Python and C++.
struct PreparationOptions {
  CaptureOptions source = {};
  std::filesystem::path masks = {};  ///< a folder with a mask for each photograph; empty: found beside them
  BackgroundColour background = {};
  FrameOptions frame = {};
  CaptureCorrections corrections = {};

  template <typename Visit>
  void visit_options(Visit&& visit);
};

template <typename Visit>
void PreparationOptions::visit_options(Visit&& visit) {
  const auto add = in_group("Photographs", visit);
  // They describe one capture, so a configuration file and a list of samples have no place for them.
  const auto add_of_one = [&add](auto& field, const Option& option, OptionRules rules = {}) {
    rules.configurable = false;
    rules.commands = "predict refine import check texture";
    add(field, option, rules);
  };
  constexpr double kLargest = 1e12;
  add_of_one(source.images,
             {"--photographs", "Folder of a COLMAP model's photographs (default: images/ beside the model)", "FOLDER",
              file_name()});
  add_of_one(masks, {"--masks",
                     "Folder with a mask for each photograph, of its name: the object is white or opaque (default: "
                     "masks/ beside the photographs, if it is there)",
                     "FOLDER", file_name()});
  add(background,
      {"--background", "Colour behind the object in photographs without transparency and mask; auto: the border's",
       "auto|R,G,B", file_name()},
      {.recorded = Recorded::kUnlessDefault, .in_requests = R"("auto", "white" or "R,G,B")"});
  add_of_one(source.is_turntable,
             {"--turntable",
              "The path is a folder of photographs at equal angles around the object, in the order of their names"});
  Turntable& turntable = source.turntable;
  add_of_one(turntable.elevation_deg,
             {"--elevation", "With --turntable: the camera's angle above the table's plane, as seen from the object",
              "DEGREES", number(-kMaxTurntableElevationDeg, kMaxTurntableElevationDeg)},
             {.needs = "--turntable"});
  add_of_one(
      turntable.clockwise,
      {"--clockwise", "With --turntable: the table, seen from above, turns clockwise (default: counter-clockwise)"},
      {.needs = "--turntable"});
  add_of_one(
      turntable.field_of_view_deg,
      {"--fov", "With --turntable: the angle of view along the longer side (default: 69.4, a phone's main camera)",
       "DEGREES", number(kMinFieldOfViewDeg, kMaxFieldOfViewDeg)},
      {.needs = "--turntable"});
  add_of_one(frame.up, {"--up", "The object's upward direction in the capture (default: from the cameras)", "X,Y,Z",
                        three_numbers(-kLargest, kLargest)});
  add_of_one(frame.centre,
             {"--centre", "The centre of the object's bounding box in the capture (default: from the masks)", "X,Y,Z",
              three_numbers(-kLargest, kLargest)});
  add_of_one(frame.scale,
             {"--scale",
              "The diagonal of the object's bounding box in the capture's unit, divided by 0.57 (default: from the "
              "masks)",
              "X", number(1 / kLargest, kLargest)});
  add(corrections.poses,
      {"--no-refine-poses",
       "Take the capture's cameras as they are (default: errors up to 3 degrees are corrected where the masks show "
       "them)"},
      {.sets = "false", .recorded = Recorded::kUnlessDefault, .key = "refine_poses", .in_requests = "true or false"});
  add(corrections.masks,
      {"--no-refine-masks",
       "Take masks and transparency as they are (default: masks that are too wide, too narrow, or lack pieces are "
       "corrected from the photographs)"},
      {.sets = "false", .recorded = Recorded::kUnlessDefault, .key = "refine_masks", .in_requests = "true or false"});
}

}  // namespace p2mpp
