#pragma once

#include "cameras/capture.h"

namespace p2mpp {

/// Adds the poses as they would be if the file's author had made a common mistake: OpenGL's camera axes for OpenCV's or
/// the other way round, poses from the camera to the world for those from the world to the camera, a quaternion's
/// numbers in the other order, or left-handed matrices.
void add_pose_alternatives(Capture& capture);

/// Adds the poses of heading, pitch and roll if the camera with all angles 0 has OpenCV's axes, x east and z up, and
/// pitch and roll have the other sign than in RealityCapture's files. Programs write such files.
void add_other_angles(Capture& capture);

}  // namespace p2mpp
