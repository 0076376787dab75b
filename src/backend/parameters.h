#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "p2mpp/model.h"

namespace p2mpp {

/// A weight or bias of a stage.
struct Parameter {
  std::vector<std::int64_t> shape;
  std::span<const float> values;  ///< row-major
};

/// A stage's parameters by name (scripts/p2mpp_model/__init__.py), and what keeps them alive.
class StageParameters {
 public:
  /// Opens the archive of a model's stage 1 or 2. Throws InputError naming the file for what is not that stage.
  StageParameters(const Model& model, int stage);

  /// Throws InputError naming the file and the parameter unless it is there with so many dimensions.
  [[nodiscard]] const Parameter& get(const std::string& name, std::size_t dimensions) const;
  [[nodiscard]] bool has(const std::string& name) const { return parameters_.contains(name); }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::filesystem::path path_;
  std::shared_ptr<void> owner_;
  std::map<std::string, Parameter> parameters_;
};

}  // namespace p2mpp
