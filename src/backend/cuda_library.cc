#include "backend/cuda_library.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>

#include "p2mpp/error.h"

namespace p2mpp {
namespace {

struct Loaded {
  const CudaLibrary* library = nullptr;
  std::string problem;
};

Loaded load() {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::array places = {program.parent_path() / P2MPP_CUDA_LIBRARY,
                             std::filesystem::path(P2MPP_BUILD_FOLDER) / P2MPP_CUDA_LIBRARY};
  for (const std::filesystem::path& place : places) {
    if (!std::filesystem::exists(place, ignored)) continue;
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed: CUDA keeps threads
    if (handle == nullptr) {
      const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): one a thread in glibc
      return {nullptr,
              std::string("p2mpp's CUDA kernels cannot be loaded (") + (reason ? reason : "unknown reason") + ")"};
    }
    const auto get = reinterpret_cast<GetCudaLibrary>(dlsym(handle, kCudaLibrarySymbol));
    if (get == nullptr) return {nullptr, place.string() + ": not p2mpp's"};
    return {get(), {}};
  }
  return {nullptr, "this p2mpp was built without a CUDA toolkit and has no kernels of its own"};
}

const Loaded& loaded() {
  static const Loaded result = load();
  return result;
}

}  // namespace

std::string cuda_library_problem(int device_index) {
  return loaded().library != nullptr ? loaded().library->problem(device_index) : loaded().problem;
}

std::unique_ptr<Backend> make_cuda_backend(const Model& model, const BackendOptions& options) {
  if (loaded().library == nullptr) throw Error(loaded().problem);
  return loaded().library->make_backend(model, options);
}

Neighbours cuda_nearest_neighbours(int device_index, std::span<const Eigen::Vector3f> queries,
                                   std::span<const Eigen::Vector3f> targets) {
  if (loaded().library == nullptr) throw Error(loaded().problem);
  return loaded().library->nearest_neighbours(device_index, queries, targets);
}

}  // namespace p2mpp
