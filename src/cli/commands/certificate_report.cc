#include "cli/commands/certificate_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "base/table.h"
#include "base/text.h"

namespace p2mpp::cli {
namespace {

constexpr double kCubicMillimetres = 1000;  ///< of a cubic centimetre

std::string yes_or(std::string_view no, bool yes) { return yes ? "yes" : fmt::format("no: {}", no); }

std::string none_or(std::size_t count) { return count == 0 ? "none" : fmt::format("{} faces", count); }

std::string intersections(const MeshCertificate& certificate) {
  if (certificate.all_pairs_tested) return none_or(certificate.intersecting_faces);
  return fmt::format("at least {} faces; not all were tested", certificate.intersecting_faces);
}

std::string bodies(const MeshCertificate& certificate) {
  std::string text = std::to_string(certificate.bodies);
  if (certificate.voids > 0) text += fmt::format(", with {} hollows inside", certificate.voids);
  if (certificate.buried > 0) text += fmt::format(", and {} inside of them", certificate.buried);
  return text;
}

std::optional<double> format_mass(const CertifiedMesh& mesh) {
  if (!mesh.in_millimetres || !mesh.certificate.volume) return std::nullopt;
  return *mesh.certificate.volume / kCubicMillimetres * mesh.density;
}

/// What has a unit.
void add_measures(const CertifiedMesh& mesh, TableCells& rows) {
  const MeshCertificate& certificate = mesh.certificate;
  const char* unit = mesh.in_millimetres ? "mm" : "units";
  const Eigen::Vector3d& size = certificate.size;
  rows.push_back({"size", fmt::format("{:.5g} x {:.5g} x {:.5g} {}", size.x(), size.y(), size.z(), unit)});
  rows.push_back({"area", fmt::format("{:.5g} {}2", certificate.area, unit)});
  if (certificate.volume) rows.push_back({"volume", fmt::format("{:.5g} {}3", *certificate.volume, unit)});
  if (const std::optional<double> mass = format_mass(mesh)) {
    rows.push_back({"mass", fmt::format("{:.4g} g at {:.4g} g/cm3", *mass, mesh.density)});
  }
  if (certificate.wall) {
    const auto& [thickness, place] = *certificate.wall;
    rows.push_back({"thinnest wall", fmt::format("{:.4g} {} at {:.4g} {:.4g} {:.4g}", thickness, unit, place.x(),
                                                 place.y(), place.z())});
  }
  rows.push_back({"unit", mesh.in_millimetres ? "mm" : "unknown: --unit says it"});
}

}  // namespace

std::string certificate_table(const CertifiedMesh& mesh) {
  const MeshCertificate& certificate = mesh.certificate;
  TableCells rows = {
      {display(mesh.file), fmt::format("{} vertices, {} faces", certificate.vertices, certificate.faces)}};
  rows.push_back({"closed", yes_or(fmt::format("{} open edges", certificate.open_edges), certificate.closed())});
  rows.push_back({"manifold", yes_or(fmt::format("{} edges and {} vertices of several surfaces",
                                                 certificate.crowded_edges, certificate.crowded_vertices),
                                     certificate.manifold())});
  rows.push_back({"wound outward", yes_or(fmt::format("{} edges between turned faces, {} bodies inside out",
                                                      certificate.turned_edges, certificate.inverted),
                                          certificate.oriented())});
  rows.push_back({"intersections", intersections(certificate)});
  rows.push_back({"faces without area", none_or(certificate.degenerate_faces)});
  if (certificate.volume) rows.push_back({"bodies", bodies(certificate)});
  add_measures(mesh, rows);
  return format_table(rows);
}

Json certificate_json(const CertifiedMesh& mesh) {
  const MeshCertificate& certificate = mesh.certificate;
  Json json = {{"mesh", mesh.file.string()},
               {"vertices", certificate.vertices},
               {"faces", certificate.faces},
               {"sound", certificate.sound()},
               {"closed", certificate.closed()},
               {"manifold", certificate.manifold()},
               {"oriented", certificate.oriented()},
               {"intersecting_faces", certificate.intersecting_faces},
               {"all_pairs_tested", certificate.all_pairs_tested},
               {"degenerate_faces", certificate.degenerate_faces},
               {"bodies", certificate.bodies},
               {"voids", certificate.voids},
               {"buried", certificate.buried},
               {"unit", mesh.in_millimetres ? Json("mm") : Json(nullptr)},
               {"size", {certificate.size.x(), certificate.size.y(), certificate.size.z()}},
               {"area", certificate.area}};
  json["volume"] = certificate.volume ? Json(*certificate.volume) : Json(nullptr);
  const std::optional<double> mass = format_mass(mesh);
  json["mass_g"] = mass ? Json(*mass) : Json(nullptr);
  json["thinnest_wall"] = nullptr;
  if (certificate.wall) {
    const Eigen::Vector3d& place = certificate.wall->place;
    json["thinnest_wall"] = {{"thickness", certificate.wall->thickness}, {"place", {place.x(), place.y(), place.z()}}};
  }
  return json;
}

}  // namespace p2mpp::cli
