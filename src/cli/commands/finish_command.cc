#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/environment.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "cli/commands/certificate_report.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "finish/printable.h"
#include "geometry/foreign/placed_points.h"
#include "io/mesh/mesh_file.h"
#include "io/mesh/mesh_unit.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"

namespace p2mpp::cli {
namespace {

constexpr double kMillimetre = 0.001;

/// A length, or one of some words.
ValueCheck length_or(std::vector<std::string> words) {
  std::string expected = "a length such as 1.2mm, 3cm or 0.5in";
  for (const std::string& word : words) expected += ", or " + word;
  return {.expected = std::move(expected), .accepts = [words](std::string& text) {
            return std::ranges::find(words, text) != words.end() || parse_length(text).has_value();
          }};
}

struct FinishOptions {
  std::filesystem::path mesh, out;
  std::string unit, up = "y", base = "auto", wall;
  bool keep_voids = false;
  double density = 1.24;  // grams a cubic centimetre, of PLA
  MeshEncoding encoding;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(mesh, {"MESH", "A triangle mesh: .obj, .ply, .glb, .gltf, .stl or .off", "FILE", file_name()},
          {.required = true});
    visit(out, {"-o,--out",
                "Write the mesh for a printer: .3mf, .stl, .obj, .ply, .glb or .usdz (default: only the certificate)",
                "FILE", file_name(), "Result"});
    const auto add_mesh = in_group("Mesh", visit);
    add_mesh(unit, {"--unit", "Length of the mesh's unit: mm, cm, m, in, or such as 57.3mm", "LENGTH", length_or({})},
             {.standard = "the file's: glTF is in metres, and an OBJ may name its unit"});
    add_mesh(up, {"--up", "Axis of the mesh that points up", "", one_of({"y", "z"})});
    const auto add = in_group("Print", visit);
    add(wall, {"--wall", "Thicken walls that are thinner", "LENGTH", length_or({})});
    add(base,
        {"--base", "Height that is cut off for a flat base; auto: at most a twenty-fifth, by the area that it gives",
         "LENGTH", length_or({"auto", "none"})});
    add(keep_voids, {"--keep-voids", "Keep hollows inside"});
    add(density, {"--density", "Of the material, for the mass, in grams a cubic centimetre", "X", number(1e-6, 100)});
  }
};

/// Turns z up, or back.
void turn_up(TriangleMesh& mesh, bool back) {
  const auto turn = [back](auto& vector) {
    const auto given = vector;
    vector.y() = back ? given.z() : -given.z();
    vector.z() = back ? -given.y() : given.y();
  };
  for (Eigen::Vector3f& vertex : mesh.vertices) turn(vertex);
  for (Eigen::Vector3f& normal : mesh.normals) turn(normal);
  turn(mesh.origin);
}

void scale_by(TriangleMesh& mesh, double factor) {
  for (Eigen::Vector3f& vertex : mesh.vertices) vertex = (vertex.cast<double>() * factor).cast<float>();
  mesh.origin *= factor;
}

double millimetres(const std::string& length) { return *parse_length(length) / kMillimetre; }

struct GivenMesh {
  TriangleMesh mesh;             ///< in millimetres, if its unit is known
  std::optional<double> metres;  ///< of its unit
};

GivenMesh read_given(const FinishOptions& options) {
  NotedMesh read = read_noted_mesh(options.mesh);
  for (const std::string& note : read.notes) spdlog::info("{}: {}", display(options.mesh), note);
  GivenMesh given{std::move(read.mesh), options.unit.empty() ? read.metres_per_unit : parse_length(options.unit)};
  if (given.metres) scale_by(given.mesh, *given.metres / kMillimetre);
  return given;
}

MeshFormat format_of_out(const FinishOptions& options) {
  const std::optional<MeshFormat> format = format_of(options.out);
  if (format && *format != MeshFormat::kXyz && lower_extension(options.out) == fmt::format(".{}", to_string(*format)))
    return *format;
  throw UsageError(fmt::format("--out: '{}' is not a format; expected .3mf, .stl, .obj, .ply, .glb or .usdz",
                               lower_extension(options.out)));
}

/// The axis that points up in a file of a format. Slicers have z up; other programs turn glTF and USD as their files
/// say.
bool is_z_up(const FinishOptions& options, MeshFormat format) {
  if (format == MeshFormat::k3mf || format == MeshFormat::kStl) return true;
  return options.up == "z" && format != MeshFormat::kGlb && format != MeshFormat::kUsdz;
}

/// The mesh for a printer, in millimetres and with z up.
TriangleMesh printable(const FinishOptions& options, GivenMesh given, int threads) {
  if (!given.metres) {
    throw UsageError(
        fmt::format("{}: names no unit; expected --unit mm, cm, m, in, or such as 57.3mm", display(options.mesh)));
  }
  if (options.up == "y") turn_up(given.mesh, false);
  PrintOptions making{.keep_voids = options.keep_voids, .threads = threads};
  if (!options.wall.empty()) making.wall = millimetres(options.wall);
  if (options.base == "none") making.base = 0;
  if (options.base != "none" && options.base != "auto") making.base = millimetres(options.base);
  PrintableMesh result = make_printable(given.mesh, making);
  spdlog::info("base: {:.4g} mm cut off, {:.4g} cm2 on the ground", result.base_cut, result.base_area / 100);
  if (result.filled_voids > 0) spdlog::info("{} hollows inside are filled", result.filled_voids);
  return std::move(result.mesh);
}

void write_printable(const FinishOptions& options, TriangleMesh mesh) {
  const MeshFormat format = format_of_out(options);
  if (!is_z_up(options, format)) turn_up(mesh, true);
  write_mesh_files(encode_mesh_files(mesh, format, options.encoding, options.out));
}

ExitCode run_finish(const FinishOptions& options, const Settings& settings) {
  const int threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count();
  if (!options.out.empty()) static_cast<void>(format_of_out(options));
  GivenMesh given = read_given(options);
  const bool has_unit = given.metres.has_value();
  const CertifiedMesh certified = with_prefix(display(options.mesh) + ": ", [&] {
    TriangleMesh mesh = options.out.empty() ? std::move(given.mesh) : printable(options, std::move(given), threads);
    MeshCertificate certificate = certify(mesh, threads);
    if (!options.out.empty()) {
      if (!certificate.sound()) throw Error(fmt::format("the finished mesh has {}", certificate.problem()));
      write_printable(options, std::move(mesh));
    }
    return CertifiedMesh{options.out.empty() ? options.mesh : options.out, std::move(certificate), has_unit,
                         options.density};
  });
  if (settings.json) {
    print_json(certificate_json(certified));
  } else {
    print(certificate_table(certified));
  }
  return ExitCode::kDone;
}

}  // namespace

void add_finish_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<FinishOptions>();
  options->encoding.comment = fmt::format("p2mpp {}", p2mpp_version());
  options->encoding.metres_per_unit = kMillimetre;
  CLI::App* command = app.add_subcommand("finish", "Check a mesh as a solid, and make it ready to be printed");
  add_options(*command, *options);
  command->footer(
      R"(Prints a certificate: whether the mesh is closed, manifold, wound outward and free of intersections, its
size, volume, mass and thinnest wall. With --out, the mesh gets a flat base and stands on the ground, hollows
inside are filled, and the certificate is that of the result. 3MF and STL are in millimetres with z up, GLB and
USDZ in metres with y up. OBJ and PLY keep their axes, are in millimetres, and say so.

The mesh must stand upright: that of `predict` does in the world's frame (--format glb, or --frame world).

Examples:
  p2mpp finish scan.ply
  p2mpp finish out/chair_predict.glb --unit 210mm --wall 1.2mm --out chair.3mf
  p2mpp finish model.stl --unit mm --up z --base 0.5mm --out model.3mf)");
  command->callback([options, &settings, &exit_code] { exit_code = run_finish(*options, settings); });
}

}  // namespace p2mpp::cli
