#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/environment.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/with_prefix.h"
#include "capture/open_sample.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/progress.h"
#include "cli/support/settings.h"
#include "image/photograph_source.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/device.h"
#include "p2mpp/error.h"
#include "pipeline/sample_result_json.h"
#include "results/initial_mesh.h"
#include "results/run_options.h"
#include "results/texture_choice.h"
#include "texture/photograph_sources.h"

namespace p2mpp::cli {
namespace {
struct TextureCommandOptions {
  std::filesystem::path mesh, sample, out;
  std::optional<Frame> frame;  // of the mesh's vertices; empty: that of refine
  TextureChoice texture = {.kind = TextureChoice::Kind::kAutomatic};
  bool keep_uv = false;
  std::vector<std::size_t> left_out;  // photographs
  MeshEncoding encoding;
  PreparationOptions capture;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(mesh, {"MESH", "A triangle mesh: .obj, .ply, .glb, .gltf, .stl or .off", "FILE", file_name()},
          {.required = true});
    visit(sample,
          {"SAMPLE", "A capture, as for `predict`; or a sample's folder, whose views are small", "PATH", file_name()},
          {.required = true});
    const auto add_result = in_group("Result", visit);
    add_result(out,
               {"-o,--out",
                "The textured mesh: .glb, .obj (with .mtl and a picture), .3mf, .usdz or .ply (colours of vertices)",
                "FILE", file_name()},
               {.required = true});
    add_result(frame,
               {"--frame", "Frame of the mesh's vertices: the capture's coordinates, the world's or the first camera's",
                "", one_of({"auto", "source", "world", "camera0"})},
               {.standard = "source for a capture, else as predict writes this format"});
    const auto add = in_group("Texture", visit);
    add(texture,
        {"--texture",
         "Texels a side of the texture; vertex: colours of vertices; auto: 1024 to 4096, by what the photographs show",
         "auto|N|vertex", texture_text()});
    add(keep_uv, {"--keep-uv", "Draw the texture into the mesh's own layout (UVs)"});
    add(texture.fill_unseen, fill_unseen_option());
    add(encoding.picture, texture_format_option());
    add(left_out,
        {"--leave-out",
         "Photographs to hold out, numbered from 0 among the usable ones, with which the result is compared: "
         "PSNR and structural similarity inside the mask",
         "N,N,...", whole_number(0, 65'534)},
        {.configurable = false});
    capture.visit_options(visit);
  }
};

MeshFormat output_format(const std::filesystem::path& out) {
  const std::optional<MeshFormat> format = format_of(out);
  const bool is_own = format && lower_extension(out) == fmt::format(".{}", to_string(*format));  // not .off
  if (is_own && format != MeshFormat::kXyz && format != MeshFormat::kStl) return *format;
  throw UsageError(fmt::format("--out: '{}' is not a format with colours; expected .glb, .obj, .ply, .3mf or .usdz",
                               lower_extension(out)));
}

struct TextureResult {
  TriangleMesh mesh;  // in its own frame
  TextureFigures figures = {};
  std::vector<PhotographAgreement> agreements = {};  // of the photographs that were left out
};

std::shared_ptr<const PhotographSource> others(const std::shared_ptr<const PhotographSource>& source,
                                               const std::vector<std::size_t>& left_out) {
  const std::size_t count = source->photographs().size();
  for (const std::size_t photograph : left_out) {
    if (photograph < count) continue;
    throw UsageError(fmt::format("--leave-out: photograph {}; expected 0 to {}", photograph, count - 1));
  }
  return without_photographs(source, left_out);
}

TextureOptions mesh_output(const TextureCommandOptions& options, MeshFormat format, int threads) {
  TextureChoice choice = options.texture;
  if (format == MeshFormat::kPly && !options.keep_uv) choice.kind = TextureChoice::Kind::kVertices;
  TextureOptions making = texture_options(choice, nullptr, threads);
  making.keep_uv = options.keep_uv;
  return making;
}

TextureResult make_texture(const TextureCommandOptions& options, MeshFormat format, const Settings& settings) {
  NotedMesh read = read_mesh_and_log_notes(options.mesh);
  TextureResult result{.mesh = std::move(read.mesh)};
  const int threads = settings.engine.threads > 0 ? settings.engine.threads : physical_core_count();
  SampleRequest reading = sample_request(settings, {}, options.capture);
  reading.threads = threads;
  const OpenedSample opened = open_sample(options.sample, reading);
  if (opened.report) {
    for (const std::string& line : capture_lines(*opened.report)) spdlog::info("{}", line);
  }
  const auto all = opened.photographs ? opened.photographs : views_as_photographs(opened.sample);
  const auto used = others(all, options.left_out);
  const Frame usual = opened.report ? Frame::kSource : frame_of({}, format_of(options.mesh).value_or(MeshFormat::kObj));
  TextureOptions making = mesh_output(options, format, threads);
  ProgressBar progress("photographs", used->photographs().size(), progress_style(settings));
  making.on_progress = [&](std::size_t done, std::size_t /*all*/) { progress.update(done, 0); };
  TexturedMesh textured = with_prefix(display(options.mesh) + ": ", [&] {
    return texture_mesh(mesh_in_world(result.mesh, options.frame.value_or(usual), opened.sample), *used, making);
  });
  for (const std::size_t photograph : options.left_out) {
    result.agreements.push_back(compare_with_photograph(textured.mesh, *all, photograph, threads));
  }
  result.figures = textured;
  result.mesh.texture = std::move(textured.mesh.texture);
  result.mesh.colours = std::move(textured.mesh.colours);
  return result;
}

Json texture_document(const TextureCommandOptions& options, const TextureResult& result) {
  Json json = {{"mesh", options.out.string()},
               {"vertices", result.mesh.vertices.size()},
               {"faces", result.mesh.triangles.size()}};
  json["texture"] = figures_json(result.figures);
  if (!options.left_out.empty()) json["left_out"] = Json::array();
  for (const PhotographAgreement& each : result.agreements) {
    json["left_out"].push_back({{"name", each.name},
                                {"pixels", each.pixels},
                                {"psnr", each.psnr},
                                {"psnr_balanced", each.psnr_balanced},
                                {"ssim", each.ssim}});
  }
  return json;
}

ExitCode run_texture(const TextureCommandOptions& options, const Settings& settings) {
  const MeshFormat format = output_format(options.out);
  if (options.texture.kind == TextureChoice::Kind::kNone) throw UsageError("--texture: none; expected a texture");
  const TextureResult result = make_texture(options, format, settings);
  write_mesh_files(encode_mesh_files(result.mesh, format, options.encoding, options.out));
  spdlog::info("texture: {}", texture_summary(result.figures));
  if (settings.json) {
    print_json(texture_document(options, result));
    return ExitCode::kDone;
  }
  print(fmt::format("{}: {} vertices, {} faces\n", options.out.string(), result.mesh.vertices.size(),
                    result.mesh.triangles.size()));
  for (const PhotographAgreement& each : result.agreements) {
    print(fmt::format("{}: PSNR {:.2f} dB ({:.2f} dB at its exposure), SSIM {:.3f}, {} pixels\n", each.name, each.psnr,
                      each.psnr_balanced, each.ssim, each.pixels));
  }
  return ExitCode::kDone;
}

}  // namespace

void add_texture_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<TextureCommandOptions>();
  options->encoding.comment = fmt::format("p2mpp {}", p2mpp_version());
  CLI::App* command = app.add_subcommand("texture", "Colour any mesh of an object from photographs");
  add_options(*command, *options);
  command->footer(
      R"(The mesh may come from COLMAP, OpenMVS, a scanner, a generator or `predict`. It must be where the
object is: --frame names its coordinates. To align a mesh that is not quite there, run `refine`
first, which writes a texture, too (--texture auto). Vertices and triangles stay as they are. Parts
that no photograph shows get colours from around them.

Examples:
  p2mpp texture scan.ply capture --out scan.glb
  p2mpp texture model.obj capture --keep-uv --texture 4096 --out textured.obj
  p2mpp texture out/capture_predict.ply capture --frame world --out coloured.ply)");
  command->callback([options, &settings, &exit_code] { exit_code = run_texture(*options, settings); });
}

}  // namespace p2mpp::cli
