#include "eval/prediction_files.h"

#include <fmt/format.h>

#include <string_view>

#include "io/atomic_file.h"
#include "io/mesh_file.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

// An id comes from a list or from a folder's name; it must not lead out of the output folder.
void check_id(const std::string& id) {
  constexpr std::string_view kForbidden("/\0", 2);
  if (id.empty() || id.find_first_of(kForbidden) != std::string::npos) {
    throw InputError(fmt::format("sample id {:?}: not a file name; expected one without '/'", id));
  }
}

}  // namespace

PredictionPaths write_prediction(const std::filesystem::path& folder, const std::string& id, const TriangleMesh& mesh,
                                 const std::string& comment) {
  check_id(id);
  const PredictionPaths paths{folder / (id + "_predict.obj"), folder / (id + "_predict.xyz")};
  write_file_atomically(paths.obj, format_obj(mesh, comment));
  write_file_atomically(paths.xyz, format_xyz(mesh.vertices));
  return paths;
}

}  // namespace p2mpp
