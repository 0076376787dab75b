#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "p2mpp/mesh_texture.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Makes one texture of the pictures and colours of a mesh's materials.
class TextureAssembly {
 public:
  /// `notes`: takes one line for the user for each picture that is not used. It must outlive this object.
  explicit TextureAssembly(std::vector<std::string>& notes) : notes_(notes) {}

  /// Decodes a picture; `name` stands in notes. nullopt, with a note, if it cannot be used.
  std::optional<std::size_t> add_picture(std::string_view bytes, const std::string& name);

  /// A material's plain colour.
  std::size_t add_colour(const Colour& colour);

  /// The next triangle's part and the places of its corners in it, as in MeshTexture; outside [0,1] a picture repeats.
  /// nullopt: no material.
  void add_triangle(std::optional<std::size_t> part, const std::array<Eigen::Vector2f, 3>& corners);

  /// A line for the user.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// The texture of all triangles. Several parts are put side by side in one image. Null if there is no picture, or,
  /// with a note, if they do not fit or a face of several pictures repeats its own.
  [[nodiscard]] std::shared_ptr<const MeshTexture> finish();

 private:
  struct Part {
    Image image;
    bool is_picture = false;
    int left = 0, top = 0;  ///< in the texture's image
  };

  bool place_parts(Image& image);
  void copy_parts(Image& image) const;
  bool has_repeats() const;

  std::vector<std::string>& notes_;
  std::vector<Part> parts_;
  std::vector<std::size_t> part_of_;  ///< of the triangles
  std::vector<std::array<Eigen::Vector2f, 3>> corners_;
  std::int64_t pixels_ = 0;
};

}  // namespace p2mpp
