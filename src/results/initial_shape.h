#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace p2mpp {

/// The mesh from which stage 2 begins, or which replaces stage 2.
struct InitialShape {
  enum class Kind {
    kEllipsoid,  ///< stage 1's, which deforms the template
    kHull,       ///< the visual hull of the masks
    kFile,       ///< a mesh file's
  };
  Kind kind = Kind::kEllipsoid;
  std::filesystem::path file = {};
  std::size_t target_vertices = 2500;  ///< of the hull's mesh
  bool with_stage2 = true;             ///< false: the mesh is the result, apart from the fit

  [[nodiscard]] bool operator==(const InitialShape&) const = default;
};

/// Reads "ellipsoid", "hull" or a file's name into `shape`. The other fields stay.
void from_text(std::string_view text, InitialShape& shape);

/// The text that from_text() reads.
[[nodiscard]] std::string to_string(const InitialShape& shape);

}  // namespace p2mpp
