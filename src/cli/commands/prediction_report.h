#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands/sample_pictures.h"
#include "p2mpp/engine.h"

namespace p2mpp::cli {

/// One sample's result.
struct Prediction {
  std::string id;
  std::vector<std::filesystem::path> files;  ///< a mesh in each format
  std::vector<std::filesystem::path> coarse = {};
  SamplePictures pictures = {};
  std::size_t vertices = 0;
  std::size_t faces = 0;
  PartTimes times = {};
};

/// What `predict` prints on stdout: for each sample, once it is done, its mesh and the milliseconds by part, or one
/// JSON document at the end.
class PredictionReport {
 public:
  PredictionReport(const Engine& engine, Frame frame, std::size_t sample_count, bool json);

  // `index` is the sample's place among those asked for.
  void add(std::size_t index, const Prediction& prediction);
  void add_failure(std::size_t index, const std::string& id, const std::string& problem);
  void finish();

  [[nodiscard]] std::size_t failed() const { return failed_; }

 private:
  bool json_;
  bool header_printed_ = false;
  std::size_t failed_ = 0;
  nlohmann::ordered_json document_;
};

}  // namespace p2mpp::cli
