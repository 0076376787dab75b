#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// The output of tests/fixtures/make_test_models.py: model folders, the golden sample and the golden arrays.
inline std::filesystem::path test_models() { return P2MPP_TEST_MODELS; }

/// A golden array of float32 as the fixture unpacked it, row-major.
inline std::vector<float> golden_array(const std::string& semantics, const std::string& name) {
  const std::filesystem::path path = test_models() / "golden" / semantics / (name + ".f32");
  std::vector<float> values(std::filesystem::file_size(path) / sizeof(float));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return values;
}

inline std::vector<float> flat(const Points& points) {
  return {points.front().data(), points.front().data() + 3 * points.size()};
}

}  // namespace p2mpp
