#include <fmt/format.h>

#include "cameras/parsing/json_node.h"
#include "cameras/programs/camera_files.h"
#include "geometry/angles.h"

namespace p2mpp {

/// A photograph's metadata of OpenScan3: theta from the pole, and fi around it, in degrees.
OrbitAngles parse_openscan(std::string_view json, const std::string& name) {
  const nlohmann::json document = parse_foreign_json(json, name, "the metadata of a photograph of OpenScan3");
  const JsonNode polar = JsonNode(document, name)["polar_coordinates"];
  const double theta = polar["theta"].number(), azimuth = polar["fi"].number();
  constexpr double kPole = 0.1;  // there, no direction is up
  if (!(theta > kPole && theta < 180 - kPole)) {
    polar.refuse(fmt::format("theta is {}; expected an angle from the pole between 0 and 180", theta));
  }
  return {azimuth * kRadiansPerDegree, (90 - theta) * kRadiansPerDegree};
}

}  // namespace p2mpp
