#include "base/version.h"

#include "base/commit.h"

namespace p2mpp {

std::string_view p2mpp_version() { return P2MPP_VERSION; }
std::string_view p2mpp_commit() { return P2MPP_COMMIT; }

}  // namespace p2mpp
