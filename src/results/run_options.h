#pragma once

#include <algorithm>

#include "base/option.h"
#include "capture/fit_views.h"
#include "capture/preparation_options.h"
#include "io/mesh/mesh_file.h"
#include "p2mpp/fit.h"
#include "p2mpp/sample.h"
#include "results/prediction_files.h"
#include "results/surface_choice.h"
#include "results/texture_choice.h"

namespace p2mpp {

inline void from_text(std::string_view text, FitViews& views) { views = parse_fit_views(text); }
inline void from_text(std::string_view text, PictureFormat& format) { format = picture_format(text); }
inline void from_text(std::string_view text, MeshFormat& format) { format = mesh_format(text); }
inline void from_text(std::string_view text, std::optional<Frame>& frame) { frame = frame_named(text); }
[[nodiscard]] inline std::string to_text(const std::optional<Frame>& frame) {
  return frame ? std::string(to_string(*frame)) : "auto";
}

/// A length, or one of some words.
inline ValueCheck length_or(std::vector<std::string> words) {
  std::string expected = "a length such as 1.2mm, 3cm or 0.5in";
  for (const std::string& word : words) expected += ", or " + word;
  return {.expected = std::move(expected), .accepts = [words](std::string& text) {
            return std::ranges::find(words, text) != words.end() || parse_length(text).has_value();
          }};
}

/// `predict`, `import`, `check`, `eval`, `worker` and `serve` have it.
inline Option strict_option() {
  return {"--strict",
          "Refuse a sample whose images or cameras look wrong, instead of a warning: exit code 3",
          "",
          {},
          "Sample"};
}

/// `predict`, `refine`, `worker`, `serve`, `texture` and `morph` have it.
inline Option texture_format_option() {
  return {"--texture-format", "Picture of a texture: exact (png) or small (jpeg)", "", one_of({"png", "jpeg"})};
}

/// How samples are reconstructed and their meshes are written: the options that `predict`, `refine`, `eval`, `worker`
/// and `serve` share.
struct RunOptions {
  bool strict = false;                 ///< a sample with a warning fails
  MeshOutput meshes = {};              ///< the files of each sample
  FitViews fit = {};                   ///< whose masks are read, and the meshes fitted to; kNone: no fit
  int fit_steps = FitOptions().steps;  ///< at most
  bool photo_consistency = true;       ///< fits and volumes also follow the pictures
  InitialShape initial = {};           ///< the mesh that stage 2 begins from
  SurfaceChoice surface = {};          ///< of the results
  TextureChoice texture = {};          ///< their colours
  PreparationOptions capture = {};     ///< of samples that are captures

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(strict, strict_option());
    capture.visit_options(visit);
    visit_output_options(visit);
    visit_fit_options(visit);
    visit_initial_options(visit);
    visit_surface_options(visit);
    visit_texture_options(visit);
  }

  template <typename Visit>
  void visit_output_options(Visit&& visit) {
    const auto add = in_group("Result", visit);
    add(meshes.frame,
        {"--frame",
         "Frame of the written vertices: the sample's first camera's (auto: obj and xyz), the world's, with the object "
         "at the origin and y up (auto: all but obj and xyz), or the coordinates and units of the capture",
         "", one_of({"auto", "camera0", "world", "source"})},
        {.recorded = Recorded::kAlways, .recorded_as = std::string(frame_name(meshes))});
    add(meshes.formats,
        {"--format",
         "Formats of the meshes: obj, xyz (vertices only), ply, glb, stl, 3mf, usdz; separate several with commas",
         "NAME,NAME,...", one_of(format_names())},
        {.standard = meshes.formats.empty() ? "that of MESH" : nullptr,
         .recorded = Recorded::kAlways,
         .key = "formats"});
    add(meshes.encoding.normals, {"--normals", "Also write vertex normals to .obj and .ply; .glb always has them"},
        {.recorded = Recorded::kAlways});
    add(meshes.coarse, {"--coarse", "Also write the meshes before the refinement: {id}_coarse1.obj and so on"},
        {.commands = "predict"});
    add(meshes.unit,
        {"--unit",
         "Length of a unit of the capture's coordinates: mm, cm, m, in, or such as 57.3mm. GLB and USDZ are then in "
         "metres, 3MF and STL in millimetres, and OBJ and PLY name their unit",
         "LENGTH", length_or({})},
        {.standard = "not known: the numbers stay", .commands = "predict refine"});
    add(meshes.finish,
        {"--finish",
         "Also write the mesh for a printer ({id}_print.3mf, which needs --unit) or for a web page ({id}_web_25.glb "
         "and so on, with fewer faces)",
         "", one_of({"none", "print", "web"})},
        {.commands = "predict refine"});
  }

  template <typename Visit>
  void visit_fit_options(Visit&& visit) {
    using Kind = FitViews::Kind;
    const auto add = in_group("Fit", visit);
    add(fit,
        {"--fit-views",
         "Fit the mesh to the masks of views: all of the sample, the same that enter the network, or numbers from 0; "
         "none: no fit",
         "all|same|none|N,N,..."},
        {.standard = fit.kind == Kind::kAutomatic
                         ? "all, for volumes and, except in eval, for captures with more photographs than views"
                         : nullptr,
         .recorded = Recorded::kUnlessDefault,
         .in_requests = R"("all", "same", "none" or numbers such as "0,3,5")"});
    add(fit, {"--no-fit", "Do not fit the mesh to masks"}, {.sets = "none", .excludes = "--fit-views"});
    add(fit_steps,
        {"--fit-steps", "Steps of the fit, at most; it ends where nothing is gained", "N",
         whole_number(0, kMaxFitSteps)},
        {.recorded = Recorded::kAlways, .has_effect = fit.kind != Kind::kNone, .in_requests = ""});
    add(photo_consistency,
        {"--no-photo-consistency",
         "Follow only the masks, not what the photographs show. Without it, the surface also moves to where "
         "photographs "
         "agree; shiny surfaces are found and left out"},
        {.sets = "false", .commands = "predict refine"});
  }

  template <typename Visit>
  void visit_initial_options(Visit&& visit) {
    const auto add = in_group("Initial mesh", visit);
    add(initial,
        {"--initial",
         "The mesh that stage 2 begins from: stage 1's, which is an ellipsoid that it deforms; the visual hull of all "
         "masks (or those of --fit-views); or a mesh file in the frame in which p2mpp writes its format (--frame)",
         "ellipsoid|hull|FILE", file_name()},
        {.commands = "predict eval worker serve",
         .recorded = Recorded::kUnlessDefault,
         .in_requests = R"("ellipsoid", "hull" or a mesh file's name)"});
    add(initial.target_vertices,
        {"--target-vertices", "Vertices of the hull's mesh, about", "N",
         whole_number(kMinInitialVertices, kMaxInitialVertices)},
        {.commands = "predict eval worker serve",
         .recorded = Recorded::kAlways,
         .has_effect = initial.kind == InitialShape::Kind::kHull,
         .in_requests = ""});
    add(initial.with_stage2,
        {"--no-stage-2", "Without the network: the initial mesh is the result, fitted to masks if --fit-views says so"},
        {.sets = "false", .recorded = Recorded::kUnlessDefault, .key = "stage2"});
  }

  template <typename Visit>
  void visit_surface_options(Visit&& visit) {
    const auto add = in_group("Surface", visit);
    const bool is_volume = surface.kind != SurfaceChoice::Kind::kTemplate;
    add(surface,
        {"--surface",
         "The surface of the results: the template's, which the network and the fit deform; that of a volume between "
         "the masks' hull and the template's mesh, of any topology; auto: a volume for a capture with at least eight "
         "masks from around, and for two to seven photographs if the model has a volume.pt",
         "", one_of({"auto", "template", "volume"})},
        {.recorded = Recorded::kUnlessDefault, .in_requests = ""});
    add(surface.resolution,
        {"--resolution",
         "Voxels of a volume along the object's longest side; auto: about the masks' pixels, at most 256", "N|auto",
         auto_or_whole_number(kLeastResolution, kMostResolution, 0)},
        {.standard = "auto", .recorded = Recorded::kUnlessDefault, .has_effect = is_volume, .in_requests = ""});
    add(surface.target_vertices,
        {"--surface-vertices", "Vertices of a volume's surface, about", "N",
         whole_number(kMinInitialVertices, kMaxInitialVertices)},
        {.recorded = Recorded::kUnlessDefault, .has_effect = is_volume, .in_requests = ""});
    add(surface.detail,
        {"--detail",
         "How far a volume's surface follows a capture's photographs: to their own pixels, if at least eight show it "
         "and those that are left out confirm it; coarse: only as the volume does; full: as auto, with four times the "
         "vertices",
         "", one_of({"auto", "coarse", "full"})},
        {.recorded = Recorded::kUnlessDefault, .has_effect = is_volume, .in_requests = ""});
  }

  template <typename Visit>
  void visit_texture_options(Visit&& visit) {
    const auto add = in_group("Texture", visit);
    add(texture,
        {"--texture",
         "Colours of the results, from the photographs: a texture of so many texels a side, or colours of vertices; "
         "auto: for a capture, a texture of 1024 to 4096, by what its photographs show",
         "auto|N|vertex|none", texture_text()},
        {.commands = "predict refine worker serve", .in_requests = ""});
    add(texture.fill_unseen, fill_unseen_option(), {.commands = "predict refine worker serve"});
    add(meshes.encoding.picture, texture_format_option(), {.commands = "predict refine worker serve"});
  }
};

/// The options of programs that reconstruct what they are given: captures are fitted, get a volume where that is
/// better, and a texture. Sample folders get the published mesh.
[[nodiscard]] inline RunOptions automatic_run_options() {
  return {.fit = {FitViews::Kind::kAutomatic},
          .surface = {.kind = SurfaceChoice::Kind::kAutomatic},
          .texture = {.kind = TextureChoice::Kind::kAutomatic}};
}

}  // namespace p2mpp
