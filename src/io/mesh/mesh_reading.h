#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "p2mpp/triangle_mesh.h"

namespace p2mpp {

/// What a mesh's reader gets beside the bytes of the file, and gives beside the mesh.
struct MeshReading {
  std::filesystem::path folder = {};    ///< of files that the mesh names; empty: none is read
  std::vector<std::string> notes = {};  ///< for the user, one line each: "4 faces with more than 3 corners: ..."
  /// The files below the folder by their names in lower case; listed when a file is looked for.
  std::optional<std::multimap<std::string, std::filesystem::path>> files = {};
};

/// Whether read_companion() finds a file of that name.
[[nodiscard]] bool has_companion(MeshReading& reading, const std::string& name);

/// Reads a file that a mesh names, by its name from the mesh's folder. A name with folders of another machine also
/// finds the file by the last of them, or the only file below the mesh's folder that has its name, in any case. Throws
/// InputError with the name if it is not there, cannot be read, or lies outside of the folder.
[[nodiscard]] std::string read_companion(MeshReading& reading, const std::string& name);

/// "4 faces with more than 3 corners are cut into triangles"
[[nodiscard]] std::string polygon_note(std::size_t polygons);

/// "2 faces with fewer than 3 corners are left out"
[[nodiscard]] std::string narrow_face_note(std::size_t faces);

/// Parses a number that may be NaN, an infinity or beyond a double's range, in any program's spelling. All these are
/// NaN. nullopt for text that is no number.
[[nodiscard]] std::optional<double> parse_any_number(std::string_view token);

/// The bytes of a data URI in base64. nullopt if the text is no such URI. Throws InputError if its data are damaged.
[[nodiscard]] std::optional<std::string> decode_data_uri(std::string_view uri);

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
