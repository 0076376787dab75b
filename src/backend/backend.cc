#include "backend/backend.h"

#include <array>

#include "backend/fused_backend.h"
#include "backend/torchscript_backend.h"
#include "p2mpp/error.h"

namespace p2mpp {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Backend> (*make)(const Model&, const BackendOptions&);
};

// A new backend is a line here.
constexpr std::array kBackends = {Entry{"fused", make_fused_backend}, Entry{"torchscript", make_torchscript_backend}};

constexpr auto kNames = [] {
  std::array<std::string_view, kBackends.size()> names;
  for (std::size_t i = 0; i < kBackends.size(); ++i) names[i] = kBackends[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> registered_backends() { return kNames; }

std::unique_ptr<Backend> make_backend(std::string_view name, const Model& model, const BackendOptions& options) {
  for (const Entry& entry : kBackends) {
    if (entry.name == name) return entry.make(model, options);
  }
  throw UsageError("--backend " + std::string(name) + ": no such backend");
}

}  // namespace p2mpp
