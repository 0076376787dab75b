#include "cli/support/mesh_output_options.h"

#include <algorithm>

#include "cli/support/options.h"

namespace p2mpp::cli {

void add_mesh_output_options(CLI::App& command, MeshOutput& output, Frame& frame) {
  constexpr const char* kGroup = "Result";
  command
      .add_option_function<std::string>(
          "--frame", [&frame](const std::string& name) { frame = name == "world" ? Frame::kWorld : Frame::kCamera0; },
          "The written vertices' frame: of the sample's first camera, or of the camera rows (y up)")
      ->type_name("camera0|world")
      ->check(one_of({"camera0", "world"}))
      ->default_str("camera0")
      ->group(kGroup);
  std::vector<std::string> names;
  for (const MeshFormat format : kMeshFormats) names.emplace_back(to_string(format));
  command
      .add_option_function<std::vector<std::string>>(
          "--format",
          [&output](const std::vector<std::string>& chosen) {
            output.formats.clear();
            for (const std::string& name : chosen) {
              const MeshFormat format = mesh_format(name);
              if (std::ranges::count(output.formats, format) == 0) output.formats.push_back(format);
            }
          },
          "Formats of the meshes: obj, xyz (vertices alone), ply, glb, stl; several with commas")
      ->type_name("NAME,NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of(names))
      ->default_str("obj,xyz")
      ->group(kGroup);
  command
      .add_flag("--normals", output.encoding.normals,
                "The vertices' normals in .obj and .ply, too; .glb has them always")
      ->group(kGroup);
}

}  // namespace p2mpp::cli
