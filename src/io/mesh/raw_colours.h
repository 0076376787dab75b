#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Of triangles and of vertices without a material or colour, beside others.
inline constexpr Colour kNoMaterial = {200, 200, 200};

/// Colours as a file has them: bytes, 16 bits, or from 0 to 1. Programs differ, and the largest channel tells.
class RawColours {
 public:
  /// `least`: the smallest range that the file's type can mean: 1, or 255 of whole numbers.
  explicit RawColours(double least = 1) : least_(least) {}

  void add(const std::array<double, 3>& channels);  ///< a channel that is not finite is 0
  void add_none();

  [[nodiscard]] std::size_t size() const { return colours_.size(); }
  /// In the order of add(); nullopt: none.
  [[nodiscard]] std::vector<std::optional<Colour>> all() const;
  /// Of vertices: empty if none has a colour. If some have none, they become grey, with a note.
  [[nodiscard]] std::vector<Colour> of_vertices(std::vector<std::string>& notes) const;

 private:
  double least_, most_ = 0;
  std::size_t coloured_ = 0;
  std::vector<std::optional<std::array<float, 3>>> colours_;
};

}  // namespace p2mpp
