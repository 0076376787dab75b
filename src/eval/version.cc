#include "eval/version.h"

#include "eval/commit.h"

namespace p2mpp {

std::string_view p2mpp_version() { return P2MPP_VERSION; }
std::string_view p2mpp_commit() { return P2MPP_COMMIT; }

}  // namespace p2mpp
