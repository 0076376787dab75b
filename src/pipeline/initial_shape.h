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
  bool skips_stage2 = false;           ///< the mesh is the result, apart from the fit
};

/// Reads "ellipsoid", "hull" or a file's name into `shape`; target_vertices stays.
void set_kind(InitialShape& shape, std::string_view text);

/// The text that set_kind() reads.
[[nodiscard]] std::string to_string(const InitialShape& shape);

}  // namespace p2mpp
