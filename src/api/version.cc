#include "p2mpp/version.h"

#include "base/environment.h"

namespace p2mpp {

std::string version() { return std::string(p2mpp_version()); }

}  // namespace p2mpp
