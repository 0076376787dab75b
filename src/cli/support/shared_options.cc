#include "cli/support/shared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/support/options.h"
#include "eval/engine_facts.h"
#include "p2mpp/fit.h"
#include "p2mpp/sample.h"
#include "render/mesh_frame.h"

namespace p2mpp::cli {
namespace {

struct Size {
  int width = 0, height = 0;
};

// "512", or "640x480".
std::optional<Size> parse_size(const std::string& text) {
  const auto number = [](std::string_view digits) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || value < kMinPictureSide || value > kMaxPictureSide) return std::nullopt;
    return value;
  };
  const std::string_view view = text;
  const std::size_t cross = view.find('x');
  const std::optional<int> width = number(view.substr(0, cross));
  const std::optional<int> height = cross == std::string_view::npos ? width : number(view.substr(cross + 1));
  if (!width || !height) return std::nullopt;
  return Size{*width, *height};
}

CLI::Validator picture_size() {
  return {[](const std::string& text) {
            if (parse_size(text)) return std::string();
            return fmt::format("expected {} to {} pixels, as 512 or 640x480; got '{}'", kMinPictureSide,
                               kMaxPictureSide, text);
          },
          ""};
}

constexpr const char* kCameraGroup = "Camera";

void add_frame_option(CLI::App& command, CameraOptions& options) {
  command
      .add_option_function<std::string>(
          "--frame",
          [&options](const std::string& name) {
            options.frame = name == "world"     ? MeshFrame::kWorld
                            : name == "camera0" ? MeshFrame::kCamera0
                                                : MeshFrame::kAuto;
          },
          "Frame of the vertices: the first camera's, as predict writes them, or the world's (y up); auto is camera0 "
          "if the whole mesh is in front of a camera at the origin, else world")
      ->type_name("auto|camera0|world")
      ->check(one_of({"auto", "camera0", "world"}))
      ->default_str("auto")
      ->group(kCameraGroup);
}

}  // namespace

void add_strict_option(CLI::App& command, bool& strict) {
  command
      .add_flag("--strict", strict,
                "Refuse a sample whose images or cameras look wrong, instead of a warning: exit code 3")
      ->group("Sample");
}

void add_batching_options(CLI::App& command, int& max_batch, int& batch_timeout_ms) {
  constexpr const char* kGroup = "Batching";
  constexpr int kMaxTimeoutMs = 60'000;
  command.add_option("--max-batch", max_batch, "Largest number of samples computed together; 0: the value of --batch")
      ->type_name("N")
      ->check(whole_number(0, kMaxBatch))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--batch-timeout-ms", batch_timeout_ms, "How long a request waits for others to share its batch")
      ->type_name("N")
      ->check(whole_number(0, kMaxTimeoutMs))
      ->capture_default_str()
      ->group(kGroup);
}

void add_fit_options(CLI::App& command, FitViews& fit, int& steps, const std::string& by_default) {
  constexpr const char* kGroup = "Fit";
  CLI::Option* views = command.add_option_function<std::string>(
      "--fit-views", [&fit](const std::string& text) { fit = parse_fit_views(text); },
      "Fit the mesh to the masks of views: all of the sample, the same that enter the network, or numbers from 0; "
      "none: "
      "no fit");
  views->type_name("all|same|none|N,N,...")->default_str(by_default)->group(kGroup);
  command
      .add_flag_callback(
          "--no-fit", [&fit] { fit = {}; }, "Do not fit the mesh to masks")
      ->excludes(views)
      ->group(kGroup);
  command.add_option("--fit-steps", steps, "Steps of the fit, at most; it ends where nothing is gained")
      ->type_name("N")
      ->check(whole_number(0, kMaxFitSteps))
      ->capture_default_str()
      ->group(kGroup);
}

void add_initial_options(CLI::App& command, InitialShape& initial) {
  command
      .add_option_function<std::string>(
          "--initial", [&initial](const std::string& text) { set_kind(initial, text); },
          "The mesh that stage 2 begins from: stage 1's, which is an ellipsoid that it deforms; the visual hull of all "
          "masks (or those of --fit-views); or a mesh file, whose vertices lie as --frame says of its format")
      ->type_name("ellipsoid|hull|FILE")
      ->check(file_name())
      ->default_str("ellipsoid")
      ->group("Initial mesh");
  command.add_option("--target-vertices", initial.target_vertices, "Vertices of the hull's mesh, about")
      ->type_name("N")
      ->check(whole_number(kMinInitialVertices, kMaxInitialVertices))
      ->capture_default_str()
      ->group("Initial mesh");
  add_stage2_option(command, initial);
}

void add_stage2_option(CLI::App& command, InitialShape& initial) {
  command
      .add_flag("--no-stage-2", initial.skips_stage2,
                "Without the network: the initial mesh is the result, fitted to masks if --fit-views says so")
      ->group("Initial mesh");
}

void add_mesh_output_options(CLI::App& command, MeshOutput& output, const std::string& formats) {
  constexpr const char* kGroup = "Result";
  command
      .add_option_function<std::string>(
          "--frame", [&output](const std::string& name) { output.frame = frame_named(name); },
          "Frame of the written vertices: the sample's first camera's (auto: obj and xyz), the world's, with the "
          "object "
          "at the origin and y up (auto: glb, ply and stl), or the coordinates and units of the capture")
      ->type_name("auto|camera0|world|source")
      ->check(one_of({"auto", "camera0", "world", "source"}))
      ->default_str("auto")
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
          "Formats of the meshes: obj, xyz (vertices only), ply, glb, stl; separate several with commas")
      ->type_name("NAME,NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of(names))
      ->default_str(formats)
      ->group(kGroup);
  command
      .add_flag("--normals", output.encoding.normals,
                "Also write vertex normals to .obj and .ply; .glb always has them")
      ->group(kGroup);
}

void add_picture_options(CLI::App& command, PictureOptions& picture) {
  constexpr const char* kGroup = "Picture";
  command
      .add_option_function<std::string>(
          "--size",
          [&picture](const std::string& text) {
            const Size size = parse_size(text).value();
            picture.width = size.width;
            picture.height = size.height;
          },
          "Size of a picture in pixels, such as 512 or 640x480")
      ->type_name("PIXELS")
      ->check(picture_size())
      ->default_str("512")
      ->group(kGroup);
  command.add_option("--samples", picture.samples, "Rays per pixel; more give smoother edges")
      ->type_name("N")
      ->check(whole_number(1, kMaxPictureSamples))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--background",
          [&picture](const std::string& name) {
            picture.background = name == "white" ? Background::kWhite : Background::kTransparent;
          },
          "Background of the object")
      ->type_name("white|transparent")
      ->check(one_of({"white", "transparent"}))
      ->default_str("white")
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--shading",
          [&picture](const std::string& name) { picture.shading = name == "flat" ? Shading::kFlat : Shading::kSmooth; },
          "Shading of the surface: smooth except at sharp edges, or flat triangles")
      ->type_name("smooth|flat")
      ->check(one_of({"smooth", "flat"}))
      ->default_str("smooth")
      ->group(kGroup);
  command
      .add_flag_callback(
          "--no-ground", [&picture] { picture.ground = false; }, "Draw no shadow on the ground below the object")
      ->group(kGroup);
}

Framing CameraOptions::framing(bool in_camera) const {
  constexpr double kOwnDirectionDegrees = 90;  // looks along -z, as a camera does in its own frame
  Framing framing{.field_of_view_deg = field_of_view_deg, .distance = distance};
  if (in_camera) {
    framing.azimuth_deg = kOwnDirectionDegrees;
    framing.elevation_deg = 0;
  }
  if (azimuth_deg) framing.azimuth_deg = *azimuth_deg + (in_camera ? kOwnDirectionDegrees : 0);
  if (elevation_deg) framing.elevation_deg = *elevation_deg;
  return framing;
}

CLI::Option* add_camera_options(CLI::App& command, CameraOptions& options) {
  command
      .add_option(
          "--azimuth", options.azimuth_deg,
          "Direction of the camera around the object, from x towards z (default: 35); for a mesh in the first camera's "
          "frame, relative to that camera (default: 0)")
      ->type_name("DEGREES")
      ->check(number(-360, 360))
      ->group(kCameraGroup);
  command
      .add_option("--elevation", options.elevation_deg,
                  "Angle of the camera above the horizon (default: 25; for a mesh in the first camera's frame: 0)")
      ->type_name("DEGREES")
      ->check(number(-90, 90))
      ->group(kCameraGroup);
  command.add_option("--distance", options.distance, "Distance of the camera (default: the object fills the picture)")
      ->type_name("UNITS")
      ->check(number(1e-6, 1e6))
      ->group(kCameraGroup);
  command.add_option("--fov", options.field_of_view_deg, "Vertical field of view")
      ->type_name("DEGREES")
      ->check(number(1, 120))
      ->capture_default_str()
      ->group(kCameraGroup);
  add_frame_option(command, options);
  return command.add_option("--cameras", options.cameras)->type_name("FILE")->check(file_name())->group(kCameraGroup);
}

MeshFrame resolved(MeshFrame frame, const Points& vertices) {
  if (frame != MeshFrame::kAuto) return frame;
  return is_in_front_of_camera(vertices) ? MeshFrame::kCamera0 : MeshFrame::kWorld;
}

Upright upright(TriangleMesh mesh, MeshFrame frame, std::span<const Camera> cameras) {
  const bool in_camera = resolved(frame, mesh.vertices) == MeshFrame::kCamera0;
  if (!in_camera || cameras.empty()) return {std::move(mesh), in_camera};
  return {{world_from_camera(mesh.vertices, cameras.front()), std::move(mesh.triangles)}, false};
}

}  // namespace p2mpp::cli
