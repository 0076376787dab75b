#pragma once

#include <filesystem>
#include <string>

#include "base/json_text.h"
#include "finish/certificate.h"

namespace p2mpp::cli {

struct CertifiedMesh {
  std::filesystem::path file;
  MeshCertificate certificate;
  bool in_millimetres = false;  ///< otherwise the unit is unknown
  double density = 0;           ///< grams a cubic centimetre
};

/// For stdout, and for --json.
[[nodiscard]] std::string certificate_table(const CertifiedMesh& mesh);
[[nodiscard]] Json certificate_json(const CertifiedMesh& mesh);

}  // namespace p2mpp::cli
