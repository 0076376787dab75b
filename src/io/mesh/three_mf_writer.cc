#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/archive/zip_file.h"
#include "base/text.h"
#include "colours/uv_seams.h"
#include "io/image/picture_format.h"
#include "io/mesh/mesh_formats.h"

namespace p2mpp {
namespace {

constexpr const char* kObject = "3";      ///< the identifiers of resources
constexpr const char* kAppearance = "2";  ///< colours, or places in the picture
constexpr const char* kPicture = "1";
constexpr const char* kModelFile = "3D/3dmodel.model";
constexpr const char* kRelationships =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r0" Type="{}" Target="/{}"/>
</Relationships>
)";

std::string content_types(PictureFormat picture) {
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
<Default Extension="{}" ContentType="{}"/>
</Types>
)",
                     file_extension(picture).substr(1), media_type_of(picture));
}

/// Writes the resources and the object of a mesh.
class ModelText {
 public:
  ModelText(const TriangleMesh& mesh, std::string& text) : mesh_(mesh), text_(text) {}

  void append_resources(const std::string& picture, PictureFormat format) {
    text_ += "<resources>\n";
    if (mesh_.texture) {
      append(R"(<m:texture2d id="{}" path="/{}" contenttype="{}"/>)", kPicture, picture, media_type_of(format));
      append_places();
    } else if (!mesh_.colours.empty()) {
      append_colours();
    }
    append(R"(<object id="{}" type="model"><mesh><vertices>)", kObject);
    append_vertices();
    text_ += "</vertices><triangles>\n";
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) append_triangle(t);
    text_ += "</triangles></mesh></object>\n</resources>\n";
  }

 private:
  template <typename... Values>
  void append(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  /// (0,0) is the lower left corner of the picture.
  void append_places() {
    UniqueUvs unique = unique_uvs(*mesh_.texture);
    append(R"(<m:texture2dgroup id="{}" texid="{}">)", kAppearance, kPicture);
    for (const Eigen::Vector2f& uv : unique.uvs) append(R"(<m:tex2coord u="{}" v="{}"/>)", uv.x(), 1 - uv.y());
    text_ += "</m:texture2dgroup>\n";
    appearances_ = std::move(unique.corners);
  }

  void append_colours() {
    append(R"(<m:colorgroup id="{}">)", kAppearance);
    for (const auto& [red, green, blue] : mesh_.colours)
      append(R"(<m:color color="#{:02X}{:02X}{:02X}FF"/>)", red, green, blue);
    text_ += "</m:colorgroup>\n";
    appearances_ = mesh_.triangles;
  }

  void append_vertices() {
    for (std::size_t i = 0; i < mesh_.vertices.size(); ++i) {
      const Eigen::Vector3f& at = mesh_.vertices[i];
      if (mesh_.origin.isZero(0)) {
        append(R"(<vertex x="{}" y="{}" z="{}"/>)", at.x(), at.y(), at.z());
      } else {
        const Eigen::Vector3d place = mesh_.origin + at.cast<double>();
        append(R"(<vertex x="{}" y="{}" z="{}"/>)", place.x(), place.y(), place.z());
      }
    }
  }

  /// The specification forbids triangles that name a vertex twice.
  void append_triangle(std::size_t t) {
    const auto& [a, b, c] = mesh_.triangles[t];
    if (a == b || b == c || c == a) return;
    if (appearances_.empty()) return append(R"(<triangle v1="{}" v2="{}" v3="{}"/>)", a, b, c);
    const auto& [p, q, r] = appearances_[t];
    append(R"(<triangle v1="{}" v2="{}" v3="{}" pid="{}" p1="{}" p2="{}" p3="{}"/>)", a, b, c, kAppearance, p, q, r);
  }

  const TriangleMesh& mesh_;
  std::string& text_;
  std::vector<Triangle> appearances_;  // of triangles: the numbers of their corners' colours or places
};

}  // namespace

std::string format_3mf(const TriangleMesh& mesh, const std::string& comment, PictureFormat format) {
  const std::string picture = fmt::format("3D/Textures/texture{}", file_extension(format));
  std::string text = fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02">
<metadata name="Application">{}</metadata>
)",
      markup_escaped(printable(comment)));
  ModelText(mesh, text).append_resources(picture, format);
  text += fmt::format("<build><item objectid=\"{}\"/></build>\n</model>\n", kObject);
  std::vector<PackedFile> files = {
      {"[Content_Types].xml", content_types(format), true},
      {"_rels/.rels",
       fmt::format(kRelationships, "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel", kModelFile), true},
      {kModelFile, std::move(text), true}};
  if (mesh.texture) {
    files.push_back(
        {"3D/_rels/3dmodel.model.rels",
         fmt::format(kRelationships, "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture", picture), true});
    files.push_back({picture, encode_picture(mesh.texture->image, format)});
  }
  return make_zip_archive(files);
}

}  // namespace p2mpp
