#include <fmt/format.h>

#include <Eigen/Geometry>
#include <iterator>
#include <utility>
#include <vector>

#include "base/archive/zip_file.h"
#include "base/text.h"
#include "colours/mesh_colours.h"
#include "colours/uv_seams.h"
#include "image/srgb.h"
#include "io/image/picture_format.h"
#include "io/mesh/gltf_document.h"
#include "io/mesh/mesh_formats.h"

namespace p2mpp {
namespace {

constexpr std::size_t kUsdzAlignment = 64;
constexpr float kRoughness = 0.7F;

std::string usd_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// Writes a layer in USD's text format.
class UsdText {
 public:
  explicit UsdText(const TriangleMesh& mesh) : mesh_(mesh) {}

  /// `picture`, `normal_map`: names of files; empty: none.
  std::string layer(const std::string& comment, const std::string& picture, const std::string& normal_map) {
    append(R"(#usda 1.0
(
    defaultPrim = "object"
    doc = {}
    metersPerUnit = 1
    upAxis = "Y"
)
def Xform "object" (
    kind = "component"
)
{{)",
           usd_string(comment));
    append_mesh();
    append_material(picture, normal_map);
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void append(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  /// name = [each(0), each(1), ...] with a suffix; each: appends an element.
  template <typename Each>
  void append_list(std::string_view name, std::size_t count, const Each& each, std::string_view suffix = {}) {
    text_.append("        ").append(name).append(" = [");
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text_ += ", ";
      each(i);
    }
    text_.append("]").append(suffix).append("\n");
  }

  void append_tuple(const Eigen::Vector3f& tuple) {
    fmt::format_to(std::back_inserter(text_), "({}, {}, {})", tuple.x(), tuple.y(), tuple.z());
  }

  void append_vectors(std::string_view name, const Points& vectors, std::string_view suffix = {}) {
    append_list(
        name, vectors.size(), [&](std::size_t i) { append_tuple(vectors[i]); }, suffix);
  }

  void append_numbers(std::string_view name, const std::vector<Triangle>& numbers) {
    append_list(name, 3 * numbers.size(),
                [&](std::size_t i) { fmt::format_to(std::back_inserter(text_), "{}", numbers[i / 3][i % 3]); });
  }

  void append_mesh() {
    text_ += R"(    def Mesh "surface" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        uniform token subdivisionScheme = "none"
        rel material:binding = </object/material>
)";
    Eigen::AlignedBox3f box;
    for (const Eigen::Vector3f& vertex : mesh_.vertices) box.extend(vertex);
    append_vectors("float3[] extent", {box.min(), box.max()});
    append_vectors("point3f[] points", mesh_.vertices);
    append_list("int[] faceVertexCounts", mesh_.triangles.size(), [&](std::size_t) { text_ += '3'; });
    append_numbers("int[] faceVertexIndices", mesh_.triangles);
    constexpr std::string_view kOfVertices = " (\n            interpolation = \"vertex\"\n        )";
    append_vectors("normal3f[] normals", mesh_.normals, kOfVertices);
    if (mesh_.texture) append_places();
    if (has_colours()) {
      Points linear;
      for (const auto& [red, green, blue] : mesh_.colours) {
        linear.emplace_back(linear_from_srgb(red), linear_from_srgb(green), linear_from_srgb(blue));
      }
      append_vectors("color3f[] primvars:displayColor", linear, kOfVertices);
    }
    // Floats far from zero would lose digits.
    if (!mesh_.origin.isZero(0)) {
      append("        double3 xformOp:translate = ({}, {}, {})", mesh_.origin.x(), mesh_.origin.y(), mesh_.origin.z());
      append("        uniform token[] xformOpOrder = [\"xformOp:translate\"]");
    }
    text_ += "    }\n";
  }

  /// (0,0) is the lower left corner of the picture.
  void append_places() {
    const UniqueUvs unique = unique_uvs(*mesh_.texture);
    append_list(
        "texCoord2f[] primvars:st", unique.uvs.size(),
        [&](std::size_t i) {
          fmt::format_to(std::back_inserter(text_), "({}, {})", unique.uvs[i].x(), 1 - unique.uvs[i].y());
        },
        " (\n            interpolation = \"faceVarying\"\n        )");
    append_numbers("int[] primvars:st:indices", unique.corners);
  }

  [[nodiscard]] bool has_colours() const { return !mesh_.texture && !mesh_.colours.empty(); }

  void append_material(const std::string& picture, const std::string& normal_map) {
    text_ += R"(    def Material "material"
    {
        token outputs:surface.connect = </object/material/shader.outputs:surface>
        def Shader "shader"
        {
            uniform token info:id = "UsdPreviewSurface"
)";
    if (mesh_.texture || has_colours()) {
      append("            color3f inputs:diffuseColor.connect = </object/material/{}>",
             mesh_.texture ? "picture.outputs:rgb" : "colours.outputs:result");
    } else {
      append("            color3f inputs:diffuseColor = ({}, {}, {})", gltf::kPlainColour[0], gltf::kPlainColour[1],
             gltf::kPlainColour[2]);
    }
    if (!normal_map.empty()) {
      text_ += "            normal3f inputs:normal.connect = </object/material/normals.outputs:rgb>\n";
    }
    append("            float inputs:metallic = 0\n            float inputs:roughness = {}", kRoughness);
    text_ += "            token outputs:surface\n        }\n";
    if (mesh_.texture) {
      append_picture("picture", picture, "sRGB", "");
      if (!normal_map.empty()) {
        append_picture(
            "normals", normal_map, "raw",
            "            float4 inputs:bias = (-1, -1, -1, 0)\n            float4 inputs:scale = (2, 2, 2, 1)\n");
      }
      append_reader("places", "float2", "st");
    } else if (has_colours()) {
      append_reader("colours", "float3", "displayColor");
    }
    text_ += "    }\n";
  }

  void append_picture(const char* name, const std::string& file, const char* space, const char* more) {
    append(R"(        def Shader "{}"
        {{
            uniform token info:id = "UsdUVTexture"
            asset inputs:file = @{}@
            float2 inputs:st.connect = </object/material/places.outputs:result>
            token inputs:sourceColorSpace = "{}"
{}            token inputs:wrapS = "repeat"
            token inputs:wrapT = "repeat"
            float3 outputs:rgb
        }})",
           name, file, space, more);
  }

  void append_reader(const char* name, const char* type, const char* variable) {
    append(R"(        def Shader "{}"
        {{
            uniform token info:id = "UsdPrimvarReader_{}"
            string inputs:varname = "{}"
            {} outputs:result
        }})",
           name, type, variable, type);
  }

  const TriangleMesh& mesh_;
  std::string text_;
};

}  // namespace

std::string format_usdz(const TriangleMesh& mesh, const std::string& comment, PictureFormat format) {
  const auto name = [&](const char* stem) { return fmt::format("textures/{}{}", stem, file_extension(format)); };
  const std::string picture = mesh.texture ? name("texture") : "",
                    normals = has_normal_map(mesh) ? name("normals") : "";
  std::vector<PackedFile> files = {
      {"object.usda", UsdText(mesh).layer(comment, picture, normals)}};  // the first is opened
  if (!picture.empty()) files.push_back({picture, encode_picture(mesh.texture->image, format)});
  if (!normals.empty()) files.push_back({normals, encode_picture(mesh.texture->normal_map, format)});
  return make_zip_archive(files, kUsdzAlignment);
}

}  // namespace p2mpp
