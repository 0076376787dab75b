#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cameras/capture.h"
#include "cameras/turntable.h"

namespace p2mpp {

struct CaptureOptions {
  std::filesystem::path images = {};  ///< the folder of a COLMAP model's photographs; empty: found beside the model
  bool is_turntable = false;          ///< the path is a folder of photographs from a turntable
  Turntable turntable = {};
};

/// Whether read_capture() would recognise the path without CaptureOptions::is_turntable. Reads at most the start of
/// files.
[[nodiscard]] bool is_capture(const std::filesystem::path& path);

/// The name of a capture's sample: that of its folder, without sparse/0 or a file.
[[nodiscard]] std::string capture_id(const std::filesystem::path& path);

/// Reads the cameras of a capture. Recognised, in this order:
///   with options.is_turntable: a folder of photographs (turntable.h);
///   a COLMAP model, cameras, images and points3D, as .bin or .txt: PATH, PATH/sparse, PATH/sparse/N or PATH/N;
///   transforms.json: PATH itself, PATH/transforms.json or PATH/transforms_train.json;
///   the files of other programs, told apart by their names and contents (camera_formats.h).
/// Photographs that the capture names and that do not exist are left out, with a note. Throws InputError naming the
/// file and its line, byte or key if something is missing or malformed, or if fewer than 2 photographs are left.
[[nodiscard]] Capture read_capture(const std::filesystem::path& path, const CaptureOptions& options = {});

/// The formats for a message: "a COLMAP model (...), transforms.json, Metashape (XML), ... or matrices in text".
[[nodiscard]] std::string readable_formats();

/// What was read, in the words of the file's program, for a glance: "read as Meshroom 1.2.11: 12 cameras of 320x240
/// pixels, 2 lenses: radialk3, f 330", and a line for each reason why a photograph is left out.
[[nodiscard]] std::vector<std::string> read_words(const Capture& capture);

}  // namespace p2mpp
