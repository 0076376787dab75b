#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace p2mpp {

inline constexpr int kDistanceStage = 3;  ///< what volume.pt says in the place of a stage's number

/// A weight or bias of a stage.
struct Parameter {
  std::vector<std::int64_t> shape;
  std::span<const float> values;  ///< row-major
};

/// The parameters of a TorchScript archive by name (python/p2mpp/network/__init__.py), read without running any of its
/// code. They may be stored as float32, float16, bfloat16 or float64, and are read as float. The archive's size bounds
/// time and memory, even if the archive names the same module or tensor often. Reading takes at most four times the
/// archive's bytes, or 1 MiB.
class StageArchive {
 public:
  /// Stage 1 or 2 of a model, or the distance network (kDistanceStage). The model's archive, or its given parameters, must outlive this object. Throws InputError
  /// naming the file if it is not an archive of that stage and semantics, or if a weight is not finite.
  StageArchive(const Model& model, int stage);
  StageArchive(const StageArchive&) = delete;
  StageArchive& operator=(const StageArchive&) = delete;

  /// Throws InputError naming the file and the parameter if it is missing or has another number of dimensions.
  [[nodiscard]] const Parameter& get(const std::string& name, std::size_t dimensions) const;
  [[nodiscard]] bool has(const std::string& name) const { return parameters_.contains(name); }

  /// Throws InputError("FILE: what").
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Reading;

  [[nodiscard]] std::map<std::string, std::string_view, std::less<>> files_of(std::string_view archive) const;
  void collect_module(Reading& reading, std::size_t module, const std::string& prefix, int depth);
  void collect_tensor(Reading& reading, std::size_t tensor, const std::string& name);
  [[noreturn]] void fail_repeating() const;
  void check_identity(const Reading& reading, int stage, Semantics semantics) const;

  std::filesystem::path path_;
  std::map<std::string, Parameter> parameters_;
  std::deque<std::vector<float>> converted_;  // where the archive's bytes are not floats that may be read in place
};

}  // namespace p2mpp
