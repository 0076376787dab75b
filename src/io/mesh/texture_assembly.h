#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "p2mpp/mesh_texture.h"
#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// Red, green and blue of linear light, with 1 as white.
using LinearColour = std::array<double, 3>;
inline constexpr LinearColour kWhite = {1, 1, 1};

/// The channel of 8 bits of sRGB nearest to a value of linear light, with 1 as white.
[[nodiscard]] std::uint8_t nearest_srgb(double linear);
[[nodiscard]] Colour nearest_srgb(const LinearColour& linear);

/// Makes one texture of the pictures and colours of a mesh's materials.
class TextureAssembly {
 public:
  /// `notes`: takes one line for the user for each picture that is not used. It must outlive this object.
  explicit TextureAssembly(std::vector<std::string>& notes) : notes_(notes) {}

  /// Decodes a picture; `name` stands in notes. Its linear light is multiplied by `factors`. nullopt, with a note, if
  /// it cannot be used.
  std::optional<std::size_t> add_picture(std::string_view bytes, const std::string& name,
                                         const LinearColour& factors = kWhite);

  /// A material's plain colour.
  std::size_t add_colour(const Colour& colour);

  [[nodiscard]] bool has_picture() const { return has_picture_; }
  /// The plain colour of all triangles, if there is one.
  [[nodiscard]] std::optional<Colour> only_colour() const;
  /// No picture will be accepted any more.
  [[nodiscard]] bool is_full() const { return is_full_; }

  /// The next triangle's part and the places of its corners in it, as in MeshTexture; outside [0,1] a picture repeats.
  /// nullopt: no material.
  void add_triangle(std::optional<std::size_t> part, const std::array<Eigen::Vector2f, 3>& corners);
  void add_triangle(const std::optional<Colour>& colour);  ///< of a plain colour

  /// A line for the user.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// Gives the mesh the texture of all triangles. Several parts are put side by side in one image. If the triangles
  /// have one plain colour, its vertices get it instead. Colours of vertices that a texture replaces are left out, with
  /// a note. The mesh gets no colour, with a note, if the parts do not fit or a face of several pictures repeats its
  /// own.
  void finish(TriangleMesh& mesh);

 private:
  struct TexturedPart {
    Image image;
    bool is_picture = false;
    int left = 0, top = 0;  ///< in the texture's image
  };

  [[nodiscard]] std::shared_ptr<const MeshTexture> joined();
  bool place_parts(Image& image);
  void copy_parts(Image& image) const;
  bool has_repeats() const;

  std::vector<std::string>& notes_;
  std::vector<TexturedPart> parts_;
  std::map<Colour, std::size_t> colours_;  ///< plain parts
  std::vector<std::size_t> part_of_;       ///< of the triangles
  std::vector<std::array<Eigen::Vector2f, 3>> corners_;
  std::int64_t pixels_ = 0;
  bool has_picture_ = false, has_material_ = false, is_full_ = false;
};

}  // namespace p2mpp
