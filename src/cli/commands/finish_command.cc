#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/environment.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "cli/commands/certificate_report.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/settings.h"
#include "finish/printable.h"
#include "geometry/foreign/placed_points.h"
#include "geometry/similarity.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "results/prediction_files.h"
#include "results/run_options.h"

namespace p2mpp::cli {
namespace {

/// A share of a mesh's faces, or a number of them.
struct FaceCount {
  double percent = 0;  ///< 0: a number
  std::size_t count = 0;

  [[nodiscard]] std::size_t of(std::size_t all) const {
    return percent > 0 ? static_cast<std::size_t>(std::lround(percent / 100 * static_cast<double>(all))) : count;
  }
};

std::optional<FaceCount> parse_face_count(std::string_view text) {
  constexpr double kLeast = 101, kMost = 1e9;  // more than 100, so that a forgotten % does not matter
  const bool is_share = text.ends_with('%');
  const std::optional<double> value = parse_finite(text.substr(0, text.size() - (is_share ? 1 : 0)));
  if (!value) return std::nullopt;
  if (is_share) return *value > 0 && *value <= 100 ? std::optional(FaceCount{*value, 0}) : std::nullopt;
  if (*value < kLeast || *value > kMost || *value != std::floor(*value)) return std::nullopt;
  return FaceCount{0, static_cast<std::size_t>(*value)};
}

// For the declaration of options, which finds them by their argument.
void from_text(std::string_view text, FaceCount& faces) { faces = *parse_face_count(text); }
std::string to_string(const FaceCount& faces) {
  return faces.percent > 0 ? fmt::format("{:g}%", faces.percent) : std::to_string(faces.count);
}

ValueCheck face_count() {
  return {.expected = "a share such as 25%, or more than 100 faces",
          .accepts = [](std::string& text) { return parse_face_count(text).has_value(); }};
}

struct FinishOptions {
  std::filesystem::path mesh, out;
  std::string unit, up = "y", base = "auto", wall;
  bool keep_voids = false;
  double density = 1.24;         // grams a cubic centimetre, of PLA
  std::vector<FaceCount> faces;  // of levels of detail; empty: the mesh is for a printer
  double megabytes = 0;          // of a level's files; 0: any
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
    add(wall, {"--wall", "Thicken walls that are thinner; none: they stay", "LENGTH", length_or({"none"})},
        {.standard = "1.2mm"});
    add(base, {"--base", "Height that is cut off for a flat base; auto: by the area that it gives, at most an eighth",
               "LENGTH", length_or({"auto", "none"})});
    add(keep_voids, {"--keep-voids", "Keep hollows inside"});
    const auto add_level = in_group("Levels of detail", visit);
    add_level(faces,
              {"--faces", "Write meshes with fewer faces, NAME_25.glb and so on, instead of one for a printer",
               "N%,N,...", face_count()},
              {.needs = "--out"});
    add_level(megabytes,
              {"--megabytes", "Largest size of a level, by a smaller texture and then by fewer faces (default: any)",
               "X", number(0.01, 1e6)},
              {.standard = "", .needs = "--faces"});
    add_level(encoding.picture, texture_format_option());
    add(density, {"--density", "Of the material, for the mass, in grams a cubic centimetre", "X", number(1e-6, 100)});
  }
};

double millimetres(const std::string& length) { return *parse_length(length) / kMillimetre; }

struct GivenMesh {
  TriangleMesh mesh;             ///< in millimetres, if its unit is known
  std::optional<double> metres;  ///< of its unit
};

GivenMesh read_given(const FinishOptions& options) {
  NotedMesh read = read_mesh_and_log_notes(options.mesh);
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
TriangleMesh make_solid(const FinishOptions& options, GivenMesh given, int threads) {
  if (!given.metres) {
    throw UsageError(
        fmt::format("{}: names no unit; expected --unit mm, cm, m, in, or such as 57.3mm", display(options.mesh)));
  }
  if (options.up == "y") turn_z_up(given.mesh);
  PrintOptions making{.keep_voids = options.keep_voids, .threads = threads};
  if (options.wall != "none") making.wall = options.wall.empty() ? usual_wall() : millimetres(options.wall);
  if (options.base == "none") making.base = 0;
  if (options.base != "none" && options.base != "auto") making.base = millimetres(options.base);
  PrintableMesh result = make_printable(given.mesh, making);
  spdlog::info("base: {:.4g} mm cut off, {:.4g} cm2 on the ground", result.base_cut, result.base_area / 100);
  if (result.filled_voids > 0) spdlog::info("{} hollows inside are filled", result.filled_voids);
  return std::move(result.mesh);
}

void write_printable(const FinishOptions& options, TriangleMesh mesh) {
  const MeshFormat format = format_of_out(options);
  if (!is_z_up(options, format)) turn_y_up(mesh);
  write_mesh_files(encode_mesh_files(mesh, format, options.encoding, options.out));
}

std::filesystem::path level_path(const FinishOptions& options, const FaceCount& faces) {
  if (options.faces.size() == 1) return options.out;
  std::string name = to_string(faces);
  std::erase(name, '%');
  return options.out.parent_path() /
         fmt::format("{}_{}{}", options.out.stem().string(), name, options.out.extension().string());
}

/// Writes the levels of detail, and their certificates.
void run_levels(const FinishOptions& options, const GivenMesh& given, int threads, const Settings& settings) {
  const MeshFormat format = format_of_out(options);
  MeshEncoding encoding = options.encoding;
  if (!given.metres) encoding.metres_per_unit.reset();
  std::optional<std::size_t> most_bytes;
  if (options.megabytes > 0) most_bytes = static_cast<std::size_t>(1e6 * options.megabytes);
  Json levels = Json::array();
  for (const FaceCount& faces : options.faces) {
    const CertifiedMesh level = with_prefix(display(options.mesh) + ": ", [&] {
      const std::filesystem::path path = level_path(options, faces);
      const LevelFiles made =
          level_files(given.mesh, faces.of(given.mesh.triangles.size()), format, encoding, path, most_bytes, threads);
      write_mesh_files(made.files);
      return CertifiedMesh{path, certify(made.mesh, threads), given.metres.has_value(), options.density};
    });
    if (settings.json) {
      levels.push_back(certificate_json(level));
    } else {
      print(certificate_table(level));
    }
  }
  if (settings.json) print_json({{"levels", std::move(levels)}});
}

ExitCode run_finish(const FinishOptions& options, const Settings& settings) {
  const int threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count();
  if (!options.out.empty()) static_cast<void>(format_of_out(options));
  GivenMesh given = read_given(options);
  if (!options.faces.empty()) {
    run_levels(options, given, threads, settings);
    return ExitCode::kDone;
  }
  const bool has_unit = given.metres.has_value();
  const CertifiedMesh certified = with_prefix(display(options.mesh) + ": ", [&] {
    TriangleMesh mesh = options.out.empty() ? std::move(given.mesh) : make_solid(options, std::move(given), threads);
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
  CLI::App* command =
      app.add_subcommand("finish", "Check a mesh as a solid, make it ready to be printed, or give it fewer faces");
  add_options(*command, *options);
  command->footer(
      R"(Prints a certificate: whether the mesh is closed, manifold, wound outward and free of intersections, its
size, volume, mass and thinnest wall. With --out, the mesh gets a flat base and stands on the ground, hollows
inside are filled, and the certificate is that of the result. 3MF and STL are in millimetres with z up, GLB and
USDZ in metres with y up. OBJ and PLY keep their axes, are in millimetres, and say so.

With --faces, meshes with fewer faces are written instead, which look alike: a texture or colours become
a new texture. They stay where they are.

For a printer, the mesh must stand upright: that of `predict` does in the world's frame (--format glb, or --frame world).

Examples:
  p2mpp finish scan.ply
  p2mpp finish out/chair_predict.glb --unit 210mm --wall 2mm --out chair.3mf
  p2mpp finish out/chair_predict.glb --faces 100%,25%,5% --texture-format jpeg --out chair.glb
  p2mpp finish model.stl --unit mm --up z --base 0.5mm --out model.3mf)");
  command->callback([options, &settings, &exit_code] { exit_code = run_finish(*options, settings); });
}

}  // namespace p2mpp::cli
