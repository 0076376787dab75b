#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/parallel.h"
#include "capture/mask_context.h"
#include "capture/open_sample.h"
#include "capture/photograph_pixels.h"
#include "check/sample_check.h"
#include "cli/support/command.h"
#include "cli/support/console.h"
#include "cli/support/declared_options.h"
#include "cli/support/settings.h"
#include "io/image/png_file.h"
#include "io/import_folder.h"
#include "p2mpp/error.h"
#include "results/run_options.h"

namespace p2mpp::cli {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  fs::path source, out;
  PreparationOptions capture;
  bool strict = false;
  bool overwrite = false;

  template <typename Visit>
  void visit_options(Visit&& visit) {
    visit(source,
          {"SOURCE", "A COLMAP model's folder, transforms.json or its folder; with --turntable a folder of photographs",
           "PATH", file_name()},
          {.required = true});
    const auto add_result = in_group("Result", visit);
    add_result(out, {"-o,--out", "Folder for cameras.json, the photographs and their masks", "FOLDER", file_name()},
               {.required = true});
    capture.visit_options(visit);
    visit(strict, strict_option());
    add_result(overwrite, {"--overwrite",
                           "Replace an earlier import in FOLDER: the files that its import.json lists are removed"});
  }
};

// The photographs' names below OUT. These are the names of their files, with a number in front if two are equal.
std::vector<std::string> file_names(const Capture& capture) {
  std::vector<std::string> names;
  std::set<std::string> taken = {kCamerasJsonName, ImportFolder::kListName};
  for (std::size_t i = 0; i < capture.photographs.size(); ++i) {
    std::string name = capture.photographs[i].image.filename().string();
    if (!taken.insert(name).second) name = fmt::format("{:04}_{}", i, name);
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

// A copy must not replace the photograph that it is of.
void check_out(const ImportOptions& options, const Capture& capture, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::error_code ignored;
    if (fs::equivalent(options.out / names[i], capture.photographs[i].image, ignored)) {
      throw UsageError(
          fmt::format("--out: {} holds the capture's own photographs; expected another folder", options.out.string()));
    }
  }
}

// None of them may be the capture's own.
void check_not_own(const ImportOptions& options, const Capture& capture, const std::vector<fs::path>& files) {
  std::error_code ignored;
  for (const fs::path& file : files) {
    const auto is_it = [&](const fs::path& own) { return !own.empty() && fs::equivalent(file, own, ignored); };
    if (std::ranges::none_of(capture.photographs,
                             [&](const Photograph& each) { return is_it(each.image) || is_it(each.mask); })) {
      continue;
    }
    throw UsageError(
        fmt::format("--out: {} holds the capture's own photographs; expected another folder", options.out.string()));
  }
}

// A mask as a gray picture: white is the object.
Image mask_picture(const Mask& mask) {
  Image image{mask.width, mask.height, {}};
  image.rgba.reserve(4 * mask.coverage.size());
  for (const std::uint8_t value : mask.coverage) image.rgba.insert(image.rgba.end(), {value, value, value, 255});
  return image;
}

// Copies a photograph, and writes its mask unless its own alpha is the mask. Returns the mask's name below OUT, or
// nothing.
std::string write_photograph(ImportFolder& folder, const SampleRequest& reading, const CaptureReport& report,
                             const Photograph& photograph, const std::string& name, PixelBudget& budget) {
  folder.add(name, read_file(photograph.image));
  const DecodedPhotograph decoded = decode(photograph, budget);
  const ObjectMask mask = find_mask(decoded.photograph, decoded.image, reading, *report.mask_context);
  if (mask.origin == "alpha") return {};
  const std::string mask_name = "masks/" + name + ".png";
  folder.add(mask_name, encode_png(mask_picture(mask.mask)));
  return mask_name;
}

// Empty names stay empty.
std::vector<std::string> names_below(const std::string& folder, std::vector<std::string> names) {
  for (std::string& name : names) {
    if (!name.empty()) name.insert(0, folder);
  }
  return names;
}

// Throws the system's reason why a path cannot be looked into, which is no reason to call it no capture.
void check_readable(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(fs::status(path, error))) fs::directory_iterator(path, error);
  if (error) throw InputError(fmt::format("{}: {}; expected a capture", path.string(), error.message()));
}

ExitCode run_import(const ImportOptions& options, const Settings& settings) {
  check_readable(options.source);
  const ModelInfo model = read_model_info(resolve_engine_options(settings).model);
  const SampleRequest reading = sample_request(settings, view_indices(settings, model), options.capture);
  if (!is_capture_path(options.source, reading)) {
    static_cast<void>(locate_sample(options.source, reading));  // says what is missing, if anything
    throw InputError(
        fmt::format("{}: is a sample's folder already; expected a capture with the cameras of {}, or --turntable with "
                    "a folder of photographs",
                    options.source.string(), readable_formats()));
  }
  prepare_output_folder(options.out);
  ImportFolder folder(options.out, options.overwrite);
  const auto [sample, found, photographs] = open_with_bar(options.source, reading, settings);
  const CaptureReport& report = found.value();

  const std::vector<SampleWarning> warnings = check_sample(sample, model.trained_views);
  for (const SampleWarning& warning : warnings) spdlog::warn("{}: {}", sample.id, warning.message);
  if (options.strict && !warnings.empty()) {
    throw InputError(fmt::format("{}: {}", options.source.string(), refusal(warnings)));
  }

  const std::vector<std::string> names = file_names(report.capture);
  check_out(options, report.capture, names);
  check_not_own(options, report.capture, folder.earlier_files());
  folder.check_free(names);
  std::vector<std::string> masks(names.size());
  PixelBudget budget(reading.max_pixels);
  for_each_task(names.size(), reading.threads, [&](std::size_t i) {
    if (report.photographs[i].problem.empty()) {
      masks[i] = write_photograph(folder, reading, report, report.capture.photographs[i], names[i], budget);
    }
  });
  const fs::path file = options.out / kCamerasJsonName;
  folder.finish([&](const std::string& below) {
    return cameras_json_text(describe_cameras(report, names_below(below, names), names_below(below, masks)));
  });
  if (settings.json) {
    Json document = capture_json(report);
    document["warnings"] = to_json(warnings);
    document["cameras"] = file.string();
    print_json(document);
    return ExitCode::kDone;
  }
  for (const std::string& line : capture_lines(report)) print(line + "\n");
  print(fmt::format("{}\n", file.string()));
  return ExitCode::kDone;
}

}  // namespace

void add_import_command(CLI::App& app, const Settings& settings, ExitCode& exit_code) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Turn a capture into a sample's folder");
  add_options(*command, *options);
  command->footer(
      R"(Reads cameras and photographs, cuts out the object, finds its centre, its size and its upward direction, and
chooses the views for the network. Writes FOLDER/cameras.json with copies of the photographs and their masks. `predict
FOLDER` then gives the same mesh as `predict SOURCE`. Prints the values that it found as options, which you can change
and give.

Examples:
  p2mpp import capture --masks capture/masks --out chair
  p2mpp import scene/transforms.json --up 0,0,1 --out chair
  p2mpp import photographs --turntable --elevation 20 --background auto --out cup)");
  command->callback([options, &settings, &exit_code] { exit_code = run_import(*options, settings); });
}

}  // namespace p2mpp::cli
