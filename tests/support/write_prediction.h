#pragma once

#include "results/prediction_files.h"

namespace p2mpp {

/// Writes a prediction to the end and gives its files' paths in the formats' order. Throws what begin_prediction()
/// throws.
inline std::vector<std::filesystem::path> write_prediction(const std::filesystem::path& folder, const std::string& id,
                                                           const PredictedMesh& mesh, const MeshOutput& output) {
  UnfinishedPrediction prediction = begin_prediction(folder, id, mesh, output);
  sync_to_disk(prediction.files);
  std::vector<std::filesystem::path> paths;
  for (UnfinishedFile& file : prediction.files) {
    file.put_in_place();
    paths.push_back(file.path());
  }
  return paths;
}

inline std::vector<std::filesystem::path> write_prediction(const std::filesystem::path& folder, const std::string& id,
                                                           const TriangleMesh& mesh, const MeshOutput& output) {
  return write_prediction(folder, id, PredictedMesh{[&](Frame) { return mesh; }}, output);
}

}  // namespace p2mpp
