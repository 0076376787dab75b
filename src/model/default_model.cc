#include <fmt/format.h>

#include <cstdlib>

#include "p2mpp/error.h"
#include "p2mpp/model.h"

namespace p2mpp {

std::filesystem::path default_model_folder() {
  if (const char* named = std::getenv("P2MPP_MODEL"); named != nullptr && *named != '\0') return named;
  std::error_code ignored;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path here = "models/p2mpp-shapes";
  const std::filesystem::path beside = executable.parent_path().parent_path() / here;
  for (const auto& folder : {here, beside}) {
    if (std::filesystem::is_regular_file(folder / "model.json", ignored)) return folder;
  }
  throw InputError(fmt::format("no model: neither {} nor {} is there; expected --model FOLDER or P2MPP_MODEL",
                               here.string(), beside.string()));
}

}  // namespace p2mpp
