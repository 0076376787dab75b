#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "cameras/parsing/pose_matrix.h"
#include "cameras/parsing/text_rows.h"
#include "cameras/programs/camera_files.h"
#include "cameras/programs/projection_matrix.h"
#include "p2mpp/error.h"

/// A pose beside each photograph, and one calibration matrix: ScanNet, 7-Scenes (3DMatch) and NSVF. Poses are
/// world_from_cam with OpenCV's axes. Source: ScanNet, SensReader/python; 7-Scenes' and 3DMatch's web pages; NSVF,
/// fairnr/data/data_utils.py.
namespace p2mpp {

Lens parse_pose_lens(std::string_view text, const std::string& name) {
  const std::optional<std::vector<double>> all = numbers_in(text);
  LineReader lines(text);
  std::string_view first;
  while (lines.next(first) && trimmed(first).empty()) {
  }
  const std::optional<std::vector<double>> row = numbers_in(first);
  std::vector<double> k;
  if (all && all->size() == 9) k = *all;
  if (all && all->size() == 16) {
    for (const std::size_t i : {0, 1, 2, 4, 5, 6, 8, 9, 10}) k.push_back((*all)[i]);
  }
  if (k.empty() && row && row->size() == 4)
    k = {(*row)[0], 0, (*row)[1], 0, (*row)[0], (*row)[2], 0, 0, 1};  // f cx cy 0
  if (k.empty()) throw InputError(name + ": expected a calibration matrix of 3x3 or 4x4, or f cx cy 0");
  return camera_of_k(k, {}, name).lens;
}

ListedCamera parse_pose_file(std::string_view text, const std::string& name, const std::string& file) {
  const std::optional<std::vector<double>> pose = numbers_in(text);
  if (!pose || (pose->size() != 12 && pose->size() != 16)) {
    throw InputError(name + ": is no pose of finite numbers; expected 4 rows of 4");
  }
  ListedCamera camera{.file = file, .where = name};
  camera.cam_from_source = pose_from_rows(*pose, name);
  return camera;
}

}  // namespace p2mpp
